import type { BootId, NodeVitals } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** Inserts a node's heartbeat row, beat 0. */
export const addHeartbeat: Statement<{ bootId: BootId; vitals: NodeVitals }, never> = {
  name: "add_heartbeat",
  sql: (schema) => `INSERT INTO ${schema}.heartbeat (boot_id, beat, vitals) VALUES ($1::bigint, 0, $2::json)`,
  values: ({ bootId, vitals }) => [bootId, JSON.stringify(vitals)],
  read: (row) => row as never,
};
