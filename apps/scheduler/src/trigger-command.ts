import { writeFileSync } from "node:fs";
import { type TaskTrigger, taskTrigger } from "@tickwheel/postgres-store";
import { Command } from "commander";

/**
 * The command `trigger`: writes the migration that binds a task to the rows of an application's table.
 *
 * @param print takes each line for the one who asked
 */
export function triggerCommand(print: (line: string) => void): Command {
  return new Command("trigger")
    .description("write a migration that cancels a task with the row that it belongs to: see docs/guides/sql.md")
    .requiredOption("--table <name>", 'the table, such as orders or shop."Orders"')
    .requiredOption("--when <condition>", "when a row no longer needs its task, such as \"status <> 'unpaid'\"")
    .requiredOption("--type <type>", "the task's type")
    .requiredOption("--key <column>", "the column whose value is the task's key")
    .option("--delay <duration>", "make the task with the row, due so long after it, such as 15m")
    .option("--namespace <name>", "of the task (default: the only one of the table's owner)")
    .option("--schema <name>", "where Tickwheel's tables are", "tickwheel")
    .option("--out <file>", "write it there; a file that exists is not overwritten (default: print it)")
    .option("--down", "the statements that take it back")
    .action(({ out, down = false, ...trigger }: TaskTrigger & { out?: string; down?: boolean }) => {
      const migration = taskTrigger(trigger);
      const text = down ? migration.down : migration.up;
      if (out === undefined) return print(text);
      writeFileSync(out, `${text}\n`, { flag: "wx" });
      print(`wrote ${out}`);
    });
}
