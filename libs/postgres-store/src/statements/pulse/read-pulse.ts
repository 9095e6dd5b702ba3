import { type EpochMs, type Pulse, PULSE_AHEAD_MS, type PulseRequest } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now } from "../../sql/sql-fragments.js";
import { MAY_CHANGE } from "../batches/batches-to-review.js";
import { NEVER_STARTED } from "../end/expire-tasks.js";
import { MAKES_PAGES } from "../operation-rows/due-operations.js";
import { deadOwners } from "../recover/dead-owners.js";
import { LOOK_HAS_COME } from "../schedules/lock-schedules.js";
import { TIMELINE } from "../server/timeline.js";
import { FOR_HISTORY } from "../upkeep/archive-tasks.js";

const [p, values] = parameters<PulseRequest & { asOf: EpochMs | null }>()({
  asOf,
  expiring: typed("integer[]", ({ expiring }) => expiring),
  asksOwners: typed("boolean", ({ asksOwners }) => asksOwners),
});

/**
 * Whether there is anything to do for the chores that look each second, in one round trip.
 *
 * Plan: of each chore's own index the first entry, and one probe for each type that is asked for and, on the leader,
 * for each node. So it takes as long with many open batches as with one: whether a review would change them is asked
 * by the review.
 */
export const readPulse: Statement<PulseRequest & { asOf: EpochMs | null }, Pulse> = {
  name: "pulse",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now)
    SELECT ${TIMELINE} AS timeline,
      EXISTS (SELECT FROM ${schema}.task WHERE ${FOR_HISTORY}) AS ended_tasks,
      EXISTS (SELECT FROM ${schema}.task t
               WHERE ${NEVER_STARTED} AND t.type_id = ANY (${p.expiring})
                 AND t.start_deadline_at < (SELECT now FROM clock)) AS late_tasks,
      CASE WHEN ${p.asksOwners} THEN EXISTS (${deadOwners.sql(schema)}) END AS dead_owners,
      EXISTS (SELECT FROM ${schema}.dead_tally) AS dead_tallies,
      EXISTS (SELECT FROM ${schema}.batch_tally) AS batch_tallies,
      EXISTS (SELECT FROM ${schema}.batch b WHERE ${MAY_CHANGE}) AS open_batches,
      EXISTS (SELECT FROM ${schema}.operation o
               WHERE ${MAKES_PAGES}
                 AND o.next_at <= (SELECT now + interval '${PULSE_AHEAD_MS} milliseconds' FROM clock)) AS due_operations,
      EXISTS (SELECT FROM ${schema}.schedule s WHERE ${LOOK_HAS_COME}) AS due_schedules`,
  values,
  read: (row) => ({
    timeline: (row.timeline as string | null) ?? null,
    endedTasks: row.ended_tasks as boolean,
    lateTasks: row.late_tasks as boolean,
    deadOwners: (row.dead_owners as boolean | null) ?? null,
    deadTallies: row.dead_tallies as boolean,
    batchTallies: row.batch_tallies as boolean,
    openBatches: row.open_batches as boolean,
    dueOperations: row.due_operations as boolean,
    dueSchedules: row.due_schedules as boolean,
  }),
};
