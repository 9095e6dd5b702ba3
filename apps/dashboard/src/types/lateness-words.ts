import type { HistoryBucket } from "../api/wire.js";
import { formatDuration } from "../time/format.js";

const names = {
  known: "until a node knew of them",
  wheel: "in the wheel",
  place: "for a place",
  claim: "for the claim",
  start: "for the start",
} as const satisfies Record<keyof HistoryBucket["latenessPartsMs"], string>;
const parts = Object.keys(names) as (keyof typeof names)[];

/** Where the lateness of all starts in these buckets went, largest part first; null: there was none. */
export function latenessWords(buckets: readonly HistoryBucket[]): string | null {
  const sums = parts.map((part) => ({
    part,
    ms: buckets.reduce((sum, { latenessPartsMs }) => sum + latenessPartsMs[part], 0),
  }));
  const started = buckets.reduce((sum, bucket) => sum + bucket.started, 0);
  const totalMs = sums.reduce((sum, { ms }) => sum + ms, 0);
  if (totalMs === 0) return null;
  const shares = sums
    .filter(({ ms }) => ms > 0)
    .toSorted((one, other) => other.ms - one.ms)
    .map(({ part, ms }) => `${shareText(ms / totalMs)} ${names[part]}`);
  return `A start was ${formatDuration(totalMs / started)} late on the mean: ${shares.join(", ")}.`;
}

function shareText(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 ? "under 1 %" : `${percent} %`;
}
