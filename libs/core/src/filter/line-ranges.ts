import type { TimePoint } from "./task-filter.js";
import { isDuration, pointText } from "./time-points.js";

/** The ends of a range; absent: it has none there. */
export interface RangeEnds<Point> {
  from?: Point;
  to?: Point;
}

/** `<a`, `>a`, `a..b`, `a..` and `..b` as what lies left and right; null: it is none of these. */
function sidesOf(text: string): RangeEnds<string> | null {
  if (text.startsWith("<")) return { to: text.slice(1) };
  if (text.startsWith(">")) return { from: text.slice(1) };
  const at = text.indexOf("..");
  const from = text.slice(0, at);
  const to = text.slice(at + 2);
  if (at === -1 || from + to === "") return null;
  return { ...(from !== "" && { from }), ...(to !== "" && { to }) };
}

/**
 * A range of instants. A task that is younger than an age began after it, so an age bounds the other side.
 *
 * @example readInstants("<24h", "age") // { from: "24h" }
 */
export function readInstants(text: string, durationIs: "age" | "ahead"): RangeEnds<string> | null {
  const sides = sidesOf(text);
  return sides && durationIs === "age" ? turned(sides) : sides;
}

/** What {@link readInstants} reads as these ends. */
export function writeInstants({ from, to }: RangeEnds<TimePoint>, durationIs: "age" | "ahead"): string {
  const ends = { ...(from !== undefined && { from: pointText(from) }), ...(to !== undefined && { to: pointText(to) }) };
  const sides = durationIs === "age" ? turned(ends) : ends;
  if (sides.from !== undefined && sides.to !== undefined) return `${sides.from}..${sides.to}`;
  return sides.from === undefined ? `<${sides.to}` : `>${sides.from}`;
}

/** The ends for the sides, and the other way about: they change places where all of them are ages. */
function turned(range: RangeEnds<string>): RangeEnds<string> {
  const { from, to } = range;
  if ([from, to].some((point) => point !== undefined && !isDuration(point))) return range;
  return { ...(to !== undefined && { from: to }), ...(from !== undefined && { to: from }) };
}

/** A range of whole numbers, both ends included: `3`, `<3`, `>3`, `1..3`. A value that is no number is `NaN`. */
export function readNumbers(text: string): RangeEnds<number> | null {
  if (WHOLE.test(text)) return { from: Number(text), to: Number(text) };
  const sides = sidesOf(text);
  if (sides === null) return null;
  const past = text.startsWith("<") ? -1 : text.startsWith(">") ? 1 : 0;
  const { from, to } = sides;
  return {
    ...(from !== undefined && { from: wholeOf(from) + past }),
    ...(to !== undefined && { to: wholeOf(to) + past }),
  };
}

const WHOLE = /^\d{1,9}$/;

function wholeOf(text: string): number {
  return WHOLE.test(text) ? Number(text) : Number.NaN;
}

/** What {@link readNumbers} reads as these ends. */
export function writeNumbers({ from, to }: RangeEnds<number>): string {
  return from === to ? String(from) : `${from ?? ""}..${to ?? ""}`;
}
