import type { OperationPlan } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { tallyMoves } from "../../sql/batch-sql.js";
import { tallyRisen } from "../../sql/dead-sql.js";
import { type EntrySql, journalled, withChange, writeJournal } from "../../sql/journal-sql.js";
import { type ColumnChanges, withChanges } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { noValue, TASK_COLUMNS, type TaskColumn } from "../../sql/task-columns.js";
import { type ActedTask, type Acting, type ActRequest, type ActSql, actStatement } from "./acting.js";
import { countArchived } from "./count-archived.js";
import { mayHaveKey } from "./key-claims.js";

/**
 * Retries or restores those of a page: what has ended as `retryTask` does one, but that a restore is due as it was
 * scheduled, and keeps a start deadline that lies ahead. Where several want one key, the newest comes back, if nobody
 * has it. A retry makes those that wait after a failed attempt due now; their attempts stay.
 *
 * Rows of both tables are locked before the clock is read; the batches of members before any row is written.
 */
export function retryFound(request: ActRequest): Statement<null, ActedTask> {
  return actStatement("retry_found", request, retried);
}

function retried(acting: Acting): ActSql {
  const { schema, plan, now, locked, remember } = acting;
  const isRetry = plan.action === "retry";
  const back = { at: "w.now", state: String(STATE.scheduled), fence: "w.fence + 1", isWhole: true } as const;
  return {
    ctes: [
      `live AS MATERIALIZED (${locked("task")})`,
      `gone AS MATERIALIZED (${locked("history")})`,
      `clock AS MATERIALIZED (SELECT ${now} AS now FROM (SELECT count(*) FROM live) l CROSS JOIN (SELECT count(*) FROM gone) g)`,
      `found AS MATERIALIZED (
        SELECT f.*, clock.now, ${isOverdue(plan)} AS is_overdue
          FROM (SELECT l.*, false AS archived FROM live l WHERE l.state >= ${STATE.succeeded} UNION ALL SELECT g.*, true FROM gone g) f
          CROSS JOIN clock)`,
      `judged AS MATERIALIZED (
        SELECT f.*, ${mayHaveKey(schema, "f", { wants: "f.key IS NOT NULL", among: "f.is_overdue" })} AS may FROM found f)`,
      ...backCtes(acting),
      `remembered AS (${remember("ended", { ...back, archived: "w.archived" })})`,
      `passed AS (
        SELECT id, CASE WHEN is_overdue THEN 'OVERDUE' ELSE 'KEY_TAKEN' END AS outcome FROM judged WHERE is_overdue OR NOT may)`,
      ...(isRetry ? hurriedCtes(acting) : []),
    ],
    changed: isRetry ? ["back", "hurried"] : ["back"],
    passed: "passed",
    hasResults: true,
  };
}

/** A restore leaves tasks whose time has passed, unless it is to bring them too. */
function isOverdue({ action, options }: OperationPlan): string {
  return action === "restore" && !options.includeOverdue ? "f.scheduled_at <= clock.now" : "false";
}

/** Brings those back that may come. */
function backCtes(acting: Acting): string[] {
  const { schema, keptBytes } = acting;
  const changes = fresh(acting);
  const more = ["ended.state AS was", "ended.archived", `${keptBytes("ended")} AS result_bytes`];
  return [
    `batch AS MATERIALIZED (
        SELECT b.id FROM ${schema}.batch b WHERE b.id IN (SELECT batch_id FROM judged WHERE may AND NOT is_overdue) FOR KEY SHARE)`,
    `ended AS MATERIALIZED (
        SELECT j.* FROM judged j CROSS JOIN (SELECT count(*) FROM batch) locked WHERE j.may AND NOT j.is_overdue)`,
    `back AS MATERIALIZED (${withChanges("ended", changes, more)})`,
    `left_history AS (
        DELETE FROM ${schema}.history h USING ended e WHERE e.archived AND h.id = e.id AND h.finished_at = e.finished_at)`,
    `uncounted AS (${countArchived(schema, "ended", { sign: "-", which: "archived" })})`,
    `tallied AS (${tallyMoves(schema, "ended", { from: "m.state" })})`,
    `risen AS (${tallyRisen(schema, "ended")})`,
    `in_place AS (
        UPDATE ${schema}.task t SET ${Object.keys(changes)
          .map((column) => `${column} = b.${column}`)
          .join(", ")}
          FROM back b WHERE t.id = b.id AND NOT b.archived)`,
    `brought_back AS (
        INSERT INTO ${schema}.task (${TASK_COLUMNS.join(", ")})
        SELECT ${TASK_COLUMNS.join(", ")} FROM back WHERE archived ORDER BY slot, type_id, key)`,
    `journalled AS (${writeJournal(schema, { source: "ended", own: ownEntry("r", acting), recordedAt: "(SELECT now FROM clock)" })})`,
  ];
}

/** Those that wait after a failed attempt. */
function hurriedCtes({ schema, actor, remember }: Acting): string[] {
  const change = { at: "f.now", reason: "'RETRIED'", actor, count: "1" };
  return [
    `failing AS MATERIALIZED (SELECT l.*, clock.now FROM live l CROSS JOIN clock WHERE l.state = ${STATE.scheduled})`,
    `hurried AS (
        UPDATE ${schema}.task t SET due_at = f.now, version = t.version + 1, notes = ${withChange("f", change, () => "false")}
          FROM failing f WHERE t.id = f.id
        RETURNING t.*, f.state AS was, 0 AS result_bytes)`,
    `remembered_failing AS (${remember("failing", { at: "w.now", state: String(STATE.scheduled) })})`,
  ];
}

/** The columns that are set, and their values. `ended` is the task as it ended. */
function fresh(acting: Acting): ColumnChanges {
  const cleared: TaskColumn[] = [
    ...(["owner", "claimed_at", "started_at", "finished_at", "cancel_requested_at", "paused_at", "paused_ms"] as const),
    ...(["cancelled_by", "reason", "result", "last_error", "error_print", "lateness_parts"] as const),
  ];
  const keepsTime = acting.plan.action === "restore";
  return {
    ...Object.fromEntries(cleared.map((column) => [column, noValue(column)])),
    state: String(STATE.scheduled),
    due_at: keepsTime ? "greatest(ended.now, ended.scheduled_at)" : "ended.now",
    start_deadline_at: keepsTime
      ? "CASE WHEN ended.start_deadline_at > ended.now THEN ended.start_deadline_at END"
      : noValue("start_deadline_at"),
    key_live: "ended.key IS NOT NULL",
    version: "ended.version + 1",
    fence: "ended.fence + 1",
    attempt: "0",
    crash_count: "0",
    snooze_count: "0",
    defer_count: "0",
    ...journalled("ended", ownEntry("ended", acting)),
  };
}

function ownEntry(row: string, { plan, actor }: Acting): EntrySql {
  return {
    at: `${row}.now`,
    from: `${row}.state`,
    to: String(STATE.scheduled),
    owner: "NULL",
    fence: `${row}.fence + 1`,
    attempt: "0",
    reason: plan.action === "restore" ? "'RESTORED'" : "'RETRIED'",
    actor,
  };
}
