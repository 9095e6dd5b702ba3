import type { BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Copies what the node's last beat told of a blocked loop to the node's row, which this transaction has locked. */
export const keepBlockedLoop: Statement<{ bootId: BootId }, never> = {
  name: "keep_blocked_loop",
  sql: (schema) => `
    UPDATE ${schema}.node n SET blocked = h.vitals -> 'blocked' FROM ${schema}.heartbeat h
     WHERE n.boot_id = $1::bigint AND h.boot_id = n.boot_id AND h.vitals ->> 'blocked' IS NOT NULL`,
  values: ({ bootId }) => [bootId],
  read: (row) => row as never,
};
