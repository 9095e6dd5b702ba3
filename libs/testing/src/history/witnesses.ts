import type { FaultSpan } from "./fault-spans.js";
import type { NodeEvent } from "./history-event.js";

/** What is known of the nodes' lives. */
interface Known {
  nodeEvents: ReadonlyMap<string, readonly NodeEvent[]>;
  faults: readonly FaultSpan[];
}

/**
 * From when on somebody who is there at `untilMonoMs` has watched the others: only who has seen a node stand still long enough takes it for
 * dead, so where all that were there at its loss have left since, the bound begins with the first that came after.
 *
 * @returns `lossMonoMs`, or later
 */
export function watchedFromMonoMs(known: Known, lossMonoMs: number, untilMonoMs: number): number {
  let fromMonoMs = Infinity;
  for (const [bootId, events] of known.nodeEvents) {
    const joined = events.find(({ kind }) => kind === "joined");
    if (!joined || joined.monoMs > untilMonoMs || endOf(known, bootId, events) < untilMonoMs) continue;
    fromMonoMs = Math.min(fromMonoMs, joined.monoMs);
  }
  return fromMonoMs === Infinity ? lossMonoMs : Math.max(lossMonoMs, fromMonoMs);
}

function endOf({ faults }: Known, bootId: string, events: readonly NodeEvent[]): number {
  const left = events.find(({ kind }) => kind === "draining" || kind === "goodbye" || kind === "declared-dead");
  const crash = faults.find(({ fault }) => fault.name === "crash" && fault.bootId === bootId);
  return Math.min(left?.monoMs ?? Infinity, crash?.beganMonoMs ?? Infinity);
}
