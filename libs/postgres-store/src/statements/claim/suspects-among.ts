import { listed, parameters, rows } from "../../sql/parameters.js";
import { arrayRows } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

const [p, values] = parameters<{ ids: readonly string[] }>()({
  ids: rows(({ ids }: { ids: readonly string[] }) => ids, { id: listed("uuid", (id) => id) }),
});

/** Which of these crashed tasks are suspects. Plan: one probe of a small table's primary key per id. */
export const suspectsAmong: Statement<{ ids: readonly string[] }, string> = {
  name: "suspects_among",
  sql: (schema) => `
    SELECT s.task_id::text AS id FROM ${arrayRows(p.ids)} JOIN ${schema}.suspect s ON s.task_id = r.id`,
  values,
  read: (row) => row.id as string,
};
