/** A name is suggested for one that differs in at most this many letters. */
const MOST_TYPOS = 3;

/** The name that was meant, where one is close enough to what was written. */
export function closestTo(written: string, names: readonly string[]): string | undefined {
  const [meant] = names
    .filter(({ length }) => Math.abs(length - written.length) <= MOST_TYPOS)
    .map((known) => ({ known, typos: typosBetween(written.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, typos }) => typos <= Math.min(MOST_TYPOS, known.length / 3))
    .sort((a, b) => a.typos - b.typos);
  return meant?.known;
}

/** What was meant, behind what is wrong; empty: nothing is like it. */
export function suggestion(written: string, known: readonly string[]): string {
  const meant = closestTo(written, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** What is wrong, and what may be meant. */
export interface Suggesting {
  message: string;
  /** Null: nothing is suggested. */
  meant: string | null;
}

/**
 * A message and what it suggests at its end, see {@link suggestion}.
 *
 * @example withoutSuggestion('is no field; did you mean "type"?') // { message: "is no field", meant: "type" }
 */
export function withoutSuggestion(message: string): Suggesting {
  const [whole, meant] = /; did you mean "([^"]*)"\?$/.exec(message) ?? [];
  return whole === undefined ? { message, meant: null } : { message: message.slice(0, -whole.length), meant: meant! };
}

/** Letters added, left out or changed; two that are swapped count once (optimal string alignment). */
function typosBetween(one: string, other: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const changed = above[at - 1]! + Number(one[row - 1] !== other[at - 1]);
      const isSwapped = at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const swapped = isSwapped ? twoAbove[at - 2]! + 1 : Infinity;
      current.push(Math.min(above[at]! + 1, current[at - 1]! + 1, changed, swapped));
    }
    [twoAbove, above] = [above, current];
  }
  return above[other.length]!;
}
