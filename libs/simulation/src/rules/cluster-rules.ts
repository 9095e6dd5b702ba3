import { type FaultSpan, isNodeLoss } from "../history/fault-spans.js";
import type { NodeEvent } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import { joiningOf, leftMonoMs } from "../history/witnesses.js";

/** How the nodes judge each other. */
export const clusterRules = {
  "declared-dead-with-cause": declaredDeadWithCause,
  "leader-followed": leaderFollowed,
} satisfies Rules;

/** A node that goes has said so this long before it stops claiming. */
const LEAVE_MS = 4_000;

/**
 * [suspect-then-dead]: a node is declared dead only after a crash or a goodbye, or while a pause or a cut from Postgres
 * is on or so fresh that its beats were missed. [lost-session] One that is only cut off, and that Redis hears of, has
 * as long as its beats give it, whatever became of its session. A blocked loop is no death until `loopBlockedFenceMs`,
 * when the worker stops beating. A join that got no answer in time leaves a row under which nobody ever beats.
 */
function declaredDeadWithCause(known: IndexedRun): Finding[] {
  const { nodeEvents, faults, options } = known;
  const { heartbeatIntervalMs } = options;
  const freshMs = options.deadAfterBeats * heartbeatIntervalMs;
  // A beat may have been missed before it was cut off, and the first poll behind it counts.
  const patientMs = (options.deadAfterBeats - 2) * heartbeatIntervalMs;
  const explains = (death: NodeEvent, { fault, beganMonoMs, endedMonoMs }: FaultSpan): boolean => {
    if (!("bootId" in fault) || fault.bootId !== death.bootId || beganMonoMs > death.monoMs) return false;
    if (fault.name === "crash") return true;
    if (fault.name === "postgres-cut" && death.monoMs - beganMonoMs < patientMs && isHeardOf(known, death))
      return false;
    const joined = joiningOf(known, death.bootId);
    const metJoin = joined && beganMonoMs <= joined.monoMs + heartbeatIntervalMs && endedMonoMs >= joined.monoMs;
    if ((isNodeLoss(fault) || fault.name === "loop-blocked") && metJoin) return true;
    if (fault.name === "loop-blocked" && death.monoMs - beganMonoMs < options.loopBlockedFenceMs) return false;
    return (isNodeLoss(fault) || fault.name === "loop-blocked") && death.monoMs <= endedMonoMs + freshMs;
  };
  return findingsIn([...nodeEvents.values()], (events) => {
    const place = events.findIndex(({ kind }) => kind === "declared-dead");
    const death = events[place];
    if (!death || events.slice(0, place).some(({ kind }) => kind === "goodbye")) return null;
    if (faults.some((span) => explains(death, span))) return null;
    return finding(null, `node ${death.bootId} was declared dead without a cause`, [death]);
  });
}

/**
 * Whether Redis heard of a node until it was declared dead: it is there, and for as long as beats may be missed nothing
 * else than a cut from Postgres was wrong.
 */
function isHeardOf({ faults, options }: IndexedRun, { bootId, monoMs }: NodeEvent): boolean {
  if (options.coordination !== "redis") return false;
  const fromMonoMs = monoMs - 2 * options.deadAfterBeats * options.heartbeatIntervalMs;
  return !faults.some(({ fault, beganMonoMs, recoveredMonoMs }) => {
    if (beganMonoMs > monoMs || recoveredMonoMs < fromMonoMs || fault.name === "postgres-cut") return false;
    const isElsewhere = "bootId" in fault && fault.bootId !== bootId;
    return !isElsewhere && fault.name !== "row-lock" && fault.name !== "overload";
  });
}

/**
 * [leader-contest]: one that is lost, and stays so, is followed by another when its term has not moved for
 * `leaderTtlMs`, without Redis for twice that, and two beats. Judged where nothing else is wrong and somebody who may
 * follow is there all the time.
 */
function leaderFollowed(known: IndexedRun): Finding[] {
  const { leaderTtlMs, heartbeatIntervalMs, coordination } = known.options;
  const withinMs = leaderTtlMs * (coordination === "redis" ? 1 : 2) + 2 * heartbeatIntervalMs;
  return findingsIn(known.faults, (span) => {
    const { fault, beganMonoMs, event } = span;
    const leader = known.leaders.findLast(({ monoMs }) => monoMs <= beganMonoMs);
    if (!leader || !("bootId" in fault) || fault.bootId !== leader.bootId) return null;
    const deadline = beganMonoMs + withinMs;
    const next = known.leaders[known.leaders.indexOf(leader) + 1] ?? null;
    if (!isSilentUntil(span, deadline) || (next?.monoMs ?? known.endMonoMs) <= deadline) return null;
    const period = { fromMonoMs: beganMonoMs, untilMonoMs: deadline };
    if (!hasFollower(known, leader, period)) return null;
    if (known.faults.some((other) => other !== span && isInTheWay(other, period))) return null;
    return finding(null, `nobody followed leader ${leader.bootId} within ${withinMs} ms`, [leader, event, next]);
  });
}

/** Nothing that it sends reaches Postgres. A pause is no such fault: a clock that jumps ahead is recorded as one. */
function isSilentUntil({ fault, endedMonoMs }: FaultSpan, untilMonoMs: number): boolean {
  if (fault.name === "crash") return true;
  if (fault.name !== "postgres-cut" || endedMonoMs <= untilMonoMs) return false;
  return fault.way === "out" || fault.way === "both";
}

type Period = { fromMonoMs: number; untilMonoMs: number };

function hasFollower(known: IndexedRun, leader: NodeEvent, { fromMonoMs, untilMonoMs }: Period): boolean {
  return [...known.nodeEvents.keys()].some(
    (bootId) =>
      bootId !== leader.bootId &&
      (joiningOf(known, bootId)?.monoMs ?? Infinity) < fromMonoMs - known.options.heartbeatIntervalMs &&
      leftMonoMs(known, bootId) > untilMonoMs + LEAVE_MS,
  );
}

function isInTheWay({ fault, beganMonoMs, recoveredMonoMs }: FaultSpan, { fromMonoMs, untilMonoMs }: Period): boolean {
  if (fault.name === "row-lock" || fault.name === "overload") return false;
  return beganMonoMs <= untilMonoMs && recoveredMonoMs >= fromMonoMs;
}
