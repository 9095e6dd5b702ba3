import type { View, ViewNode } from "@tickwheel/core";
import { epochMs } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

/** The newest view. No row: there is none yet. */
export const readView: Statement<null, View> = {
  name: "read_view",
  sql: (schema) => `SELECT ${VIEW_FIELDS} FROM ${schema}.view v WHERE v.number > 0`,
  values: () => [],
  read: readViewRow,
};

export const VIEW_FIELDS = `v.number::float8 AS number, v.term::float8 AS term, v.nodes::text AS nodes, ${epochMs("v.published_at")} AS published_at`;

export function readViewRow(row: RawRow): View {
  return {
    number: Number(row.number),
    term: Number(row.term),
    nodes: JSON.parse(row.nodes as string) as ViewNode[],
    publishedAt: readInstant(row.published_at),
  };
}
