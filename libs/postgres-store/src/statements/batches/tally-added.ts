import type { Statement } from "../../connection/session.js";

/** Tallies members that this transaction has added. Plan: one insert. */
export const tallyAdded: Statement<{ batchId: string; added: number }, never> = {
  name: "tally_added_members",
  sql: (schema) => `INSERT INTO ${schema}.batch_tally (batch_id, total) VALUES ($1::uuid, $2::integer)`,
  values: ({ batchId, added }) => [batchId, added],
  read: (row) => row as never,
};
