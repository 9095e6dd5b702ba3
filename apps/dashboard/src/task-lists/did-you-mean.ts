/** So many letters may be wrong, left out or too many. */
const mostSlips = 2;

/** The known word that is most like what was written; null: none is like it. */
export function didYouMean(written: string, known: readonly string[]): string | null {
  const text = written.toLowerCase();
  const begun = text === "" ? undefined : known.find((word) => word.startsWith(text));
  if (begun !== undefined) return begun;
  const near = known.map((word) => ({ word, slips: slipsBetween(text, word) }));
  const best = near.reduce((one, other) => (other.slips < one.slips ? other : one), { word: "", slips: mostSlips + 1 });
  return best.slips <= mostSlips && best.slips < best.word.length - 1 ? best.word : null;
}

/** How many letters differ, are left out or too many; two that are swapped count once (optimal string alignment). */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostSlips) return mostSlips + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= one.length; at++) rows.push(nextRow(rows, one.slice(0, at), other));
  return rows.at(-1)!.at(-1)!;
}

/** The slips between `begun` and each beginning of `other`, by those of what `begun` began with. */
function nextRow(rows: readonly (readonly number[])[], begun: string, other: string): number[] {
  const [above, twoAbove] = [rows.at(-1)!, rows.at(-2)];
  const row = [rows.length];
  for (let at = 1; at <= other.length; at++) {
    const isSame = begun.at(-1) === other[at - 1];
    const isSwapped = at > 1 && begun.at(-1) === other[at - 2] && begun.at(-2) === other[at - 1];
    const swapped = isSwapped && twoAbove ? twoAbove[at - 2]! + 1 : Number.POSITIVE_INFINITY;
    row.push(Math.min(row[at - 1]! + 1, above[at]! + 1, above[at - 1]! + (isSame ? 0 : 1), swapped));
  }
  return row;
}
