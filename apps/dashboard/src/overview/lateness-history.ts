import type { Lateness } from "../api/wire.js";

/** Lateness over time, oldest first, in columns as the chart takes them. Instants are seconds of the epoch. */
export interface LatenessHistory {
  readonly at: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

export const emptyHistory: LatenessHistory = { at: [], p50: [], p99: [], max: [] };

/** What the chart remembers. */
export const historySpanMs = 10 * 60_000;

/** Readings further apart than this are not joined by a line: nobody looked in between. */
export const longestGapMs = 10_000;

/** The history with one more reading, without what is older than its span; a reading that is not newer is left out. */
export function historyAfter(history: LatenessHistory, lateness: Lateness | null, now: number): LatenessHistory {
  const at = now / 1000;
  const last = history.at.at(-1);
  if (last !== undefined && at <= last) return history;
  const isGap = last !== undefined && at - last > longestGapMs / 1000;
  const from = (now - historySpanMs) / 1000;
  const older = dropBefore(isGap ? appended(history, null, last! + 1) : history, from);
  return appended(older, lateness, at);
}

function appended(history: LatenessHistory, lateness: Lateness | null, at: number): LatenessHistory {
  return {
    at: [...history.at, at],
    p50: [...history.p50, lateness?.p50 ?? null],
    p99: [...history.p99, lateness?.p99 ?? null],
    max: [...history.max, lateness?.max ?? null],
  };
}

function dropBefore(history: LatenessHistory, from: number): LatenessHistory {
  const kept = history.at.findIndex((at) => at >= from);
  const first = kept === -1 ? history.at.length : kept;
  const { at, p50, p99, max } = history;
  return { at: at.slice(first), p50: p50.slice(first), p99: p99.slice(first), max: max.slice(first) };
}
