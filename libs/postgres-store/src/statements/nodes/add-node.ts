import type { EpochMs, NodeRegistration } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Inserts a node's row, live. */
export const addNode: Statement<NodeRegistration & { asOf: EpochMs | null }, never> = {
  name: "add_node",
  sql: (schema) => `
    INSERT INTO ${schema}.node (boot_id, label, version, roles, type_ids, state, joined_at)
    VALUES ($2::bigint, $3, $4, $5::text[], $6::integer[], 'live', ${now("$1")})`,
  values: ({ bootId, label, version, roles, typeIds, asOf }) => [asOf, bootId, label, version, roles, typeIds],
  read: (row) => row as never,
};
