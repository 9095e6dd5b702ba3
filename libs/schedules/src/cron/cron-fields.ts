/** A field of an expression: what it is called, what it may hold, and the names of its values. */
interface Field {
  name: string;
  low: number;
  high: number;
  names?: readonly string[];
  /** What is allowed beside values, ranges and steps. */
  special?: RegExp;
  /** Whether `?` may stand for `*`. */
  isDay?: boolean;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const SECOND: Field = { name: "second", low: 0, high: 59 };
const MINUTE: Field = { name: "minute", low: 0, high: 59 };
const HOUR: Field = { name: "hour", low: 0, high: 23 };
const DAY: Field = { name: "day of month", low: 1, high: 31, special: /^(L|LW|(?:[1-9]|[12]\d|3[01])W)$/, isDay: true };
const MONTH: Field = { name: "month", low: 1, high: 12, names: MONTHS };
const WEEKDAY: Field = {
  name: "day of week",
  low: 0,
  high: 7,
  names: WEEKDAYS,
  special: /^[0-7](L|#[1-5])$/,
  isDay: true,
};
const FIELDS = [SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY];

/** The longest expression. */
export const MAX_CRON_LENGTH = 256;
const ITEM = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/;

/** An expression, read: its times of day as numbers, its days as a pattern for the calendar. */
export interface CronFields {
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
  /** `day-of-month month day-of-week`, names and `?` replaced. */
  days: string;
  /** Whether the hour field names hours: those have a policy for gaps and folds, all others follow elapsed time. */
  isFixed: boolean;
}

/**
 * Reads a cron expression of 5 or 6 fields, at most 256 characters. Returns its fields, or what is wrong with it: one
 * message for each faulty item. Nothing is left for the calendar to refuse.
 *
 * @example parseCron("30 2 * * SUN") // { fields: { hours: [2], … }, faults: [] }
 */
export function parseCron(text: string): { fields: CronFields | null; faults: string[] } {
  if (text.length > MAX_CRON_LENGTH) return refused(`must be at most ${MAX_CRON_LENGTH} characters`);
  const parts = text
    .toUpperCase()
    .trim()
    .split(/[ \t]+/);
  if (text.trim().startsWith("@")) return refused("must be 5 or 6 fields; for @daily write 0 0 * * *");
  if (parts.length < 5 || parts.length > 6)
    return refused("must be 5 fields (minute hour day-of-month month day-of-week), or 6 with the seconds first");
  const texts = parts.length === 5 ? ["0", ...parts] : parts;
  const read = texts.map((part, place) => readField(part, FIELDS[place]!));
  const faults = read.flatMap(({ faults: ofField }) => ofField);
  if (faults.length > 0) return { fields: null, faults };
  const [seconds, minutes, hours] = read.map(({ values }) => values) as [number[], number[], number[]];
  const days = read.slice(3).map(({ pattern }) => pattern);
  const isFixed = !/[*/]/.test(texts[2]!) && hours.length < 24;
  return { fields: { seconds, minutes, hours, days: days.join(" "), isFixed }, faults: [] };
}

function refused(message: string): { fields: null; faults: string[] } {
  return { fields: null, faults: [message] };
}

interface ReadField {
  /** Its plain values, rising, each once. */
  values: number[];
  /** The field as the calendar takes it. */
  pattern: string;
  faults: string[];
}

function readField(text: string, field: Field): ReadField {
  if (text === "*" || (field.isDay && text === "?"))
    return { values: numbersBetween(field.low, field.high, 1), pattern: "*", faults: [] };
  const values = new Set<number>();
  const specials = new Set<string>();
  const faults: string[] = [];
  for (const [place, item] of text.split(",").entries()) {
    const special = specialOf(item, field);
    const read = special ?? readItem(item, field);
    if (typeof read === "string" && special === null)
      faults.push(`has a fault in its ${field.name} field (item ${place + 1}): it ${read}`);
    else if (typeof read === "string") specials.add(read);
    else for (const value of read) values.add(field === WEEKDAY ? value % 7 : value);
  }
  if (specials.has("LW") && text !== "LW") faults.push(`has a fault in its ${field.name} field: LW must stand alone`);
  const rising = [...values].sort((one, other) => one - other);
  const pattern = isEveryDay(field, rising) ? "*" : [...rising, ...specials].join(",");
  return { values: rising, pattern, faults };
}

/** A day field that names all days restricts nothing, however it is written. */
function isEveryDay(field: Field, values: readonly number[]): boolean {
  return field.isDay === true && values.length === lastOf(field) - field.low + 1;
}

/** An item such as `L`, `15W` or `FRI#2` as the calendar takes it; null where it is none. */
function specialOf(item: string, field: Field): string | null {
  const numbered = item.replace(/^[A-Z]{3}/, (name) => String(field.names ? valueOf(name, field) : name));
  if (!field.special?.test(numbered)) return null;
  return field === WEEKDAY ? numbered.replace(/^7/, "0") : numbered;
}

/** The values of an item, or what is wrong with it. */
function readItem(item: string, field: Field): number[] | string {
  const [, first, last, step] = ITEM.exec(item) ?? [];
  if (first === undefined || (first === "*" && last !== undefined)) return "is not understood";
  if (step !== undefined && first !== "*" && last === undefined) return "must have its step after * or a range";
  const from = first === "*" ? field.low : valueOf(first, field);
  const to = first === "*" ? lastOf(field) : last === undefined ? from : endOf(last, field);
  if (from === null || to === null) return `must be ${field.low} to ${field.high}${namesOf(field)}`;
  if (from > to) return "must go from low to high";
  const stride = step === undefined ? 1 : Number(step);
  if (stride < 1 || stride > lastOf(field)) return `must have a step of 1 to ${lastOf(field)}`;
  return numbersBetween(from, to, stride);
}

/** `*` in the day of week is Sunday to Saturday, so that Sunday is there once. */
function lastOf(field: Field): number {
  return field === WEEKDAY ? 6 : field.high;
}

function valueOf(text: string, { low, high, names }: Field): number | null {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return named + low;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= low && value <= high ? value : null;
}

/** The end of a range: a week that ends on Sunday ends on 7. */
function endOf(text: string, field: Field): number | null {
  return field === WEEKDAY && text === "SUN" ? 7 : valueOf(text, field);
}

function namesOf({ names }: Field): string {
  return names ? `, or ${names[0]} to ${names.at(-1)}` : "";
}

function numbersBetween(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}
