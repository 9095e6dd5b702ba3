import type { EpochMs } from "@tickwheel/core";
import type { InstantRange } from "../instants/calendar-days.js";
import type { BackfillState } from "../store/schedule-store.js";

/** How many ranges of backfilled instants are remembered. */
export const BACKFILLED_KEPT = 20;

/**
 * The next turn of a backfill: one run after the other, the oldest instant first.
 *
 * @param isBusy whether a run of it lives
 * @returns what the row keeps from now on, and the instant whose run is made now; null: none
 */
export function backfillTurn(
  { backfill, backfilled }: BackfillState,
  isBusy: boolean,
): { state: BackfillState; at: EpochMs | null } {
  if (!backfill || isBusy) return { state: { backfill, backfilled }, at: null };
  const [at, ...left] = backfill.left;
  if (at === undefined) return { state: { backfill: null, backfilled }, at: null };
  const { from, to } = backfill;
  const until = left.length === 0 ? Math.max(to, at + 1) : at + 1;
  return { state: { backfill: { ...backfill, left }, backfilled: remembered(backfilled, { from, to: until }) }, at };
}

/** What the row keeps once a backfill is ended by hand. @param takenBack the instant of its run that never began */
export function endedBackfill({ backfilled }: BackfillState, takenBack: EpochMs | null): BackfillState {
  const ends = ({ to }: InstantRange): boolean => takenBack !== null && to === takenBack + 1;
  const ranges = backfilled.map((range) => (ends(range) ? { from: range.from, to: takenBack! } : range));
  return { backfill: null, backfilled: ranges.filter(({ from, to }) => from < to) };
}

/**
 * Ranges that touch are one. Beyond the bound the two that lie nearest become one: it says too much, never too little.
 */
function remembered(ranges: readonly InstantRange[], added: InstantRange): InstantRange[] {
  const kept: InstantRange[] = [];
  for (const range of [...ranges, added].sort((one, other) => one.from - other.from)) {
    const last = kept.at(-1);
    if (last && range.from <= last.to) kept[kept.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else kept.push(range);
  }
  if (kept.length <= BACKFILLED_KEPT) return kept;
  const gaps = kept.slice(1).map(({ from }, index) => from - kept[index]!.to);
  const place = gaps.indexOf(Math.min(...gaps));
  return [...kept.slice(0, place), { from: kept[place]!.from, to: kept[place + 1]!.to }, ...kept.slice(place + 2)];
}
