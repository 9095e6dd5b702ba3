import { deadlineBehind, type FaultSpan, isNodeLoss, LEAVING, outagesIn } from "./fault-spans.js";
import type { HandlerStarted, HistoryEvent, NodeEvent, RowChanged } from "./history-event.js";
import type { IndexedRun } from "./indexed-history.js";
import { FULL_SWEEP_HARD_MS, LATENESS_SITUATIONS, type LatenessSituation } from "./lateness-promises.js";
import type { Execution } from "./task-history.js";
import { isLedAt, leaderReplacedMonoMs, newLeadersFromMonoMs, watchedFromMonoMs } from "./witnesses.js";

/** How late a start was, and what it went through. All by the observer's clock, in milliseconds. */
export interface Lateness {
  taskId: string;
  start: HandlerStarted;
  scheduling: RowChanged | null;
  situation: LatenessSituation;
  /** From when on it could have started: due and committed, and nothing in the way. */
  readyMonoMs: number;
  latenessMs: number;
  hardMs: number;
}

/** The rules of one history ask for the same. */
const measured = new WeakMap<IndexedRun, readonly Lateness[]>();

/** The lateness of the first call of every execution's handler. */
export function latenessOf(known: IndexedRun): readonly Lateness[] {
  const lateness = measured.get(known) ?? measure(known);
  measured.set(known, lateness);
  return lateness;
}

function measure(known: IndexedRun): Lateness[] {
  return known.executions.flatMap((execution) => {
    const { task } = execution;
    const start = execution.starts[0];
    // A suspect waits for the ones before it, as long as they run.
    if (!start || known.suspects.has(execution)) return [];
    const wait = waitOf(known, execution, start);
    const latenessMs = Math.max(0, start.monoMs - wait.readyMonoMs);
    return { taskId: task.id, start, scheduling: execution.scheduling, ...wait, latenessMs };
  });
}

/**
 * When the row was both committed and due, by the observer's clock. Where the database's clock was stepped meanwhile,
 * its readings before and after belong to different offsets, so the way back from the start is walked step by step.
 */
export function dueMonoMs(
  faults: readonly FaultSpan[],
  { start, scheduling, dueAt }: { start: HandlerStarted; scheduling: RowChanged | null; dueAt: number },
): number {
  const committedMonoMs = scheduling?.monoMs ?? -Infinity;
  let offsetMs = start.at - start.monoMs;
  let due = dueAt - offsetMs;
  for (let place = faults.length - 1; place >= 0; place--) {
    const { fault, beganMonoMs } = faults[place]!;
    if (fault.name !== "clock-step" || beganMonoMs > start.monoMs) continue;
    if (due > beganMonoMs || beganMonoMs < committedMonoMs) break;
    offsetMs -= fault.stepMs;
    due = Math.min(dueAt - offsetMs, beganMonoMs);
  }
  return Math.max(due, committedMonoMs);
}

type Wait = Pick<Lateness, "situation" | "readyMonoMs" | "hardMs">;

function waitOf(known: IndexedRun, execution: Execution, start: HandlerStarted): Wait {
  const { scheduling } = execution;
  const dueAt = execution.claims[0]?.after?.dueAt ?? start.dueAt;
  const due = dueMonoMs(known.faults, { start, scheduling, dueAt });
  let wait = normalWait(known, due, start);
  const lost = lossBehind(known, scheduling);
  if (lost) {
    const withinMs = known.options.lateness["node-lost-rerun"].hardMs;
    const from = watchedFromMonoMs(known, { fromMonoMs: lost.beganMonoMs, withinMs });
    wait = worse(wait, known, { situation: "node-lost-rerun", from });
  } else if (scheduling && dueAt < scheduling.at - known.options.sweepLookbackMs) wait.hardMs = FULL_SWEEP_HARD_MS;
  if (isUnannounced(known, execution, wait.readyMonoMs)) {
    wait = worse(wait, known, { situation: "redis-away", from: wait.readyMonoMs });
    // Nor is a new view announced: the one that owns the task from now on reads it a heartbeat later.
    const { coordination, heartbeatIntervalMs } = known.options;
    const isHandedOver = coordination === "none" && hasEvent(known, ["joined", ...LEAVING], spanOf(known, wait, start));
    if (isHandedOver) wait.hardMs += heartbeatIntervalMs;
  }
  for (const span of known.faults) {
    const isMet = span.beganMonoMs <= wait.readyMonoMs + wait.hardMs && span.recoveredMonoMs >= wait.readyMonoMs;
    if (isMet && span.beganMonoMs <= start.monoMs) wait = after(wait, known, { span, execution });
  }
  if (!lost) return wait;
  const bound = { fromMonoMs: wait.readyMonoMs, withinMs: wait.hardMs };
  return { ...wait, readyMonoMs: newLeadersFromMonoMs(known, bound) };
}

/**
 * No hint can be sent of what a caller's own transaction wrote, or where no message arrives: until the next load only a
 * sweep finds it.
 */
function isUnannounced({ faults, options }: IndexedRun, { task, scheduling }: Execution, dueMonoMs: number): boolean {
  if (scheduling === null || dueMonoMs - scheduling.monoMs >= options.reloadIntervalMs) return false;
  if (options.coordination === "none") return true;
  return faults.some(
    ({ fault, beganMonoMs, endedMonoMs }) =>
      fault.name === "row-lock" &&
      fault.taskId === task.id &&
      beganMonoMs <= scheduling.monoMs &&
      scheduling.monoMs <= endedMonoMs,
  );
}

