import { LATENESS_PARTS, type LatenessPartsMs, type LatenessSplit, noLateness } from "@tickwheel/core";

/** How many thousandths of a millisecond the column counts the clock's error in. */
const ERROR_STEPS = 1_000;

/** The part of a column `split`: a list, since a column of fields with names would be thrice as long. */
type SplitList = [
  ...parts: [known: number, wheel: number, place: number, claim: number, start: number],
  clockErrorUs: number,
  ...takenFrom: [node: string, silentSince: number | null, takenOverAt: number] | [],
];

/** As the column `split` keeps it: JSON; null: not measured. */
export function splitText(split: LatenessSplit | null | undefined): string | null {
  if (split === null || split === undefined) return null;
  const { known, wheel, place, claim, start, clockErrorMs, takenFrom } = split;
  const list = `${known},${wheel},${place},${claim},${start},${Math.round(clockErrorMs * ERROR_STEPS)}`;
  if (takenFrom === null) return `[${list}]`;
  const { node, silentSince, takenOverAt } = takenFrom;
  return `[${list},${JSON.stringify(node)},${silentSince},${takenOverAt}]`;
}

/** Reads the column's text. */
export function readSplit(value: unknown): LatenessSplit | null {
  if (value === null || value === undefined) return null;
  const [known, wheel, place, claim, start, clockErrorUs, ...taken] = JSON.parse(value as string) as SplitList;
  const [node, silentSince, takenOverAt] = taken;
  const takenFrom = node === undefined ? null : { node, silentSince: silentSince!, takenOverAt: takenOverAt! };
  return { known, wheel, place, claim, start, clockErrorMs: clockErrorUs / ERROR_STEPS, takenFrom };
}

/** The columns of a tally that hold the lateness by parts, in the order of `LATENESS_PARTS`. */
export const LATE_COLUMNS = LATENESS_PARTS.map((part) => `late_${part}_ms`);

/** Reads these columns, or sums of them. */
export function readLateColumns(row: Readonly<Record<string, unknown>>): LatenessPartsMs {
  const parts = noLateness();
  for (const part of LATENESS_PARTS) parts[part] = Number(row[`late_${part}_ms`] ?? 0);
  return parts;
}
