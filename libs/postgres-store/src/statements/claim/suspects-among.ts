import { arrayRows } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Which of these crashed tasks are suspects. Plan: one probe of a small table's primary key per id. */
export const suspectsAmong: Statement<{ ids: readonly string[] }, string> = {
  name: "suspects_among",
  sql: (schema) => `
    SELECT s.task_id::text AS id FROM ${arrayRows(["$1::uuid[]"], "id")} JOIN ${schema}.suspect s ON s.task_id = r.id`,
  values: ({ ids }) => [ids],
  read: (row) => row.id as string,
};