/**
 * A rolling restart is no fault and promises more than a lost hint does, as long as somebody leads: who goes when
 * nobody can leave it out of the view is as good as lost.
 */
function normalWait(known: IndexedRun, readyMonoMs: number, start: HandlerStarted): Wait {
  const { options } = known;
  const isHandOver = hasEvent(known, ["goodbye"], spanOf(known, { readyMonoMs }, start));
  if (isHandOver && !isLedAt(known, readyMonoMs))
    return { situation: "node-lost", readyMonoMs, hardMs: options.lateness["node-lost"].hardMs };
  const situation = isHandOver ? "drain" : "normal";
  return { situation, readyMonoMs, hardMs: options.lateness[situation].hardMs };
}

/** From a load before it was ready until its start. */
function spanOf(
  { options }: IndexedRun,
  { readyMonoMs }: Pick<Wait, "readyMonoMs">,
  { monoMs }: HandlerStarted,
): { fromMonoMs: number; untilMonoMs: number } {
  return { fromMonoMs: readyMonoMs - options.reloadIntervalMs, untilMonoMs: monoMs };
}

function hasEvent(
  { nodeEvents }: IndexedRun,
  kinds: readonly HistoryEvent["kind"][],
  { fromMonoMs, untilMonoMs }: { fromMonoMs: number; untilMonoMs: number },
): boolean {
  const isMeant = ({ kind, monoMs }: NodeEvent): boolean =>
    kinds.includes(kind) && monoMs >= fromMonoMs && monoMs <= untilMonoMs;
  return [...nodeEvents.values()].some((events) => events.some(isMeant));
}

/** What a fault adds to a wait that met it. */
function after(wait: Wait, known: IndexedRun, { span, execution }: { span: FaultSpan; execution: Execution }): Wait {
  const { fault, beganMonoMs, endedMonoMs } = span;
  const ended = Math.max(wait.readyMonoMs, endedMonoMs);
  const began = Math.max(wait.readyMonoMs, beganMonoMs);
  switch (fault.name) {
    case "postgres-away":
    case "failover":
      return worse(wait, known, { situation: "postgres-restarted", from: ended });
    case "no-node":
      return worse(wait, known, { situation: "node-lost", from: ended });
    case "clock-step":
      return worse(wait, known, { situation: "clock-stepped", from: began });
    case "loop-blocked": {
      const isItsOwn = execution.claims[0]?.after?.owner === fault.bootId;
      // A leader whose loop is blocked watches nobody.
      const isRerun = wait.situation === "node-lost-rerun";
      const over = isRerun ? Math.max(began, leaderReplacedMonoMs(known, span)) : began;
      return worse(wait, known, { situation: "loop-blocked", from: isItsOwn ? ended : over });
    }
    case "crash":
    case "pause":
    case "postgres-cut":
      if (isPausedOwner(execution, span)) return worse(wait, known, { situation: "node-lost", from: ended });
      if (isTakenOver(wait, known, span)) return wait;
      return worse(wait, known, {
        situation: "node-lost",
        from: Math.max(wait.readyMonoMs, leaderReplacedMonoMs(known, span)),
      });
    case "redis-away":
    case "redis-cut":
    case "hints-lost":
      return worse(wait, known, { situation: "redis-away", from: wait.readyMonoMs });
    case "overload":
      return worse(wait, known, { situation: "redis-away", from: ended });
    case "row-lock":
      if (fault.taskId !== execution.account.taskId) return wait;
      return worse(wait, known, { situation: "redis-away", from: ended });
  }
}

/**
 * The others have taken over from a lost node, however long it stays away. One whose beats arrive keeps its slots: they
 * are stolen from.
 */
function isTakenOver(
  { readyMonoMs }: Wait,
  { options, faults }: IndexedRun,
  { fault, beganMonoMs }: FaultSpan,
): boolean {
  if ("way" in fault && fault.way === "in") return false;
  const withinMs = options.lateness["node-lost-rerun"].hardMs;
  return readyMonoMs > deadlineBehind(outagesIn(faults), { fromMonoMs: beganMonoMs, withinMs });
}

/** What a node had claimed when it was paused may start when it goes on. */
function isPausedOwner({ claims }: Execution, { fault, endedMonoMs }: FaultSpan): boolean {
  const claim = claims[0];
  if (!claim || !isNodeLoss(fault) || fault.name === "crash") return false;
  return claim.after?.owner === fault.bootId && claim.monoMs <= endedMonoMs;
}

function worse(
  wait: Wait,
  { options }: IndexedRun,
  { situation, from }: { situation: LatenessSituation; from: number },
): Wait {
  const learnMs = situation === "clock-stepped" ? options.clockResampleMs : 0;
  const rank = (name: LatenessSituation): number => LATENESS_SITUATIONS.indexOf(name);
  return {
    situation: rank(situation) < rank(wait.situation) ? situation : wait.situation,
    readyMonoMs: from,
    hardMs: Math.max(wait.hardMs, options.lateness[situation].hardMs + learnMs),
  };
}

/** The loss of the node from which a reap has taken the task, whose first crash costs no wait. */
function lossBehind({ faults }: IndexedRun, scheduling: RowChanged | null): FaultSpan | null {
  if (scheduling?.statement !== "reap" || scheduling.after?.crashCount !== 1) return null;
  const owner = scheduling.before?.owner;
  const loss = faults.findLast(
    ({ fault, beganMonoMs }) =>
      (isNodeLoss(fault) || fault.name === "loop-blocked") &&
      fault.bootId === owner &&
      beganMonoMs <= scheduling.monoMs,
  );
  return loss ?? null;
}
