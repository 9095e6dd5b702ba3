import type { BootId } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Locks a node's heartbeat row, the first in the lock order, and answers its beat. */
export const lockHeartbeat: Statement<{ bootId: BootId }, number> = {
  name: "lock_heartbeat",
  sql: (schema) => `SELECT beat::float8 AS beat FROM ${schema}.heartbeat WHERE boot_id = $1::bigint FOR UPDATE`,
  values: ({ bootId }) => [bootId],
  read: (row) => Number(row.beat),
};
