import type { LatenessParts } from "../api/wire.js";
import { formatDuration } from "../time/format.js";
import { latenessOf } from "./runs.js";

/** A part of a lateness as it is shown: what it was, how long, why, and where its bar lies, in shares of the whole. */
export interface SplitPart {
  readonly name: string;
  readonly ms: number;
  readonly why: string;
  readonly from: number;
  readonly share: number;
}

interface NamedPart {
  readonly name: string;
  readonly ms: number;
  readonly why: string;
}

/**
 * The parts of a run's lateness in the order of its way, with the wait for a silent node apart from the rest of
 * `known`. They add up to the lateness.
 *
 * @param node that started it
 */
export function splitOf(parts: LatenessParts, startedAt: number, node: string | null): SplitPart[] {
  const { wheelMs, placeMs, claimMs, startMs } = parts;
  const named: NamedPart[] = [
    ...knownParts(parts, startedAt, node),
    { name: "Wheel", ms: wheelMs, why: "From its due time until its timer had fired." },
    { name: "Waiting for a place", ms: placeMs, why: "A claim was possible, but no place to run." },
    { name: "Claim", ms: claimMs, why: "The claim before it, and its own guarded update in Postgres." },
    { name: "Start", ms: startMs, why: "From the claim's answer to the call of the handler." },
  ];
  const whole = Math.max(1, latenessOf(parts));
  let done = 0;
  return named.map((part) => {
    const from = done / whole;
    done += part.ms;
    return { ...part, from, share: part.ms / whole };
  });
}

function knownParts(parts: LatenessParts, startedAt: number, node: string | null): NamedPart[] {
  const { knownMs, takenFrom } = parts;
  const plain = {
    name: "Until a node knew of it",
    ms: knownMs,
    why: "Written, then told to its node, or found by a sweep.",
  };
  if (!takenFrom) return [plain];
  const dueAt = startedAt - latenessOf(parts);
  const waited = Math.min(knownMs, Math.max(0, Date.parse(takenFrom.takenOverAt) - dueAt));
  const taker = node ?? "another node";
  return [
    { name: `Waiting for ${takenFrom.node}`, ms: waited, why: silenceOf(takenFrom, dueAt) },
    { name: "Taking over", ms: knownMs - waited, why: `${taker} read the tasks of its new slots, nearest first.` },
  ];
}

function silenceOf({ node, silentSince }: NonNullable<LatenessParts["takenFrom"]>, dueAt: number): string {
  if (silentSince === null) return `${node} had it, and left or was slow.`;
  const beforeMs = dueAt - Date.parse(silentSince);
  const when = beforeMs >= 0 ? `${formatDuration(beforeMs)} before` : `${formatDuration(-beforeMs)} after`;
  return `The last beat of ${node} came ${when} its due time.`;
}
