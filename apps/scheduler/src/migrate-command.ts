import { migrate } from "@tickwheel/postgres-store";
import { Command } from "commander";
import { inDatabase, WHICH_DATABASE } from "./command-database.js";

/**
 * The command `migrate`: makes Tickwheel's schema, or brings it up to date, as the first node of a release does at its
 * start.
 *
 * @param print takes each line for the one who asked
 */
export function migrateCommand(print: (line: string) => void): Command {
  return new Command("migrate")
    .description("make the schema tickwheel or bring it up to date, without a node")
    .action(async () => {
      const ran = await inDatabase((url) => migrate(url));
      for (const name of ran) print(`ran ${name}`);
      print("The schema is up to date.");
    })
    .addHelpText("after", WHICH_DATABASE);
}
