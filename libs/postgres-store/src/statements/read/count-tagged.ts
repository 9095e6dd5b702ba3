import type { JoinedConditions } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { writtenAnew } from "../../sql/written-anew.js";
import { hasTags, isLiveOnly } from "./look-source.js";

export interface CountTagged {
  /** Its tags are looked for, in the tables that may hold what it lets in. */
  filter: JoinedConditions;
  limit: number;
}

/**
 * How many tasks of any namespace have all tags of a filter, counted up to `limit`. Plan: a bitmap of the live table's
 * index of tags, then one of each partition of history, until the limit is reached.
 */
export function countTagged({ filter, limit }: CountTagged): Statement<null, number> {
  return writtenAnew({
    name: "count_tagged",
    fixed: [limit],
    textOf: (schema, parameter) => {
      const tagged = hasTags(filter, parameter);
      const tables = isLiveOnly(filter) ? ["task"] : ["task", "history"];
      const parts = tables.map((table) => `SELECT FROM ${schema}.${table} WHERE ${tagged}`);
      return `SELECT count(*)::integer AS count FROM (${parts.join(" UNION ALL ")} LIMIT $1::bigint) t`;
    },
    read: (row) => row.count as number,
  });
}
