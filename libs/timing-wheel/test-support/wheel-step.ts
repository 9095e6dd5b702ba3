/** One call of a wheel. Offsets are ticks from the tick of the last poll; `pick` chooses among the timers there are. */
export type WheelStep =
  | { kind: "insert"; offset: number; priority: number }
  | { kind: "reschedule"; pick: number; offset: number }
  | { kind: "cancel"; pick: number }
  | { kind: "poll"; offset: number; limit: number; budget: number };

/** A geometry, and the spans of ticks at whose edges its slots, levels and range begin. */
export interface WheelGeometry {
  name: string;
  options: { slotBits?: number; levels?: number; startTick?: number };
  spans: readonly number[];
}

/**
 * From one so small that every edge is met at once, over one at the wrap-around of 32-bit ticks, to the one that is
 * used.
 */
export const WHEEL_GEOMETRIES: readonly WheelGeometry[] = [
  { name: "one level of two slots", options: { slotBits: 1, levels: 1 }, spans: [2, 5] },
  { name: "three levels of four slots", options: { slotBits: 2, levels: 3, startTick: 61 }, spans: [4, 16, 64, 200] },
  {
    name: "levels of 64 slots at the wrap-around of 32-bit ticks",
    options: { slotBits: 6, levels: 4, startTick: 2 ** 32 - 70 },
    spans: [64, 2 ** 12, 2 ** 18, 2 ** 24],
  },
  { name: "the default levels", options: {}, spans: [2 ** 12, 2 ** 24, 2 ** 36, 2 ** 48] },
];

const NEAR = 6;

/**
 * Calls at the edges of slot, level and range of two levels of four slots, of the budget and of `out`: to be tried in
 * every sequence.
 */
export const EDGE_STEPS: readonly WheelStep[] = [
  ...[-1, 1, 4, 17].map((offset): WheelStep => ({ kind: "insert", offset, priority: 5 })),
  ...[0, 5].map((offset): WheelStep => ({ kind: "reschedule", pick: 0, offset })),
  { kind: "cancel", pick: 0 },
  ...[0, 1, 3, 16, -2].map((offset): WheelStep => ({ kind: "poll", offset, limit: 1_000, budget: Infinity })),
  { kind: "poll", offset: 4, limit: 1, budget: Infinity },
  { kind: "poll", offset: 13, limit: 1_000, budget: 1 },
];

/**
 * A step by chance: offsets lie at and around what matters to a geometry, its slots, its levels, its range, and the
 * past.
 *
 * @param next numbers from 0 up to but not including 1
 */
export function randomStep(next: () => number, { spans }: Pick<WheelGeometry, "spans">): WheelStep {
  const below = (count: number): number => Math.floor(next() * count);
  const near = (): number => below(2 * NEAR + 1) - NEAR;
  const offset = (): number => {
    const kind = below(5);
    if (kind < 2) return near();
    if (kind === 2) return near() + 0.25;
    return spans[below(spans.length)]! * below(4) + near();
  };
  const chance = below(14);
  if (chance < 6) return { kind: "insert", offset: offset(), priority: below(3) };
  if (chance < 8) return { kind: "reschedule", pick: below(1_000), offset: offset() };
  if (chance < 10) return { kind: "cancel", pick: below(1_000) };
  const limit = below(2) === 0 ? 1 + below(4) : 1_000;
  const budget = below(2) === 0 ? 1 + below(NEAR) : Infinity;
  return { kind: "poll", offset: offset(), limit, budget };
}
