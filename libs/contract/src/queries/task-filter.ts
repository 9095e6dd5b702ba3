import {
  type AskedFilter,
  checkAsked,
  type Fault,
  type FieldName,
  FIELDS,
  type FILTER_FIELDS,
  FILTER_STATES,
  FINGERPRINT_PATTERN,
  type FilterField,
  isNegatable,
  MAX_LINE,
  namesOf,
  type TaskFilterInput,
  type ValueRule,
} from "@tickwheel/core";
import { flag, id, list, special, words } from "../shapes/parts.js";
import type { Shape } from "../shapes/shape.js";
import type { Parameter } from "./parameters.js";

// The filter of tasks at the edges, made of its table of fields. Values are judged by the filter's own check, so here
// texts only become values.

type Fields = typeof FILTER_FIELDS;
type NegatableName = {
  [Name in FieldName]: Fields[Name] extends { isNegatable: true } ? Name : never;
}[FieldName];
type NameOf<Name extends FieldName> = Fields[Name]["kind"] extends "instants" | "numbers"
  ? `${Name}From` | `${Name}To`
  : Name extends "states"
    ? "state"
    : Name;
/**
 * A parameter of the filter; what is negated has `not.` before it, and is an object's field where there are objects.
 */
export type FilterParameter = { [Name in FieldName]: NameOf<Name> }[FieldName] | `not.${NegatableName}` | "q";

const NOT = "not.";
const LINE =
  "The filter as a line, such as `state:dead type:mail.* -tag:vip created:<24h`; what stands beside it must hold, too.";

const AHEAD =
  "An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.";
const AGO =
  "An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as `06:00`, or `24h`: so long ago.";

/** The parameters of the filter, its line among them. */
export const FILTER_PARAMETERS = Object.fromEntries([
  ...FIELDS.flatMap(([name, field]) => namesOf(name).map((one) => [outerName(one), parameterOf(one, field)] as const)),
  ...FIELDS.filter(([, field]) => isNegatable(field)).map(
    ([name, field]) => [`${NOT}${name}`, parameterOf(name, { ...field, text: negatedText(field) })] as const,
  ),
  ["q", textual(special("String", { type: "string", maxLength: MAX_LINE }), LINE)] as const,
]) as unknown as Readonly<Record<FilterParameter, Parameter<NonNullable<unknown>>>>;

/** REST and GraphQL say `state`, whether it is one or several. */
function outerName(name: string): string {
  return name === "states" ? "state" : name;
}

function negatedText({ text, kind }: FilterField): string {
  const many = kind === "list" ? text.replace(/ all of these /, " any of these ") : text;
  return `Leaves out ${lowered(many)}`;
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function parameterOf(name: string, field: FilterField): Parameter<NonNullable<unknown>> {
  switch (field.kind) {
    case "list": {
      const shape = list(shapeOf(field.value), { maxItems: field.most });
      return {
        ...textual(shape, field.text),
        // One that stands alone is a fault of the whole.
        take: (given) => (Array.isArray(given) && given.length === 1 ? (given[0] as unknown) : given)!,
        ...(field.isRepeated && { isWhole: true }),
      };
    }
    case "one":
      return textual(shapeOf(field.value), field.text);
    case "flag":
      return { ...textual(flag(), field.text), parse: (text) => FLAGS.get(text) ?? text };
    case "instants":
      return instantsOf(name, field);
    case "numbers": {
      const end = name.endsWith("From") ? "or more." : "or less.";
      const shape = special("Int", { type: "integer", minimum: field.least, maximum: field.greatest });
      return {
        ...textual(shape, `${field.text} ${end}`),
        parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : text),
      };
    }
  }
}

const FLAGS = new Map([
  ["true", true],
  ["false", false],
]);

function instantsOf(
  name: string,
  { text, durationIs }: Extract<FilterField, { kind: "instants" }>,
): Parameter<NonNullable<unknown>> {
  const values = durationIs === "age" ? AGO : AHEAD;
  const meaning = `${text} ${name.endsWith("From") ? "then or later" : "before then"}.`;
  return {
    ...textual(special("TimePoint", { type: "string" }), `${meaning} ${values}`),
    code: { type: "Date | number | string", text: meaning, values: `A Date, epoch milliseconds, ${lowered(values)}` },
  };
}

function shapeOf(rule: ValueRule): Shape {
  switch (rule.is) {
    case "uuid":
      return id();
    case "fingerprint":
      return special("String", { type: "string", pattern: FINGERPRINT_PATTERN });
    case "word":
      // More reasons may come, which must not break a client.
      return words(rule.words, rule.words === FILTER_STATES ? "TaskFilterState" : null);
    case "name":
    case "text":
    case "batch":
      return special("String", { type: "string", minLength: 1, maxLength: rule.longest });
  }
}

/** The parameter of a field whose values and texts nothing but the filter's check judges. */
function textual(shape: Shape, text: string): Parameter<NonNullable<unknown>> {
  return {
    ...(shape as Omit<Shape<NonNullable<unknown>>, "default">),
    text,
    isOptional: true,
    message: "must be given once",
    parse: (given) => given,
    take: (given) => given as NonNullable<unknown>,
  };
}

/** What a query asks for, by the names of the filter's object. */
export function askedFilterOf(values: Readonly<Partial<Record<FilterParameter, unknown>>>): AskedFilter {
  const names = Object.keys(FILTER_PARAMETERS) as FilterParameter[];
  const given = names.filter((name) => name !== "q" && values[name] !== undefined);
  const fieldsOf = (some: readonly FilterParameter[], prefix = ""): object =>
    Object.fromEntries(some.map((name) => [name === "state" ? "states" : name.slice(prefix.length), values[name]]));
  const negated = given.filter((name) => name.startsWith(NOT));
  const fields: TaskFilterInput = {
    ...fieldsOf(given.filter((name) => !name.startsWith(NOT))),
    ...(negated.length > 0 && { not: fieldsOf(negated, NOT) }),
  };
  return { fields, line: values.q as string | undefined };
}

/**
 * What is wrong with a filter by itself, by the names of the query. What depends on the time is told when it is read.
 */
export function filterFaults(values: Readonly<Partial<Record<FilterParameter, unknown>>>): Fault[] {
  return namedOutside(checkAsked(askedFilterOf(values), null).faults);
}

function namedOutside(faults: readonly Fault[]): Fault[] {
  return faults.map(({ path, message }) => ({ path: path.replace(/^states(?=$|\[)/, "state"), message }));
}
