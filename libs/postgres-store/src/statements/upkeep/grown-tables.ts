import type { QuotedSchema, Statement } from "../../connection/session.js";

/** In blocks: if the planner knows a table to be this large, every plan uses an index. */
const LARGE = 256;
/** In blocks: a smaller table is read whole just as quickly. */
const SMALL = 16;
/** A table that is this many times larger than the planner knows has grown. */
const GROWTH = 4;

/**
 * The names of tables of tasks, history and journal that the planner believes to be small but that have grown.
 *
 * Plan: the catalogue's rows of our schema, and the file size of each table that the planner believes to be small.
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

/** A tenth of the server's default: 3,000 rows are read. The default reads 30,000, which takes 50 ms. */
const STATISTICS_TARGET = 10;

/**
 * Tells the planner how large a table is; every session then makes its plans of it anew. Only one column is analysed,
 * so that the server's own analysis of all columns comes when it would have come anyway. Answers no row. A role that
 * lacks the right changes nothing.
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
