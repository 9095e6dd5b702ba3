import { TickwheelError } from "@tickwheel/core";
import type { DataSource } from "typeorm";
import { quoteSchema } from "../connection/session.js";
import { FIRST_SCHEMA, FIRST_SCHEMA_HASH } from "./migrations/first-schema.js";
import { instantOf, type Migration } from "./migrations/migration.js";

/** Every first schema that ever existed is noted under a name of this form. */
const ANY_FIRST_SCHEMA = "FirstSchema%";

/**
 * Checks that this release can work on the schema as it is. Only reads. A schema without our tables passes: they will
 * be made.
 *
 * @throws TickwheelError `STORE_INCOMPATIBLE`: another first schema made it, or newer nodes have changed it so that
 *   this one would read or write it wrongly
 */
export async function requireCompatibleSchema(
  dataSource: DataSource,
  { schema, migrations }: { schema: string; migrations: readonly Migration[] },
): Promise<void> {
  // The order matters: a process that makes the schema meanwhile commits the note and the migration together.
  if (!(await hasFirstSchema(dataSource, schema))) return;
  const { firstSchema, oldest } = await readNote(dataSource, schema);
  if (firstSchema !== FIRST_SCHEMA_HASH) throw unreleased(schema, firstSchema);
  const known = Math.max(...[FIRST_SCHEMA, ...migrations.map(({ name }) => name)].map(instantOf));
  if (oldest > known) throw tooNew({ schema, oldestMigration: oldest, newestKnown: known });
}

async function hasFirstSchema(dataSource: DataSource, schema: string): Promise<boolean> {
  const table = await find(dataSource, `${quoteSchema(schema)}.migration`);
  if (table === null) return false;
  // An application may have a table of that name, with other columns.
  const sql = `SELECT 1 FROM ${table} m WHERE to_jsonb(m) ->> 'name' LIKE $1`;
  return ((await dataSource.query(sql, [ANY_FIRST_SCHEMA])) as unknown[]).length > 0;
}

/** The schema's own note of what a node must know. Schemas of early versions lack the table or its column. */
async function readNote(
  dataSource: DataSource,
  schema: string,
): Promise<{ firstSchema: string | null; oldest: number }> {
  const table = await find(dataSource, `${quoteSchema(schema)}.compatibility`);
  const sql = `SELECT to_jsonb(c) ->> 'first_schema' AS "firstSchema", oldest_migration::float8 AS oldest FROM ${table} c`;
  const rows = table === null ? [] : await dataSource.query(sql);
  return (rows as { firstSchema: string | null; oldest: number }[])[0] ?? { firstSchema: null, oldest: 0 };
}

/** The table's quoted name; null where there is none. */
async function find(dataSource: DataSource, table: string): Promise<string | null> {
  const [row] = (await dataSource.query("SELECT to_regclass($1) AS found", [table])) as { found: string | null }[];
  return row?.found ? table : null;
}

function unreleased(schema: string, found: string | null): TickwheelError {
  const made = `The schema "${schema}" was made by an unreleased version of Tickwheel.`;
  const cure = "Drop the schema, or delete .tickwheel/ if Tickwheel started this Postgres. Nothing has been changed.";
  return new TickwheelError("STORE_INCOMPATIBLE", `${made} ${cure}`, {
    details: { schema, found, expected: FIRST_SCHEMA_HASH },
  });
}

function tooNew(details: { schema: string; oldestMigration: number; newestKnown: number }): TickwheelError {
  const { schema, oldestMigration, newestKnown } = details;
  const known = `they know its migration ${oldestMigration}, this one knows those up to ${newestKnown}`;
  const message = `The schema "${schema}" is for newer nodes: ${known}. Upgrade this node.`;
  return new TickwheelError("STORE_INCOMPATIBLE", message, { details });
}
