import {
  FIELDS,
  type FieldName,
  type FilterField,
  formatLine,
  isDuration,
  isNegatable,
  listOf,
  namesOf,
  parseDurationMs,
  parseLine,
  type TaskFilterInput,
} from "@tickwheel/core/filter";
import { formatDuration, formatInstant, type Zone } from "../time/format.js";

/** What a filter says of one field. */
export interface FilterChip {
  readonly name: FieldName;
  readonly isNegated: boolean;
  /** The word of the field in the line, behind a `not` where it is negated. */
  readonly word: string;
  /** What it says, in words. */
  readonly text: string;
}

/** The filter of a sound line as chips, in the order in which lines are written. */
export function chipsOf(line: string, zone: Zone): FilterChip[] {
  const { input } = parseLine(line);
  const negated: object = input.not ?? {};
  return [
    ...FIELDS.flatMap(([name, field]) => chipOf(input, { name, field, zone, isNegated: false })),
    ...FIELDS.flatMap(([name, field]) =>
      isNegatable(field) ? chipOf(negated, { name, field, zone, isNegated: true }) : [],
    ),
  ];
}

/** The line without what a chip says. */
export function without(line: string, { name, isNegated }: FilterChip): string {
  const { input } = parseLine(line);
  const left = Object.fromEntries(namesOf(name).map((one) => [one, undefined]));
  return formatLine(isNegated ? { ...input, not: { ...input.not, ...left } } : { ...input, ...left });
}

/** The fields of which a line says nothing that must hold. */
export function unsaidFields(line: string): (readonly [FieldName, FilterField])[] {
  const input = parseLine(line).input as Readonly<Record<string, unknown>>;
  return FIELDS.filter(([name]) => namesOf(name).every((one) => input[one] === undefined));
}

interface Said {
  name: FieldName;
  field: FilterField;
  zone: Zone;
  isNegated: boolean;
}

function chipOf(given: TaskFilterInput | object, { name, field, zone, isNegated }: Said): FilterChip[] {
  const [from, to] = namesOf(name).map((one) => (given as Readonly<Record<string, unknown>>)[one]);
  if (from === undefined && to === undefined) return [];
  const chip = { name, isNegated, word: isNegated ? `not ${field.word}` : field.word };
  switch (field.kind) {
    case "instants":
      return [{ ...chip, text: instantsText({ from, to } as Ends<string>, { name, field, zone }) }];
    case "numbers":
      return [{ ...chip, text: numbersText({ from, to } as Ends<number>) }];
    case "flag":
      return [{ ...chip, text: String(from) }];
    default:
      return [{ ...chip, text: listOf(from as string | string[]).join(", ") }];
  }
}

interface Ends<End> {
  from?: End;
  to?: End;
}

function numbersText({ from, to }: Ends<number>): string {
  if (from === to) return String(from);
  if (from === undefined) return `at most ${to}`;
  return to === undefined ? `${from} or more` : `${from} to ${to}`;
}

interface OfInstants {
  name: FieldName;
  field: Extract<FilterField, { kind: "instants" }>;
  zone: Zone;
}

/** `last 1 d`, `within 1 h or overdue`, `from 2026-11-24 06:00 to 2026-11-24 07:00`. */
function instantsText({ from, to }: Ends<string>, { name, field: { durationIs }, zone }: OfInstants): string {
  const text = (point: string): string => pointText(point, durationIs, zone);
  if (from !== undefined && to !== undefined) return `from ${text(from)} to ${text(to)}`;
  const point = (from ?? to)!;
  if (!isDuration(point)) return from === undefined ? `before ${text(point)}` : `from ${text(point)} on`;
  const length = lengthText(point);
  const isPast = durationIs === "age" || point.startsWith("-");
  if (isPast) return from === undefined ? `more than ${length} ago` : `last ${length}`;
  if (from !== undefined) return `in ${length} or later`;
  return `within ${length} or ${name === "due" ? "overdue" : "past"}`;
}

function pointText(point: string, durationIs: "age" | "ahead", zone: Zone): string {
  if (!isDuration(point)) return formatInstant(Date.parse(point), zone).replace(/(?::00)?\.000$/, "");
  const isPast = durationIs === "age" || point.startsWith("-");
  return isPast ? `${lengthText(point)} ago` : `in ${lengthText(point)}`;
}

function lengthText(duration: string): string {
  return formatDuration(parseDurationMs(duration.replace(/^-/, "")));
}
