import { checkHistory, type HistoryEvent, RULE_NAMES, type RuleName } from "@tickwheel/simulation";
import type { TaskRow } from "@tickwheel/testing";
import type { Acknowledged } from "../invariants.js";
import type { Effect, End, Ledger, Start } from "../ledger.js";

/** What is known of a run of real processes: from its callers, from its handlers and, at its end, from the rows. */
export interface WatchedRun {
  acknowledged: readonly Acknowledged[];
  starts: readonly Start[];
  ends: readonly End[];
  effects: readonly Effect[];
  /** Live tasks and ended ones. */
  rows: readonly TaskRow[];
}

/** The clocks of processes show whole milliseconds, cut off. */
const CLOCK_GRAIN_MS = 1;
/** How late something was depends on the machine: that is printed, and judged by benchmarks. */
const NOT_JUDGED: readonly RuleName[] = RULE_NAMES.filter((rule) => rule.startsWith("lateness"));

/**
 * What the judge of the simulation finds in a run of real processes: each of its rules that needs no row changes. A
 * type of which one task has an effect has one for each success. Pure.
 *
 * @returns the broken rules, one sentence each; empty if all hold
 */
export function brokenRulesIn(run: WatchedRun): string[] {
  const events = eventsOf(run).sort((one, other) => one.monoMs - other.monoMs);
  const endMs = events.at(-1)?.monoMs ?? 0;
  const rest: HistoryEvent = { kind: "rest", ...instant(endMs), isEnd: true, rows: run.rows, nodes: [] };
  const withEffect = new Set(run.effects.map(({ taskId }) => taskId));
  const transactionalTypeIds = run.rows.filter(({ id }) => withEffect.has(id)).map(({ typeId }) => typeId);
  const options = { transactionalTypeIds: [...new Set(transactionalTypeIds)] };
  return checkHistory({ events: [...events, rest], options })
    .filter(({ rule }) => !NOT_JUDGED.includes(rule))
    .map(({ rule, taskId, message }) => `${rule}: task ${taskId}: ${message}`);
}

/**
 * Every task that Tickwheel's tables hold, as far as the rules read it.
 *
 * @param goesOn the type whose tasks go on: one of them that runs just now is left out. Default: none goes on
 */
export async function rowsAtRest(ledger: Ledger, goesOn = ""): Promise<TaskRow[]> {
  const columns = `id::text AS id, type_id AS "typeId", version, fence, reason, owner::text AS owner,
    COALESCE(payload::text, 'null') AS payload,
    CASE state WHEN -1 THEN 'paused' WHEN 0 THEN 'scheduled' WHEN 1 THEN 'running' WHEN 2 THEN 'succeeded'
               WHEN 3 THEN 'dead' WHEN 4 THEN 'cancelled' WHEN 5 THEN 'expired' END AS state,
    ${["due_at", "start_deadline_at", "finished_at"].map(asMs).join(", ")}`;
  return ledger.query<TaskRow>(
    `SELECT ${columns} FROM tickwheel.task
      WHERE state <> 1 OR type_id NOT IN (SELECT y.id FROM tickwheel.type y WHERE y.type = '${goesOn}')
      UNION ALL SELECT ${columns} FROM tickwheel.history`,
  );
}

function asMs(column: string): string {
  const [first, ...others] = column.split("_");
  const name = [first, ...others.map((word) => word[0]!.toUpperCase() + word.slice(1))].join("");
  return `date_part('epoch', ${column}) * 1000 AS "${name}"`;
}

/** One clock serves as both: all processes run on one machine. */
function instant(atMs: number): { at: number; monoMs: number } {
  return { at: atMs, monoMs: atMs };
}

function eventsOf({ acknowledged, starts, ends, effects }: WatchedRun): HistoryEvent[] {
  return [
    ...acknowledged.flatMap(acknowledgementsOf),
    ...starts.map((start): HistoryEvent => {
      const { taskId, fence, node: bootId, dueAtMs: dueAt, atMs, calledAtMs } = start;
      const calledMs = calledAtMs ?? atMs;
      const at = calledMs + CLOCK_GRAIN_MS;
      return { kind: "started", taskId, fence, bootId, finder: null, dueAt, at, monoMs: calledMs };
    }),
    ...ends.flatMap(({ taskId, fence, node: bootId, returnedAtMs, abortedAtMs }): HistoryEvent[] => {
      const ended: HistoryEvent = { kind: "ended", taskId, fence, bootId, ...instant(returnedAtMs) };
      if (abortedAtMs === null) return [ended];
      return [{ kind: "timed-out", taskId, fence, bootId, ...instant(abortedAtMs) }, ended];
    }),
    ...effects.map(({ taskId, fence, node: bootId, atMs }): HistoryEvent => ({
      kind: "effect",
      taskId,
      fence,
      bootId,
      step: null,
      commit: null,
      ...instant(atMs),
    })),
  ];
}

function acknowledgementsOf({ id, atMs = 0, cancel, cancelAnswer }: Acknowledged): HistoryEvent[] {
  const created: HistoryEvent = {
    kind: "create-acknowledged",
    taskIds: [id],
    idempotencyKey: null,
    commit: null,
    ...instant(atMs),
  };
  if (!cancelAnswer || cancel === null || cancel === "unanswered") return [created];
  const { fence, atMs: answeredMs } = cancelAnswer;
  return [
    created,
    { kind: "cancel-acknowledged", taskId: id, outcome: cancel, fence, commit: null, ...instant(answeredMs) },
  ];
}
