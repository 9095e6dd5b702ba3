import type { FaultSpan } from "./fault-spans.js";
import type { NodeEvent } from "./history-event.js";

/** What is known of the nodes' lives. */
interface Known {
  nodeEvents: ReadonlyMap<string, readonly NodeEvent[]>;
  faults: readonly FaultSpan[];
}

/**
 * From when on whoever declares a node dead has watched it: only a leader that has itself seen it stand still long enough does so. Where one
 * that joined after the loss has taken the term, the bound begins with its joining; where terms are not on record, with the joining of the
 * first of those that are there at `untilMonoMs`.
 *
 * @returns `lossMonoMs`, or later
 */
export function watchedFromMonoMs(known: Known, lossMonoMs: number, untilMonoMs: number): number {
  const leaders = [...known.nodeEvents.values()].filter((events) =>
    events.some(({ kind, monoMs }) => kind === "leads" && monoMs <= untilMonoMs),
  );
  if (leaders.length > 0) return Math.max(lossMonoMs, ...leaders.map(joinedMonoMs).filter((at) => at <= untilMonoMs));
  let fromMonoMs = Infinity;
  for (const [bootId, events] of known.nodeEvents) {
    const joined = events.find(({ kind }) => kind === "joined");
    if (!joined || joined.monoMs > untilMonoMs || endOf(known, bootId, events) < untilMonoMs) continue;
    fromMonoMs = Math.min(fromMonoMs, joined.monoMs);
  }
  return fromMonoMs === Infinity ? lossMonoMs : Math.max(lossMonoMs, fromMonoMs);
}

function joinedMonoMs(events: readonly NodeEvent[]): number {
  return events.find(({ kind }) => kind === "joined")?.monoMs ?? -Infinity;
}

function endOf({ faults }: Known, bootId: string, events: readonly NodeEvent[]): number {
  const left = events.find(({ kind }) => kind === "draining" || kind === "goodbye" || kind === "declared-dead");
  const crash = faults.find(({ fault }) => fault.name === "crash" && fault.bootId === bootId);
  return Math.min(left?.monoMs ?? Infinity, crash?.beganMonoMs ?? Infinity);
}
