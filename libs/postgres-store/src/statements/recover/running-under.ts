import type { BootId, RunningRow } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

/** The tasks that run under a node. Plan: the index of running tasks by owner. */
export const runningUnder: Statement<{ owner: BootId }, RunningRow> = {
  name: "running_under",
  sql: (schema) => `
    SELECT id::text AS id, fence, cancel_requested_at IS NOT NULL AS cancel_requested
      FROM ${schema}.task WHERE state = ${STATE.running} AND owner = $1::bigint`,
  values: ({ owner }) => [owner],
  read: (row) => ({
    id: row.id as string,
    fence: Number(row.fence),
    cancelRequested: row.cancel_requested as boolean,
  }),
};
