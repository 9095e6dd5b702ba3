import { FIELDS, type FieldName, type FilterField, isNegatable, namesOf } from "./filter-fields.js";
import { type RangeEnds, writeInstants, writeNumbers } from "./line-ranges.js";
import { isBare, quoted } from "./line-terms.js";
import { listOf, type TaskFilterInput, type TimePoint } from "./task-filter.js";

/**
 * The line of a sound filter: `parseLine` reads from it what the filter says.
 *
 * @example formatLine({ type: ["mail.send"], createdFrom: "24h" }) // "type:mail.send created:<24h"
 */
export function formatLine({ not = {}, state, ...input }: TaskFilterInput): string {
  const given: Record<string, unknown> = state === undefined ? { ...input } : { ...input, states: listOf(state) };
  const late = latenessOf(given);
  const said = late === null ? given : { ...given, states: undefined, dueFrom: undefined, dueTo: undefined };
  const negatable = FIELDS.filter(([, field]) => isNegatable(field));
  return [
    ...(late === null ? [] : [`late:${late}`]),
    ...FIELDS.flatMap(([name, field]) => termOf(said, name, field)),
    ...negatable.flatMap(([name, field]) => termOf({ ...not }, name, field).map((term) => `-${term}`)),
  ].join(" ");
}

function termOf(given: Record<string, unknown>, name: FieldName, field: FilterField): string[] {
  const { word, kind } = field;
  const [from, to] = namesOf(name).map((one) => given[one]);
  if (from === undefined && to === undefined) return [];
  if (kind === "instants") return [`${word}:${writeInstants({ from, to } as RangeEnds<TimePoint>, field.durationIs)}`];
  if (kind === "numbers") return [`${word}:${writeNumbers({ from, to } as RangeEnds<number>)}`];
  if (name === "keyPrefix" && isBare(String(from))) return [`key:${String(from)}*`];
  const texts = Array.isArray(from) ? (from as string[]) : [String(from)];
  return [`${word}:${texts.map((text) => itemOf(text, name)).join(",")}`];
}

/** A key that ends with a star would be the beginning of keys. */
function itemOf(text: string, name: FieldName): string {
  return isBare(text) && !(name === "key" && text.endsWith("*")) ? text : quoted(text);
}

/** What `late:` says of a filter of what is overdue since some time; null: it is another filter. */
function latenessOf({ states, dueFrom, dueTo }: Record<string, unknown>): string | null {
  const ends = Object.entries({ from: dueFrom, to: dueTo }).filter(([, point]) => point !== undefined);
  const isLate = Array.isArray(states) && states.length === 1 && states[0] === "overdue" && ends.length > 0;
  if (!isLate || !ends.every(([, point]) => typeof point === "string" && point.startsWith("-"))) return null;
  return writeInstants(Object.fromEntries(ends.map(([end, point]) => [end, String(point).slice(1)])), "age");
}
