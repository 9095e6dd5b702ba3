import type { NodeBeat, NodeVitals } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/** The beats of all nodes that have a heartbeat row. */
export const readBeats: Statement<null, NodeBeat> = {
  name: "read_beats",
  sql: (schema) => `
    SELECT h.boot_id::text AS boot_id, n.label, h.beat::float8 AS beat, h.vitals::text AS vitals
      FROM ${schema}.heartbeat h JOIN ${schema}.node n ON n.boot_id = h.boot_id`,
  values: () => [],
  read: (row) => ({
    bootId: row.boot_id as string,
    label: row.label as string,
    beat: Number(row.beat),
    vitals: JSON.parse(row.vitals as string) as NodeVitals,
  }),
};
