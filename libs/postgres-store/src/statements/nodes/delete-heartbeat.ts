import type { BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Deletes a heartbeat row that this transaction has locked. */
export const deleteHeartbeat: Statement<{ bootId: BootId }, never> = {
  name: "delete_heartbeat",
  sql: (schema) => `DELETE FROM ${schema}.heartbeat WHERE boot_id = $1::bigint`,
  values: ({ bootId }) => [bootId],
  read: (row) => row as never,
};
