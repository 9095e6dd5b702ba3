import { LATENESS_PARTS, type LatenessParts, type LatenessPartsMs, noLateness, type TakenFrom } from "@tickwheel/core";

/** Between the numbers: no element of an array parameter must be quoted for it. */
const BETWEEN = ";";

/**
 * As the column `lateness_parts` keeps it; null: not measured. The parts in their order, then the clock's error in
 * microseconds; of a task that was taken over also the node's label, its last beat and when it was taken over. It is a
 * text and no JSON, since every completion writes one: Postgres need not check it, and a third of its length is saved.
 *
 * @example "7505;8;147;41;11;310;10.4.1.23%3A7;1763780727900;1763780735521"
 */
export function latenessPartsText(latenessParts: LatenessParts | null | undefined): string | null {
  if (latenessParts === null || latenessParts === undefined) return null;
  const { known, wheel, place, claim, start, clockErrorUs, takenFrom } = latenessParts;
  const text = `${known};${wheel};${place};${claim};${start};${clockErrorUs}`;
  if (takenFrom === null) return text;
  const { node, silentSince, takenOverAt } = takenFrom;
  return `${text};${encodeURIComponent(node)};${silentSince ?? ""};${takenOverAt}`;
}

/** Reads the column's text. */
export function readLatenessParts(value: unknown): LatenessParts | null {
  if (value === null || value === undefined) return null;
  const [known, wheel, place, claim, start, errorUs, ...taken] = (value as string).split(BETWEEN);
  const parts = { known: Number(known), wheel: Number(wheel), place: Number(place), claim: Number(claim) };
  const [node, silentSince, takenOverAt] = taken;
  return {
    ...parts,
    start: Number(start),
    clockErrorUs: Number(errorUs),
    takenFrom: node === undefined ? null : takenFromOf(node, silentSince!, takenOverAt!),
  };
}

function takenFromOf(node: string, silentSince: string, takenOverAt: string): TakenFrom {
  return {
    node: decodeURIComponent(node),
    silentSince: silentSince === "" ? null : Number(silentSince),
    takenOverAt: Number(takenOverAt),
  };
}

/** The column of a tally that holds a part of the lateness. */
export function lateColumn(part: keyof LatenessPartsMs): string {
  return `late_${part}_ms`;
}

/** These columns, in the order of `LATENESS_PARTS`. */
export const LATE_COLUMNS = LATENESS_PARTS.map(lateColumn);

/** Reads these columns, or sums of them. */
export function readLateColumns(row: Readonly<Record<string, unknown>>): LatenessPartsMs {
  const parts = noLateness();
  for (const part of LATENESS_PARTS) parts[part] = Number(row[lateColumn(part)] ?? 0);
  return parts;
}
