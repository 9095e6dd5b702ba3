import { suggestion } from "../errors/did-you-mean.js";
import type { Fault } from "../errors/errors.js";
import { isTaskId } from "../ids/is-task-id.js";
import { checkFilter, type FilterCheck } from "./check-filter.js";
import { type FieldName, FIELDS, type FilterField, isNegatable, namesOf } from "./filter-fields.js";
import { type RangeEnds, readInstants, readNumbers } from "./line-ranges.js";
import { type LineItem, type LinePlace, type LineTerm, termsOf } from "./line-terms.js";
import type { TaskFilterInput } from "./task-filter.js";
import { type FilterMoment, isDuration } from "./time-points.js";

/** The longest line, in characters. */
export const MAX_LINE = 2_000;

/** A fault of a line, and where what it is about stands. Its path is that of the filter's object. */
export interface LineFault extends Fault, LinePlace {}

/** What a line says. */
export interface LineReading {
  /** What was said by the terms that could be read; not checked yet. */
  input: TaskFilterInput;
  faults: LineFault[];
  /** Where each name of the object was said, negated ones as `not.tag`. */
  places: ReadonlyMap<string, LinePlace>;
}

const FIELD_OF_WORD = new Map(FIELDS.map(([name, field]) => [field.word, { name, field }]));
/** What is due since so long and has not started. */
const LATE = "late";
const WORDS = [...FIELD_OF_WORD.keys(), LATE];
const NO_RANGE = 'must be a range, such as "<24h", ">2026-11-24" or "06:00..07:00"';
const NO_NUMBERS = 'must be a number or a range of them, such as "3", ">3" or "1..3"';
const NO_LATENESS = 'must be a range of durations, such as ">5m"';
const TWO_VALUES = "takes one value; a comma stands in quotation marks";

/**
 * Reads the line of a filter, such as `state:dead type:mail.* -tag:vip created:<24h`: fields and their values, all of
 * which must hold. A value with a space, a comma or a quotation mark stands in quotation marks; in them `\` stands
 * before `"` and `\`. A UUID alone is an id. `late:>5m` is what is overdue since more than five minutes. Never throws:
 * what cannot be read is a fault.
 *
 * @example parseLine("type:mail.send created:<24h").input // { type: ["mail.send"], createdFrom: "24h" }
 */
export function parseLine(line: string): LineReading {
  const reader = new LineReader();
  if (line.length > MAX_LINE) {
    const message = `must not be longer than ${MAX_LINE} characters`;
    return { input: {}, faults: [{ path: "", message, from: MAX_LINE, to: line.length }], places: new Map() };
  }
  for (const term of termsOf(line)) reader.read(term);
  return reader;
}

/** What became of a line. */
export interface LineCheck extends Pick<FilterCheck, "filter">, Pick<LineReading, "input"> {
  faults: LineFault[];
}

/** Reads a line and checks what it says, see `checkFilter`. */
export function checkLine(line: string, moment: FilterMoment | null): LineCheck {
  const { input, faults, places } = parseLine(line);
  const checked = checkFilter(input, moment);
  const whole = { from: 0, to: line.length };
  const placed = checked.faults.map((fault) => ({ ...fault, ...placeOf(places.get(nameIn(fault.path)) ?? whole) }));
  return { input, filter: checked.filter, faults: [...faults, ...placed] };
}

function placeOf({ from, to }: LinePlace): LinePlace {
  return { from, to };
}

/** The name that a path begins with: `not.tag` of `not.tag[1]`. */
export function nameIn(path: string): string {
  return path.replace(/\[\d+\]$/, "");
}

/** Reads term by term. */
class LineReader implements LineReading {
  readonly input: Record<string, unknown> & TaskFilterInput = {};
  readonly faults: LineFault[] = [];
  readonly places = new Map<string, LinePlace>();

