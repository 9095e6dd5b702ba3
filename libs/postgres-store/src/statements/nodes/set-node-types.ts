import type { BootId, TypeId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Writes which types a live node can run. It waits for no claim: an UPDATE of non-key columns does not conflict with
 * FOR KEY SHARE.
 */
export const setNodeTypes: Statement<{ bootId: BootId; typeIds: readonly TypeId[] }, true> = {
  name: "set_node_types",
  sql: (schema) => `
    UPDATE ${schema}.node SET type_ids = $2::integer[] WHERE boot_id = $1::bigint AND state = 'live' RETURNING true AS done`,
  values: ({ bootId, typeIds }) => [bootId, typeIds],
  read: () => true,
};
