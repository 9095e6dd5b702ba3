import type { Capacity, ForecastBucket } from "../api/wire.js";

/** The geometry of the wheel: one turn is 60 s over 342°, and the hand at the top is now. Pure. */

/** What is due in a second, or in another part of a ring. */
export type DueBucket = Pick<ForecastBucket, "at" | "due">;

export interface Dues {
  readonly buckets: readonly DueBucket[];
}

export const seconds = 60;

/** What is due within this is in memory; the rest are rows in Postgres. */
export const horizonS = 15;

const turnDeg = 342;
const stepDeg = turnDeg / seconds;
const innerRadius = 70;
const longest = 52;
/** How much more than the capacity is drawn before everything shrinks. */
const headroom = 1.35;

/** How far the wheel turns in a second, in degrees. */
export const tickDeg = stepDeg;

export interface Wheel {
  /** One per second, outward from the rim: a path, and whether it lies in memory. */
  readonly bars: readonly { readonly path: string; readonly isInMemory: boolean }[];
  /** All that stands above the capacity, as one path. */
  readonly over: string;
  /** The dashed circle; null: the capacity is not known, or too far out to be drawn. */
  readonly capacityRadius: number | null;
  readonly due: number;
  readonly dueInMemory: number;
  readonly fullest: FullSecond | null;
}

export interface FullSecond {
  /** Seconds from now; 1 is the first. */
  readonly inS: number;
  readonly due: number;
}

/**
 * What the wheel shows of the minute ahead. The scale reaches 1.35 times the measured capacity, or the fullest second.
 * A capacity that is a guess may be far out: it is drawn where a second reaches it, and never makes the bars small.
 *
 * @param whole what this is a part of: the part is drawn to its scale
 */
export function wheelOf(
  { buckets, capacity: { perSecond, measured } }: Dues & { readonly capacity: Capacity },
  whole: Dues = { buckets },
): Wheel {
  const dues = duesOf(buckets);
  const most = Math.max(...duesOf(whole.buckets));
  const scale = Math.max(1, measured ? (perSecond ?? 0) * headroom : 0, most);
  const lengthOf = (due: number): number => (due / scale) * longest;
  const limit = perSecond !== null && perSecond > 0 ? perSecond : Number.POSITIVE_INFINITY;
  const bars = dues.map((due, second) => ({
    path: due === 0 ? "" : barPath(second, 0, lengthOf(Math.min(due, limit))),
    isInMemory: second < horizonS,
  }));
  const over = dues.map((due, second) => (due > limit ? barPath(second, lengthOf(limit), lengthOf(due)) : ""));
  return {
    bars,
    over: over.join(""),
    capacityRadius: limit <= scale ? innerRadius + lengthOf(limit) : null,
    due: sumOf(dues),
    dueInMemory: sumOf(dues.slice(0, horizonS)),
    fullest: fullestOf(buckets, 1)[0] ?? null,
  };
}

/** The fullest seconds, most first. */
export function fullestOf(buckets: readonly DueBucket[], count: number): FullSecond[] {
  return duesOf(buckets)
    .map((due, index) => ({ inS: index + 1, due }))
    .filter(({ due }) => due > 0)
    .sort((one, other) => other.due - one.due || one.inS - other.inS)
    .slice(0, count);
}

/** How strong each part of an inner ring is, from 0 to 1: against the fullest of it. */
export function heatOf(buckets: readonly DueBucket[], count: number): number[] {
  const dues = Array.from({ length: count }, (_, index) => buckets[index]?.due ?? 0);
  const most = Math.max(1, ...dues);
  return dues.map((due) => due / most);
}

/** The part `index` of `count` of a ring, with a little room to the next. */
export function ringPath(radius: number, index: number, count: number): string {
  const step = turnDeg / count;
  const gap = Math.min(1, step / 6);
  return arcPath(radius, index * step + gap / 2, (index + 1) * step - gap / 2);
}

/** An arc, clockwise; degrees from the top. */
export function arcPath(radius: number, fromDeg: number, untilDeg: number): string {
  const isLarge = untilDeg - fromDeg > 180 ? 1 : 0;
  return `M${pointAt(radius, fromDeg)}A${radius} ${radius} 0 ${isLarge} 1 ${pointAt(radius, untilDeg)}`;
}

/** A line outward. */
export function spokePath(deg: number, from: number, until: number): string {
  return `M${pointAt(from, deg)}L${pointAt(until, deg)}`;
}

export const horizonDeg = horizonS * stepDeg;
export const endDeg = turnDeg;

export function pointAt(radius: number, deg: number): string {
  const radians = (deg * Math.PI) / 180;
  return `${round(radius * Math.sin(radians))} ${round(-radius * Math.cos(radians))}`;
}

function barPath(second: number, from: number, until: number): string {
  const deg = (second + 0.5) * stepDeg;
  // A second with anything in it is seen.
  return spokePath(deg, innerRadius + from, innerRadius + Math.max(from + 1.5, until));
}

function duesOf(buckets: readonly DueBucket[]): number[] {
  return Array.from({ length: seconds }, (_, index) => buckets[index]?.due ?? 0);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
