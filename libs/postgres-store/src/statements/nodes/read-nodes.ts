import type { NodeRecord, NodeState, TypeId } from "@tickwheel/core";
import { epochMs } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

/** All node rows, dead ones included. */
export const readNodes: Statement<null, NodeRecord> = {
  name: "read_nodes",
  sql: (schema) => `
    SELECT boot_id::text AS boot_id, label, version, to_json(roles)::text AS roles, to_json(type_ids)::text AS type_ids, state,
           ${epochMs("joined_at")} AS joined_at, ${epochMs("ended_at")} AS ended_at, name
      FROM ${schema}.node ORDER BY node.joined_at, node.boot_id`,
  values: () => [],
  read: (row) => ({
    bootId: row.boot_id as string,
    label: row.label as string,
    version: row.version as string,
    roles: JSON.parse(row.roles as string) as string[],
    typeIds: JSON.parse(row.type_ids as string) as TypeId[],
    state: row.state as NodeState,
    joinedAt: readInstant(row.joined_at),
    ...(row.ended_at === null ? {} : { endedAt: readInstant(row.ended_at) }),
    ...(row.name === null ? {} : { name: row.name as string }),
  }),
};
