import type { QuotedSchema, Statement } from "../../connection/session.js";

/** Of a table this large, as the planner knows it, every plan goes by index. In blocks. */
const LARGE = 256;
/** A table of fewer blocks is read as quickly whole. */
const SMALL = 16;
/** A table that is so many times larger than the planner knows has grown. */
const GROWTH = 4;

/**
 * The names of tables of tasks, history and journal that are small as far as the planner knows and are not any more.
 *
 * Plan: the catalogue's rows of our schema; the size of a file for each table that is known to be small.
 */
export const grownTables: Statement<null, string> = {
  name: "grown_tables",
  sql: (schema) => `
    SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^(task$|history_|journal_)'
       AND CASE WHEN c.relpages < ${LARGE}
                THEN pg_relation_size(c.oid) / current_setting('block_size')::integer >= greatest(${SMALL}, ${GROWTH} * c.relpages) END`,
  values: () => [],
  read: (row) => row.name as string,
};

/** A tenth of the server's default: 3,000 rows are read instead of 30,000, which would take 50 ms. */
const STATISTICS_TARGET = 10;

/**
 * Tells the planner how large a table is, and that every plan of it, of whatever session, is to be made anew. One
 * column is looked at, so that the server's own look at all of them comes when it would have come. No row. Whoever may
 * not, changes nothing.
 */
export function sizeUp(name: string): Statement<null, never> {
  const column = name.startsWith("journal") ? "task_id" : "id";
  return {
    name: "size_up",
    isPrepared: false,
    sql: (schema: QuotedSchema) =>
      `SET LOCAL default_statistics_target = ${STATISTICS_TARGET}; ANALYZE (SKIP_LOCKED) ${schema}.${name} (${column})`,
    values: () => [],
    read: (row) => row as never,
  };
}
