import {
  checkLine,
  type FilterMoment,
  isBare,
  type LineFault,
  nameIn,
  parseLine,
  quoted,
  termsOf,
  withoutSuggestion,
} from "@tickwheel/core/filter";

/** A fault of a line, and what may be meant there. */
export interface CurableFault extends Pick<LineFault, "from" | "to" | "message"> {
  /** What may stand in its place; empty: it can be left out; null: nothing is like it. */
  readonly instead: string | null;
}

/** All faults of a line, from left to right. */
export function faultsOf(line: string, moment: FilterMoment): CurableFault[] {
  const { faults } = checkLine(line, moment);
  return faults.map((fault) => curable(line, fault)).sort((one, other) => one.from - other.from);
}

function curable(line: string, { path, message: told, from, to }: LineFault): CurableFault {
  const { message, meant } = withoutSuggestion(told);
  const text = line.slice(from, to);
  const [term] = termsOf(text);
  const said = parseLine(line).places.get(nameIn(path));
  if (term?.word === null) return { from, to, message, instead: `key:${itemOf(text)}` };
  if (said !== undefined && said.from !== from) return { from, to, message, instead: "" };
  return { from, to, message, instead: meant === null ? null : corrected(text, path, meant) };
}

/** A term with the word that was meant: as its field, or as the value that the path names. */
function corrected(text: string, path: string, meant: string): string | null {
  const [term] = termsOf(text);
  if (!term?.word) return null;
  if (term.word === path) return text.replace(path, meant);
  const at = Number(/\[(\d+)\]$/.exec(path)?.[1] ?? 0);
  const items = term.items.map(({ text: item }, place) => itemOf(place === at ? meant : item));
  return `${term.isNegated ? "-" : ""}${term.word}:${items.join(",")}`;
}

function itemOf(text: string): string {
  return isBare(text) ? text : quoted(text);
}

/** The line with what was meant in the place of a fault. */
export function cured(line: string, { from, to, instead }: CurableFault): string {
  return `${line.slice(0, from)}${instead ?? ""}${line.slice(to)}`.trim();
}
