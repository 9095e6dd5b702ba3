import type { EpochMs, View, ViewNode } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readViewRow, VIEW_FIELDS } from "./read-view.js";

/** Replaces the newest view by the next one. Views are one row, whose lock makes their numbers consecutive. */
export const publishView: Statement<{ nodes: readonly ViewNode[]; term: number; asOf: EpochMs | null }, View> = {
  name: "publish_view",
  sql: (schema) => `
    UPDATE ${schema}.view v SET number = v.number + 1, term = $2::bigint, nodes = $3::json, published_at = ${now("$1")}
    RETURNING ${VIEW_FIELDS}`,
  values: ({ nodes, term, asOf }) => [asOf, term, JSON.stringify(nodes)],
  read: readViewRow,
};
