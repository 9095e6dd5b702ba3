import { type Fault, TickwheelError } from "../errors/errors.js";

/** Most ranges that one call of {@link splitRange} answers. */
export const MAX_RANGES = 1_000;

/** `from` belongs to it, `to` does not. */
export interface HalfOpenRange<Bound> {
  from: Bound;
  to: Bound;
}

/** How a range is cut: into so many ranges, or into ranges of a size. */
export type RangeCut = { parts: number } | { size: number | bigint };

/** A cut whose input has no faults. */
interface CheckedCut {
  from: bigint;
  to: bigint;
  /** Exactly one of the two is given. */
  parts: bigint | null;
  size: bigint | null;
}

/**
 * Cuts a half-open range of whole numbers into half-open ranges, in rising order. Each number of the range is in
 * exactly one of them: there is no gap, no overlap and no empty range, and `from = to` gives none. Read them as
 * `from <= x AND x < to`. Then values between two whole numbers have one range, too, such as the microseconds of a
 * `timestamptz` between bounds in milliseconds.
 *
 * @param range bounds that are both safe integers, or both bigints; the answer's bounds are of the same kind
 * @param cut `parts`: at most so many ranges, 1 to {@link MAX_RANGES}, whose sizes differ by at most one; there are
 *   fewer where the range has fewer numbers. `size`: ranges of this size from 1 on, the last of which may be smaller
 * @throws TickwheelError `VALIDATION_FAILED`, which names every fault: a bound is no whole number, `from` is beyond
 *   `to`, the cut is none, or it would give more than {@link MAX_RANGES} ranges
 * @example splitRange({ from: 1, to: 11 }, { parts: 3 }) // 1 to 4, 4 to 7, 7 to 11
 */
export function splitRange(range: HalfOpenRange<number>, cut: RangeCut): HalfOpenRange<number>[];
export function splitRange(range: HalfOpenRange<bigint>, cut: RangeCut): HalfOpenRange<bigint>[];
export function splitRange(range: HalfOpenRange<number> | HalfOpenRange<bigint>, cut: RangeCut) {
  const bounds = boundsOf(checked(range, cut));
  const cutBounds = typeof range.from === "number" ? bounds.map(Number) : bounds;
  return cutBounds.slice(1).map((to, index) => ({ from: cutBounds[index]!, to }));
}

/** Where each range begins, and where the last one ends. Alone: there is no range. */
function boundsOf({ from, to, parts, size }: CheckedCut): bigint[] {
  const width = to - from;
  const count = parts === null ? rangesOf(width, size!) : least(parts, width);
  const bounds = [from];
  for (let at = 1n; at <= count; at++)
    bounds.push(size === null ? from + (width * at) / count : least(from + size * at, to));
  return bounds;
}

function rangesOf(width: bigint, size: bigint): bigint {
  return (width + size - 1n) / size;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function checked(range: unknown, cut: unknown): CheckedCut {
  const bounds = (range ?? {}) as Record<"from" | "to", unknown>;
  const asked = (cut ?? {}) as Record<"parts" | "size", unknown>;
  const from = wholeOf(bounds.from);
  const to = wholeOf(bounds.to);
  const parts = wholeOf(asked.parts);
  const size = wholeOf(asked.size);
  const faults = [...boundFaults(bounds, { from, to }), ...cutFaults(asked, { parts, size })];
  if (faults.length === 0 && size !== null) faults.push(...countFaults(rangesOf(to! - from!, size)));
  if (faults.length === 0) return { from: from!, to: to!, parts, size };
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new TickwheelError("VALIDATION_FAILED", `splitRange: ${list}.`, { faults });
}

function boundFaults(given: Record<"from" | "to", unknown>, { from, to }: Record<"from" | "to", bigint | null>) {
  const faults: Fault[] = [];
  // Drivers give a bigint column as text.
  const message = "must be a safe integer or a bigint; make one of a text by BigInt(text)";
  if (from === null) faults.push({ path: "from", message });
  if (to === null) faults.push({ path: "to", message });
  if (from === null || to === null) return faults;
  if (typeof given.from !== typeof given.to)
    faults.push({ path: "to", message: "must be of the kind of from: both are numbers, or both are bigints" });
  if (from > to) faults.push({ path: "from", message: "must not be beyond to" });
  return faults;
}

function cutFaults(given: Record<"parts" | "size", unknown>, { parts, size }: Record<"parts" | "size", bigint | null>) {
  const isGiven = { parts: given.parts !== undefined, size: given.size !== undefined };
  const faults: Fault[] = [];
  if (isGiven.parts === isGiven.size) faults.push({ path: "parts", message: "or size must be given, and not both" });
  if (isGiven.parts && (typeof given.parts !== "number" || parts === null || parts < 1n || parts > MAX_RANGES))
    faults.push({ path: "parts", message: `must be a whole number from 1 to ${MAX_RANGES}` });
  if (isGiven.size && (size === null || size < 1n))
    faults.push({ path: "size", message: "must be a whole number from 1 on" });
  return faults;
}

function countFaults(count: bigint): Fault[] {
  if (count <= MAX_RANGES) return [];
  return [{ path: "size", message: `gives ${count} ranges, and at most ${MAX_RANGES} are allowed` }];
}

function wholeOf(value: unknown): bigint | null {
  if (typeof value === "bigint") return value;
  return Number.isSafeInteger(value) ? BigInt(value as number) : null;
}