  read(term: LineTerm): void {
    const { word, items, isNegated, fault } = term;
    if (word === null) this.readBare(items[0]!.text, term);
    else if (word === LATE && !isNegated && fault === undefined) this.readLate(items, term);
    else {
      const known = FIELD_OF_WORD.get(word);
      if (!known) this.tell(term, word, `is not a field of a filter${suggestion(word, WORDS)}`);
      else if (fault !== undefined) this.tell(term, known.name, fault);
      else if (isNegated && !isNegatable(known.field)) this.tell(term, known.name, "cannot be negated");
      else this.readField(known, items, term);
    }
  }

  private readBare(text: string, term: LineTerm): void {
    if (isTaskId(text)) this.set("id", [text], term);
    else this.tell(term, "", noField(text));
  }

  private readField(
    { name, field }: { name: FieldName; field: FilterField },
    items: readonly LineItem[],
    term: LineTerm,
  ): void {
    const texts = items.map(({ text }) => text);
    if (field.kind === "list") this.setList(name, texts, { ...term, isRepeated: field.isRepeated === true });
    else if (items.length !== 1) this.tell(term, name, TWO_VALUES);
    else if (field.kind === "instants") this.setEnds(name, readInstants(texts[0]!, field.durationIs) ?? NO_RANGE, term);
    else if (field.kind === "numbers") this.setEnds(name, readNumbers(texts[0]!) ?? NO_NUMBERS, term);
    else if (field.kind === "flag") this.set(name, FLAGS.get(texts[0]!) ?? texts[0], term);
    else if (name === "key" && isBeginning(items[0]!)) this.set("keyPrefix", texts[0]!.slice(0, -1), term);
    else this.set(name, texts[0], term);
  }

  private readLate([item, ...more]: readonly LineItem[], term: LineTerm): void {
    const ends = more.length === 0 ? readInstants(item!.text, "age") : null;
    const since = Object.entries(ends ?? {}) as [string, string][];
    if (since.length === 0 || !since.every(([, point]) => isDuration(point) && !point.startsWith("-"))) {
      this.tell(term, "due", NO_LATENESS);
      return;
    }
    this.set("states", ["overdue"], term);
    this.setEnds("due", Object.fromEntries(since.map(([end, point]) => [end, `-${point}`])), term);
  }

  /** @param ends or why there are none */
  private setEnds(name: FieldName, ends: RangeEnds<string | number> | string, term: LineTerm): void {
    const [from, to] = namesOf(name);
    if (typeof ends === "string") this.tell(term, name, ends);
    else {
      if (ends.from !== undefined) this.set(from!, ends.from, term);
      if (ends.to !== undefined) this.set(to!, ends.to, term);
    }
  }

  private setList(name: string, values: readonly string[], term: LineTerm & { isRepeated: boolean }): void {
    const { isNegated, isRepeated } = term;
    const before = isRepeated ? ((isNegated ? this.input.not : this.input) as Record<string, unknown> | undefined) : {};
    const said = (before?.[name] ?? []) as readonly string[];
    if (said.length > 0) this.places.delete(pathOf(name, term));
    this.set(name, [...said, ...values], term);
  }

  private set(name: string, value: unknown, term: LineTerm): void {
    const path = pathOf(name, term);
    if (this.places.has(path)) this.tell(term, path, "is said twice");
    else {
      this.places.set(path, term);
      if (term.isNegated) this.input.not = { ...this.input.not, [name]: value };
      else this.input[name] = value;
    }
  }

  private tell({ from, to }: LinePlace, path: string, message: string): void {
    this.faults.push({ path, message, from, to });
  }
}

function noField(text: string): string {
  return `has "${text}" without a field before it, such as "key:${text}"`;
}

const FLAGS = new Map([
  ["true", true],
  ["false", false],
]);

function isBeginning({ text, isQuoted }: LineItem): boolean {
  return !isQuoted && text.endsWith("*");
}

function pathOf(name: string, { isNegated }: LineTerm): string {
  return isNegated ? `not.${name}` : name;
}
