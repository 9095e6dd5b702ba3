import type { BootId } from "@tickwheel/core";
import { type FaultSpan, LEAVING } from "./fault-spans.js";
import type { HistoryOptions } from "./history.js";
import type { NodeEvent } from "./history-event.js";

/** What is known of the nodes' lives. */
interface Known {
  nodeEvents: ReadonlyMap<BootId, readonly NodeEvent[]>;
  leaders: readonly NodeEvent[];
  faults: readonly FaultSpan[];
}

interface Watch {
  lossMonoMs: number;
  untilMonoMs: number;
}

interface Bound {
  fromMonoMs: number;
  withinMs: number;
}

/**
 * From when on the node that declares another one dead has watched it: only a leader that has itself seen it stand
 * still long enough does so. Where one that joined after the loss has taken the term, the bound begins with its
 * joining; where all that were there at the loss have left since, with the first that came after. A term that is taken
 * before that bound has passed moves it once more.
 *
 * @param bound from the loss on
 * @returns `fromMonoMs`, or later
 */
export function watchedFromMonoMs(known: Known, { fromMonoMs, withinMs }: Bound): number {
  const watch = { lossMonoMs: fromMonoMs, untilMonoMs: fromMonoMs + withinMs };
  return newLeadersFromMonoMs(known, { fromMonoMs: firstWatcherMonoMs(known, watch, null), withinMs });
}

/** From when on the newest of those has watched who take the term, one after the other, before the bound has passed. */
export function newLeadersFromMonoMs({ leaders, ...known }: Known, { fromMonoMs, withinMs }: Bound): number {
  let movedMonoMs = fromMonoMs;
  for (const { bootId, monoMs } of leaders) {
    if (monoMs > movedMonoMs + withinMs) break;
    movedMonoMs = Math.max(movedMonoMs, joiningOf(known, bootId)?.monoMs ?? -Infinity);
  }
  return movedMonoMs;
}

/**
 * By when a node that may have been the leader is no obstacle any more: it is back, or another that has watched its
 * term has taken it. A paused or cut leader that comes back before that goes on, and ages nobody for the time of its
 * absence.
 */
export function leaderReplacedMonoMs(
  known: Known & { options: HistoryOptions },
  { fault, beganMonoMs, endedMonoMs }: FaultSpan,
): number {
  if (fault.name === "crash" || !("bootId" in fault)) return beganMonoMs;
  const { leaderTtlMs, heartbeatIntervalMs } = known.options;
  const takeOverMs = 2 * leaderTtlMs + heartbeatIntervalMs;
  const watch = { lossMonoMs: beganMonoMs, untilMonoMs: beganMonoMs + takeOverMs };
  return Math.min(endedMonoMs, firstWatcherMonoMs(known, watch, fault.bootId) + takeOverMs);
}

/** When a node has left: it claims nothing more, or is no more. Infinity: it is still there. */
export function leftMonoMs({ nodeEvents, faults }: Known, bootId: BootId): number {
  const left = (nodeEvents.get(bootId) ?? []).find(({ kind }) => LEAVING.includes(kind));
  const crash = faults.find(({ fault }) => fault.name === "crash" && fault.bootId === bootId);
  return Math.min(left?.monoMs ?? Infinity, crash?.beganMonoMs ?? Infinity);
}

/** Whether a node that can still act on it holds the leader's term. True where that is not on record. */
export function isLedAt(known: Known, atMonoMs: number): boolean {
  const leader = known.leaders.findLast(({ monoMs }) => monoMs <= atMonoMs);
  return known.leaders.length === 0 || (leader !== undefined && leftMonoMs(known, leader.bootId) > atMonoMs);
}

export function joiningOf({ nodeEvents }: Pick<Known, "nodeEvents">, bootId: BootId): NodeEvent | undefined {
  return nodeEvents.get(bootId)?.find(({ kind }) => kind === "joined");
}

/** From when on somebody but the lost one watches who is there at `untilMonoMs`. */
function firstWatcherMonoMs(known: Known, { lossMonoMs, untilMonoMs }: Watch, lost: BootId | null): number {
  let fromMonoMs = Infinity;
  for (const bootId of known.nodeEvents.keys()) {
    const joined = joiningOf(known, bootId);
    if (bootId === lost || !joined || joined.monoMs > untilMonoMs || leftMonoMs(known, bootId) < untilMonoMs) continue;
    fromMonoMs = Math.min(fromMonoMs, joined.monoMs);
  }
  return fromMonoMs === Infinity ? lossMonoMs : Math.max(lossMonoMs, fromMonoMs);
}
