/**
 * A cron expression in words where it has a common shape, such as `every 15 min` or `each weekday at 09:00`. Null where
 * it has none: the expression then speaks for itself.
 */
export function cronWords(cron: string): string | null {
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 5) fields.unshift("0");
  if (fields.length !== 6) return null;
  const [second, minute, hour, ...days] = fields as [string, string, string, string, string, string];
  const day = dayWords(days as [string, string, string]);
  if (day === null) return null;
  const rhythm = rhythmWords(second, minute, hour);
  if (rhythm !== null) return day === eachDay ? rhythm : `${rhythm}, ${day}`;
  const clocks = clockWords(second, minute, hour);
  return clocks === null ? null : `${day} at ${clocks}`;
}

const eachDay = "each day";
/** More times of a day than these are no sentence. */
const mostTimes = 4;

/** What comes again and again within a day. */
function rhythmWords(second: string, minute: string, hour: string): string | null {
  if (hour === "*" && minute === "*") return stepWords(second, seconds);
  if (second !== "0") return null;
  const step = stepWords(minute, minutes);
  if (hour === "*") return step ?? minuteWords(minute);
  if (minute === "0" && hour.startsWith("*/")) return hourStepWords(hour);
  const between = step === null ? null : /^(\d+)-(\d+)$/.exec(hour);
  return between ? betweenWords(step!, minute, [Number(between[1]), Number(between[2])]) : null;
}

interface StepUnit {
  /** How many of it make the next larger one. */
  readonly whole: number;
  readonly short: string;
  readonly name: string;
}

const seconds: StepUnit = { whole: 60, short: "s", name: "second" };
const minutes: StepUnit = { whole: 60, short: "min", name: "minute" };
const hours: StepUnit = { whole: 24, short: "h", name: "hour" };

/** A star alone, or with a step that divides the whole: else the step is uneven at its end. */
function stepWords(field: string, { whole, short, name }: StepUnit): string | null {
  if (field === "*" || field === "*/1") return `every ${name}`;
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1]);
  if (step > 0 && step < whole && whole % step === 0) return `every ${step} ${short}`;
  return name === "second" && field === "0" ? "every minute" : null;
}

function hourStepWords(hour: string): string | null {
  const step = stepWords(hour, hours);
  return step && `${step}, on the hour`;
}

function minuteWords(minute: string): string | null {
  if (minute === "0") return "every hour, on the hour";
  const numbers = numbersOf(minute, { least: 0, most: 59 });
  if (numbers === null || numbers.length > mostTimes) return null;
  return `every hour at ${listWords(numbers.map((one) => `:${twoDigits(one)}`))}`;
}

/** The last time of the last hour is told, as it comes. */
function betweenWords(step: string, minute: string, [first, last]: [number, number]): string | null {
  if (first >= last || last > 23) return null;
  const stepMinutes = Number(/^\*\/(\d+)$/.exec(minute)?.[1] ?? 1);
  return `${step} from ${twoDigits(first)}:00 to ${twoDigits(last)}:${twoDigits(60 - stepMinutes)}`;
}

function clockWords(second: string, minute: string, hour: string): string | null {
  const ofDay = numbersOf(hour, { least: 0, most: 23 });
  const ofHour = numbersOf(minute, { least: 0, most: 59 });
  const ofMinute = numbersOf(second, { least: 0, most: 59 });
  if (ofDay === null || ofHour === null || ofMinute?.length !== 1) return null;
  if (ofDay.length * ofHour.length > mostTimes) return null;
  const ending = ofMinute[0] === 0 ? "" : `:${twoDigits(ofMinute[0]!)}`;
  return listWords(ofDay.flatMap((h) => ofHour.map((m) => `${twoDigits(h)}:${twoDigits(m)}${ending}`)));
}

/** On which days: by the week, or by the month; an expression that names both is no sentence. */
function dayWords([day, month, weekday]: [string, string, string]): string | null {
  const isAnyDay = isAny(day);
  const isAnyWeekday = isAny(weekday);
  const months = monthWords(month);
  if (months === null || (!isAnyDay && !isAnyWeekday)) return null;
  if (!isAnyWeekday) return inMonths(weekWords(weekday), months);
  if (!isAnyDay) return monthDayWords(day, months);
  return inMonths(eachDay, months);
}

const isAny = (field: string): boolean => field === "*" || field === "?";

function inMonths(days: string | null, months: string): string | null {
  return days === null || months === "" ? days : `${days} in ${months}`;
}

/** `on the 1st of each month`, `on 24 December`. */
function monthDayWords(day: string, months: string): string | null {
  const of = months === "" ? "each month" : months;
  if (day.toUpperCase() === "L") return `on the last day of ${of}`;
  const days = numbersOf(day, { least: 1, most: 31 });
  if (days === null || days.length > mostTimes) return null;
  return `on the ${listWords(days.map(ordinal))} of ${of}`;
}

const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function weekWords(field: string): string | null {
  const numbers = numbersOf(field, { least: 0, most: 7, names: weekdayNames.map(threeLetters) });
  if (numbers === null) return null;
  // Sunday is 0 and 7; a week begins with Monday.
  const days = [...new Set(numbers.map((one) => (one === 0 ? 7 : one)))].sort((one, other) => one - other);
  if (days.length === 7) return eachDay;
  if (days.join() === "1,2,3,4,5") return "each weekday";
  return `each ${listWords(days.map((one) => weekdayNames[one % 7]!))}`;
}

/** Empty: all of them. */
function monthWords(field: string): string | null {
  if (field === "*") return "";
  const numbers = numbersOf(field, { least: 1, most: 12, names: monthNames.map(threeLetters) });
  if (numbers === null || numbers.length > mostTimes) return null;
  return listWords(numbers.map((one) => monthNames[one - 1]!));
}

const threeLetters = (name: string): string => name.slice(0, 3).toUpperCase();

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** In their order, from `least` on. */
  readonly names?: readonly string[];
}

/** The numbers of a field that is a list of numbers and ranges. Null: it is none. */
function numbersOf(field: string, bounds: Bounds): number[] | null {
  const all = field.split(",").map((item) => rangeOf(item, bounds));
  if (all.includes(null)) return null;
  return [...new Set(all.flatMap((range) => range!))].sort((one, other) => one - other);
}

function rangeOf(item: string, bounds: Bounds): number[] | null {
  const ends = item.split("-").map((end) => numberOf(end, bounds));
  const [first = null, last = first] = ends;
  if (ends.length > 2 || first === null || last === null || last < first) return null;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function numberOf(text: string, { least, most, names = [] }: Bounds): number | null {
  const named = names.indexOf(text.toUpperCase());
  if (named !== -1) return named + least;
  if (!/^\d{1,2}$/.test(text)) return null;
  const number = Number(text);
  return number >= least && number <= most ? number : null;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

function ordinal(number: number): string {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[number % 10] ?? "th";
  return `${number}${number > 10 && number < 14 ? "th" : ending}`;
}

/** `a`, `a and b`, `a, b and c`. */
function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
