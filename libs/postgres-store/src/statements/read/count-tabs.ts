import {
  type EpochMs,
  MAX_COUNTED_IN_TAB,
  MAX_LOOKED_AT_FAILING,
  type TabCount,
  type TabCounts,
  TASK_TABS,
  type TaskTab,
} from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/** One more than is counted, so that more can be told from exactly so many. */
const MOST = MAX_COUNTED_IN_TAB + 1;
/** How many scheduled tasks of each type are looked at for failing ones, also where there are very many types. */
const LEAST_OF_TYPE = 100;

/**
 * How many tasks of a namespace each tab has: one row.
 *
 * Cost: of each tab at most 100,001 entries of its index, index only where the table has been vacuumed (10 ms for each
 * 100,000); all running tasks; the rows of at most 20,000 scheduled tasks, those of each type that are due first; the
 * counters of what finished, as `taskStats` reads them. History is never read.
 */
export const countTabs: Statement<{ namespace: string; asOf: EpochMs | null }, TabCounts> = {
  name: "count_tabs",
  sql: (schema) => {
    const ofEachType = (condition: string): string => `(
      SELECT count(*) FROM (
        SELECT FROM kinds k CROSS JOIN LATERAL (
          SELECT FROM ${schema}.task WHERE type_id = k.id AND ${condition} LIMIT ${MOST}) t LIMIT ${MOST}) c)::float8`;
    const isLeaving = `state >= ${STATE.succeeded} AND state IN (${STATE.succeeded}, ${STATE.cancelled}, ${STATE.expired})`;
    return `
    WITH clock AS MATERIALIZED (SELECT ${now("$2")} AS now),
    kinds AS MATERIALIZED (SELECT id FROM ${schema}.type WHERE namespace = $1),
    looked AS MATERIALIZED (
      SELECT t.* FROM kinds k CROSS JOIN LATERAL (
        SELECT attempt > 0 OR last_error IS NOT NULL AS is_failing FROM ${schema}.task WHERE state = ${STATE.scheduled} AND type_id = k.id
         ORDER BY due_at, id LIMIT (SELECT greatest(${LEAST_OF_TYPE}, ${MAX_LOOKED_AT_FAILING} / greatest(1, count(*))) FROM kinds)
      ) t LIMIT ${MAX_LOOKED_AT_FAILING}
    )
    SELECT ${epochMs("clock.now")} AS counted_at,
           ${ofEachType(`state = ${STATE.scheduled} AND due_at <= (SELECT now FROM clock)`)} AS overdue,
           ${ofEachType(`state = ${STATE.scheduled} AND due_at > (SELECT now FROM clock)`)} AS scheduled,
           ${ofEachType(`state = ${STATE.paused}`)} AS paused,
           ${ofEachType(`state = ${STATE.dead}`)} AS dead,
           (SELECT count(*) FROM ${schema}.task WHERE state = ${STATE.running} AND owner IS NOT NULL AND type_id IN (SELECT id FROM kinds))::float8 AS running,
           (SELECT count(*) FROM looked WHERE is_failing)::float8 AS failing,
           (SELECT count(*) FROM looked)::float8 AS looked_at,
           (SELECT count(*) FROM (SELECT FROM ${schema}.task WHERE ${isLeaving} AND type_id IN (SELECT id FROM kinds) LIMIT ${MOST}) l)::float8 AS leaving,
           (SELECT coalesce(sum(succeeded + cancelled + expired), 0) FROM ${schema}.tally WHERE type_id IN (SELECT id FROM kinds))::float8 AS kept
      FROM clock`;
  },
  values: ({ namespace, asOf }) => [namespace, asOf],
  read: (row) => ({
    countedAt: readInstant(row.counted_at),
    counts: Object.fromEntries(TASK_TABS.map((tab) => [tab, COUNTS[tab](row)])) as Record<TaskTab, TabCount>,
  }),
};

const COUNTS: Record<TaskTab, (row: RawRow) => TabCount> = {
  overdue: (row) => capped(row.overdue),
  running: (row) => ({ count: Number(row.running), isAtLeast: false }),
  scheduled: (row) => capped(row.scheduled),
  paused: (row) => capped(row.paused),
  failing: ({ failing, looked_at, overdue, scheduled }) => ({
    count: Number(failing),
    isAtLeast: Number(looked_at) < Number(overdue) + Number(scheduled),
  }),
  dead: (row) => capped(row.dead),
  finished: ({ leaving, kept }) => {
    const left = capped(leaving);
    return { ...left, count: left.count + Math.max(0, Number(kept)) };
  },
};

function capped(counted: unknown): TabCount {
  const count = Number(counted);
  return { count: Math.min(count, MAX_COUNTED_IN_TAB), isAtLeast: count > MAX_COUNTED_IN_TAB };
}
