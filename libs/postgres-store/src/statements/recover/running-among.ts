import type { BootId, RunningRow } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { listed, parameters, rows, typed } from "../../sql/parameters.js";
import { arrayRows, stateById } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { runningUnder } from "./running-under.js";

interface RunningAmong {
  owner: BootId;
  ids: readonly string[];
}

const [p, values] = parameters<RunningAmong>()({
  owner: typed("bigint", ({ owner }) => owner),
  ids: rows(({ ids }: RunningAmong) => ids, { id: listed("uuid", (id) => id) }),
});

/** Which of these tasks run under a node. Plan: one probe of the primary key per id. */
export const runningAmong: Statement<RunningAmong, RunningRow> = {
  name: "running_among",
  sql: (schema) => `
    SELECT t.* FROM ${arrayRows(p.ids)}
     CROSS JOIN LATERAL (
       SELECT t.id::text AS id, t.fence, t.cancel_requested_at IS NOT NULL AS cancel_requested FROM ${schema}.task t
        WHERE t.id = r.id AND ${stateById("t")} = ${STATE.running} AND t.owner = ${p.owner} OFFSET 0
     ) t`,
  values,
  read: (row) => runningUnder.read(row),
};
