import type { EpochMs, NodeRegistration } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Inserts a node's row, live. */
export const addNode: Statement<NodeRegistration & { asOf: EpochMs | null }, never> = {
  name: "add_node",
  sql: (schema) => `
    INSERT INTO ${schema}.node (boot_id, label, version, roles, type_ids, state, joined_at, name)
    VALUES ($2::bigint, $3, $4, $5::text[], $6::integer[], 'live', ${now("$1")}, $7)`,
  values: ({ bootId, label, version, roles, typeIds, name = null, asOf }) => [
    asOf,
    bootId,
    label,
    version,
    roles,
    typeIds,
    name,
  ],
  read: (row) => row as never,
};
