import { formatCount } from "../time/format.js";

/** Where axes begin and end, and what their ticks say. Pure. */

/** A logarithmic scale has no zero: what is below is drawn here. */
export const floorMs = 0.1;

/** Whole decades, at least from 1 ms to 100 ms, so that a small change does not look like a large one. */
export function latenessRange(min: number | null, max: number | null): [number, number] {
  const low = 10 ** Math.floor(Math.log10(Math.max(floorMs, min ?? 1)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(floorMs, max ?? 1)));
  return [Math.min(1, low), Math.max(100, high)];
}

/** From zero to the next round number above the most: 1, 2 or 5 times a power of ten. */
export function countRange(most: number | null): [number, number] {
  const top = Math.max(1, most ?? 0);
  const decade = 10 ** Math.floor(Math.log10(top));
  return [0, decade * ([1, 2, 5].find((step) => step * decade >= top) ?? 10)];
}

/** Zero, the middle and the end: few lines, each of them round. */
export function countTicks([, top]: readonly [number, number]): number[] {
  return [0, top / 2, top];
}

export function isDecade(value: number | null): value is number {
  return value !== null && value > 0 && Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6);
}

/** What a tick of time says: the time within about a day, else the date. `text` is `2026-11-21 09:00:00.123`. */
export function tickText(text: string, spanS: number): string {
  return spanS <= 26 * 3600 ? text.slice(11, 16) : text.slice(5, 10);
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A count beside an axis, where there is little room: `500`, `2,500`, `12.5K`. */
export function axisCount(value: number): string {
  return value < 10_000 ? formatCount(value) : compact.format(value);
}

/** A rate beside an axis: `0.5 /s`, `12.5K /s`. */
export function axisRate(perSecond: number): string {
  return `${perSecond > 0 && perSecond < 1 ? Number(perSecond.toPrecision(2)) : axisCount(perSecond)} /s`;
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** A duration beside an axis, in its largest unit alone: `100 ms`, `10 s`, `16.7 min`, `2.8 h`. */
export function axisDuration(ms: number): string {
  const [lengthMs, unit] = units.find(([length]) => ms >= length) ?? [1, "ms"];
  return `${axisCount(ms / lengthMs)} ${unit}`;
}

/** Where labels say the same, as those of one day do, the first alone stays. */
export function withoutRepeats(labels: readonly string[]): string[] {
  return labels.map((label, index) => (label === labels[index - 1] ? "" : label));
}

export interface ChartEvent {
  /** In seconds of the epoch. */
  readonly at: number;
  readonly text: string;
}

/** The events of which the text has room: from its line to the next text, or to the end. */
export function labelled(
  events: readonly (ChartEvent & { x: number; widthPx: number })[],
  endPx: number,
): ReadonlySet<ChartEvent> {
  const kept = new Set<ChartEvent>();
  let free = Number.NEGATIVE_INFINITY;
  for (const event of [...events].sort((one, other) => one.x - other.x)) {
    if (event.x < free || event.x + event.widthPx > endPx) continue;
    kept.add(event);
    free = event.x + event.widthPx;
  }
  return kept;
}

/** Where a value stands alone between gaps. */
export function loneIndexes(values: ArrayLike<number | null | undefined>): number[] {
  const has = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return Array.from(values, (_, index) => index).filter((index) => has(index) && !has(index - 1) && !has(index + 1));
}
