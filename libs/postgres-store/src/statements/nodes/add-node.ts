import type { EpochMs, NodeRegistration } from "@tickwheel/core";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface AddNode extends NodeRegistration {
  asOf: EpochMs | null;
}

const [p, values] = parameters<AddNode>()({
  asOf,
  bootId: typed("bigint", ({ bootId }) => bootId),
  label: ({ label }) => label,
  version: ({ version }) => version,
  roles: typed("text[]", ({ roles }) => roles),
  typeIds: typed("integer[]", ({ typeIds }) => typeIds),
  name: ({ name = null }) => name,
});

/** Inserts a node's row, live. */
export const addNode: Statement<AddNode, never> = {
  name: "add_node",
  sql: (schema) => `
    INSERT INTO ${schema}.node (boot_id, label, version, roles, type_ids, state, joined_at, name)
    VALUES (${p.bootId}, ${p.label}, ${p.version}, ${p.roles}, ${p.typeIds}, 'live', ${now(p.asOf)}, ${p.name})`,
  values,
  read: (row) => row as never,
};
