import { migrate, type SqlAccess, withSqlAccess } from "@tickwheel/postgres-store";
import { Command } from "commander";
import { inDatabase, WHICH_DATABASE } from "./command-database.js";

interface SqlFlags {
  namespace?: string;
  payloads?: boolean;
}

/**
 * The command `sql`: which roles of the database may create and cancel tasks in SQL.
 *
 * @param print takes each line for the one who asked
 */
export function sqlCommand(print: (line: string) => void): Command {
  const command = new Command("sql").description("who may create and cancel tasks in SQL: see docs/guides/sql.md");
  command
    .command("allow")
    .description("let a role of the database use the functions and the views of the schema tickwheel")
    .argument("<role>", "a role, or a group of which logins are members")
    .option("--namespace <name>", "in which its tasks are", "default")
    .option("--payloads", "the views show it payloads and results")
    .action(async (role: string, { namespace = "default", payloads = false }: SqlFlags) => {
      await withAccess((access) => access.allow({ role, namespace, payloads }));
      print(`${role} may create and cancel tasks of the namespace ${namespace} in SQL.`);
    });
  command
    .command("forbid")
    .description("take that back; tasks that it has made stay")
    .argument("<role>")
    .option("--namespace <name>", "only of this one (default: of all that it has)")
    .action(async (role: string, { namespace }: SqlFlags) => {
      await withAccess((access) => access.forbid(role, namespace));
      print(`${role} may no longer use SQL${namespace === undefined ? "" : ` in the namespace ${namespace}`}.`);
    });
  command
    .command("list")
    .description("the roles that are allowed")
    .action(async () => {
      const roles = await withAccess((access) => access.list());
      if (roles.length === 0) print("No role is allowed. The owner of the schema needs no leave.");
      for (const { role, namespace, payloads, allowedBy, allowedAt } of roles)
        print(
          [role, namespace, payloads ? "sees payloads" : "-", `by ${allowedBy}`, allowedAt.toISOString()].join("\t"),
        );
    });
  return command.addHelpText("after", WHICH_DATABASE);
}

/** Works in the database of the environment; its schema is made if it is not there. */
function withAccess<Result>(work: (access: SqlAccess) => Promise<Result>): Promise<Result> {
  return inDatabase(async (url) => {
    await migrate(url);
    return withSqlAccess(url, {}, work);
  });
}
