import type { BootId, NodeVitals } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Raises the beat by 1, found by boot id alone. No row: the others have declared this node dead. It is a HOT update of
 * a small row.
 */
export const raiseBeat: Statement<{ bootId: BootId; vitals: NodeVitals }, number> = {
  name: "raise_beat",
  sql: (schema) => `
    UPDATE ${schema}.heartbeat SET beat = beat + 1, vitals = $2::json WHERE boot_id = $1::bigint RETURNING beat::float8 AS beat`,
  values: ({ bootId, vitals }) => [bootId, JSON.stringify(vitals)],
  read: (row) => Number(row.beat),
};
