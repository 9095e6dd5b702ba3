import { formatDuration } from "./format.js";

/** A stretch of time: so far from now at most or at least, or between two instants. */
export type Span =
  | { readonly kind: "nearer" | "farther"; readonly lengthMs: number }
  /** Milliseconds of the epoch, `to` exclusive; null: open. */
  | { readonly kind: "between"; readonly from: number | null; readonly to: number | null };

/** On which side of now a {@link Span} lies that is told by its length. */
export type Side = "ahead" | "back";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Ten years: what lies beyond is a slip of the pen. */
const longestMs = 3_650 * unitMs.d!;

const aLength = /^([<>])((?:\d{1,9}[smhd])+)$/;
const anInstant = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** What {@link spanOf} reads, in words. */
export const spanForms = "<1h, >30m, 2026-11-01..2026-11-08 or 2026-11-01T09:00Z..";

/**
 * Reads a stretch of time: `<1h`, `>1d12h`, `2026-11-01..2026-11-08`, `2026-11-01T09:00Z..`. A date is the beginning of
 * its day in UTC. Null: it is none.
 *
 * @example spanOf("<90m") // { kind: "nearer", lengthMs: 5_400_000 }
 */
export function spanOf(text: string): Span | null {
  const length = aLength.exec(text);
  if (length) return spanOfLength(length[1]!, length[2]!);
  const ends = text.split("..");
  if (ends.length !== 2 || text === "..") return null;
  const [from, to] = ends.map((end) => (end === "" ? null : instantOf(end))) as [number | null, number | null];
  if (Number.isNaN(from) || Number.isNaN(to) || (from !== null && to !== null && from >= to)) return null;
  return { kind: "between", from, to };
}

function spanOfLength(sign: string, text: string): Span | null {
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  const lengthMs = parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0);
  if (lengthMs === 0 || lengthMs > longestMs) return null;
  return { kind: sign === "<" ? "nearer" : "farther", lengthMs };
}

function instantOf(text: string): number {
  return anInstant.test(text) ? Date.parse(text) : Number.NaN;
}

/** Its ends as the API takes them: ISO 8601 in UTC, `to` exclusive; undefined: open. */
export function rangeOf(span: Span, { side, now }: { side: Side; now: number }): { from?: string; to?: string } {
  const [from, to] = endsOf(span, side, now);
  return {
    ...(from !== null && { from: new Date(from).toISOString() }),
    ...(to !== null && { to: new Date(to).toISOString() }),
  };
}

function endsOf(span: Span, side: Side, now: number): readonly [number | null, number | null] {
  if (span.kind === "between") return [span.from, span.to];
  const end = side === "ahead" ? now + span.lengthMs : now - span.lengthMs;
  const isBefore = (span.kind === "nearer") === (side === "ahead");
  return isBefore ? [null, end] : [end, null];
}

/** For a chip: `last 24 h`, `within 1 h`, `more than 2 d ago`, `from 2026-11-01 to 2026-11-08`. */
export function spanText(text: string, side: Side): string {
  const span = spanOf(text);
  if (span === null) return text;
  if (span.kind === "between") {
    const [from, to] = text.split("..") as [string, string];
    return [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(" ");
  }
  const length = formatDuration(span.lengthMs);
  if (span.kind === "nearer") return side === "back" ? `last ${length}` : `within ${length}`;
  return side === "back" ? `more than ${length} ago` : `in more than ${length}`;
}
