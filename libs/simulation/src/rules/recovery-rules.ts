import { type BootId, CONSUMER } from "@tickwheel/core";
import { deadlineBehind, type FaultSpan, isNodeLoss } from "../history/fault-spans.js";
import type { HistoryEvent } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import { type Execution, isPulled, type TaskHistory } from "../history/task-history.js";
import { leaderReplacedMonoMs, newLeadersFromMonoMs, watchedFromMonoMs } from "../history/witnesses.js";

/** What is stuck comes free. */
export const recoveryRules = { "orphan-reaped": orphanReaped, "in-doubt-released": inDoubtReleased } satisfies Rules;

/**
 * [no-orphan]: a row that runs under a node which crashed leaves `running` within the bound of [lateness-bounds], under
 * one that was declared dead for another cause within what is left of it. Postgres away, no node there or the loss of
 * another, perhaps of the leader, start the bound anew.
 */
function orphanReaped(known: IndexedRun): Finding[] {
  return findingsIn(known.executions, (execution) => {
    const { task } = execution;
    const loss = lossOf(known, execution);
    const claim = execution.claims[0];
    if (!loss || !claim || (execution.exit && execution.exit.monoMs < loss.event.monoMs)) return null;
    const lostMonoMs = Math.max(loss.event.monoMs, claim.monoMs);
    const { withinMs } = loss;
    const fromMonoMs = watchedFromMonoMs(known, { fromMonoMs: lostMonoMs, withinMs });
    const obstacles = known.faults.flatMap((span) => obstacleToReap(known, span, { owner: claim.after!.owner, task }));
    const hindered = deadlineBehind(obstacles, { fromMonoMs, withinMs });
    const deadline = newLeadersFromMonoMs(known, { fromMonoMs: hindered - withinMs, withinMs }) + withinMs;
    if (isOver(execution.exit, deadline, known)) return null;
    const message = `it still ran under lost node ${claim.after!.owner} after ${deadline - fromMonoMs} ms`;
    return finding(task.id, message, [claim, loss.event, execution.exit]);
  });
}

function lossOf(known: IndexedRun, { claims }: Execution): { event: HistoryEvent; withinMs: number } | null {
  const owner = claims[0]?.after?.owner;
  if (owner == null || owner === CONSUMER) return null;
  const { lateness, deadAfterBeats, heartbeatIntervalMs } = known.options;
  const withinMs = lateness["node-lost-rerun"].hardMs;
  const crash = known.faults.find(({ fault }) => fault.name === "crash" && fault.bootId === owner)?.event;
  if (crash) return { event: crash, withinMs };
  const death = known.nodeEvents.get(owner)?.find(({ kind }) => kind === "declared-dead");
  return death ? { event: death, withinMs: withinMs - deadAfterBeats * heartbeatIntervalMs } : null;
}

type Stuck = { owner: BootId | null; task: TaskHistory };
type Obstacle = { beganMonoMs: number; overMonoMs: number };

/** The others have taken over from a lost leader within the bound, however long it stays away. */
function obstacleToReap(known: IndexedRun, span: FaultSpan, { owner, task }: Stuck): Obstacle[] {
  const { fault, beganMonoMs, endedMonoMs } = span;
  const isInTheWay = { beganMonoMs, overMonoMs: endedMonoMs };
  switch (fault.name) {
    case "postgres-away":
    case "failover":
    case "no-node":
    case "loop-blocked":
      return [isInTheWay];
    case "row-lock":
      return fault.taskId === task.id ? [isInTheWay] : [];
    default:
      if (!isNodeLoss(fault) || fault.bootId === owner) return [];
      return [{ beganMonoMs, overMonoMs: leaderReplacedMonoMs(known, span) }];
  }
}

/**
 * [no-in-doubt-leak]: a row whose live owner, a node, has claimed and not started it, or whose handler is over, leaves
 * `running` within two reconcile intervals. What keeps the owner from Postgres starts them anew.
 */
function inDoubtReleased(known: IndexedRun): Finding[] {
  return findingsIn(known.executions, (execution) => {
    const { task } = execution;
    const claim = execution.claims[0];
    const since = claim && idleSince(execution);
    if (!claim || !since || isPulled(execution)) return null;
    const obstacles = known.faults.flatMap((span) => obstacleToRelease(span, { owner: claim.after!.owner, task }));
    const withinMs = 2 * known.options.reconcileIntervalMs;
    const deadline = deadlineBehind(obstacles, { fromMonoMs: since.monoMs, withinMs });
    if ((lossOf(known, execution)?.event.monoMs ?? Infinity) <= deadline) return null;
    const ways = [execution.exit, since === claim ? (execution.starts[0] ?? null) : null];
    if (ways.some((way) => isOver(way, deadline, known)) || setBack(known, { from: since.monoMs, to: deadline }))
      return null;
    return finding(task.id, `it was in doubt for more than ${withinMs} ms`, [claim, since, execution.exit]);
  });
}

/** From when on the owner has no reason to hold the row as running; null: its handler runs. */
function idleSince({ claims, starts, end, aborts }: Execution): HistoryEvent | null {
  if (starts.length === 0) return claims[0] ?? null;
  return end ?? aborts[0] ?? null;
}

function obstacleToRelease({ fault, beganMonoMs, endedMonoMs }: FaultSpan, { owner, task }: Stuck): Obstacle[] {
  const isInTheWay = { beganMonoMs, overMonoMs: endedMonoMs };
  if (fault.name === "row-lock") return fault.taskId === task.id ? [isInTheWay] : [];
  if (fault.name === "postgres-away" || fault.name === "overload") return [isInTheWay];
  return "bootId" in fault && fault.bootId === owner && fault.name !== "redis-cut" ? [isInTheWay] : [];
}

/** A claim waits for its due time again where the database's clock was set back after it was taken. */
function setBack({ faults }: IndexedRun, { from, to }: { from: number; to: number }): boolean {
  return faults.some(
    ({ fault, beganMonoMs }) =>
      fault.name === "clock-step" && fault.stepMs < 0 && beganMonoMs >= from && beganMonoMs <= to,
  );
}

/** Whether it happened by then, or the history is too short to tell. */
function isOver(event: HistoryEvent | null, byMonoMs: number, { endMonoMs }: IndexedRun): boolean {
  return event === null ? endMonoMs <= byMonoMs : event.monoMs <= byMonoMs;
}
