import { type EpochMs, isTaskId, parseInstant } from "@tickwheel/core";
import { textRule, typeRule } from "../input/input-rules.js";
import { flag, instant, list, special, string, words } from "../shapes/parts.js";
import type { Shape } from "../shapes/shape.js";

/** The most items of one page. */
export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

/** A parameter of a query: text that becomes a value; of a filter in code: what it takes for that value. */
export interface Parameter<Value = unknown> extends Shape<Value> {
  /** What is wrong with anything else. */
  readonly message: string;
  /** The value; undefined: the text is wrong. */
  readonly parse: (text: string) => Value | undefined;
  /** The value, of what code gives; undefined: that is wrong. */
  readonly take: (given: unknown) => Value | undefined;
  /** What is wrong with anything else that code gives. Default: `message`. */
  readonly messageInCode?: string;
  /** What its absence means. */
  readonly default?: Value;
  readonly isRequired?: boolean;
  /** For a list: one text is one value, which may have commas. Default: commas part it. */
  readonly isWhole?: true;
}

/** A parameter that has a value also where it is absent. */
export type UsualParameter<Value> = Parameter<Value> & { readonly default: Value };

type Read<Value> = Pick<Parameter<Value>, "message" | "parse"> &
  Partial<Pick<Parameter<Value>, "take" | "messageInCode" | "code">>;

/** Code gives texts as they are, unless `take` says otherwise. */
function parameter<Value>(shape: Shape, text: string, read: Read<Value>): Parameter<Value> {
  const take = (given: unknown): Value | undefined => (typeof given === "string" ? read.parse(given) : undefined);
  return { ...(shape as Omit<Shape<Value>, "default">), text, isOptional: true, take, ...read };
}

export function textParameter(maxLength: number, text: string): Parameter<string> {
  const rule = textRule(1, maxLength);
  return parameter(string(), text, {
    message: `must be 1 to ${maxLength} characters without NUL or a lone surrogate`,
    parse: (value) => (rule(value) === null ? value : undefined),
  });
}

/** The name of a type: one that no type can have is refused. */
export function typeParameter(text: string): Parameter<string> {
  return parameter(string(), text, {
    message: typeRule("")!,
    parse: (value) => (typeRule(value) === null ? value : undefined),
  });
}

/** One of these words. */
export function wordParameter<const Word extends string>(
  options: readonly Word[],
  text: string,
  { name = null }: { name?: string | null } = {},
): Parameter<Word> {
  return parameter(words(options, name), text, {
    message: `must be ${options.slice(0, -1).join(", ")} or ${options.at(-1)}`,
    parse: (value) => options.find((word) => word === value),
  });
}

/** The same with a default. */
export function usually<const Value>(usual: NoInfer<Value>, of: Parameter<Value>): UsualParameter<Value> {
  return { ...of, default: usual };
}

/** Some of these words: several parameters, or one with commas between them. */
export function wordsParameter<const Word extends string>(
  options: readonly Word[],
  text: string,
  { name = null }: { name?: string | null } = {},
): Parameter<Word[]> {
  const take = (given: unknown): Word[] | undefined =>
    Array.isArray(given) && given.every((word) => options.includes(word as Word)) ? (given as Word[]) : undefined;
  return parameter<Word[]>(list(words(options, name)), text, {
    message: `must be among ${options.join(", ")}`,
    parse: (value) => take([value]),
    take,
  });
}

export function flagParameter(text: string): Parameter<boolean> {
  return parameter(flag(), text, {
    message: "must be true or false",
    parse: (value) => (value === "true" ? true : value === "false" ? false : undefined),
    take: (given) => (typeof given === "boolean" ? given : undefined),
  });
}

/** ISO 8601 with offset; in code a Date and epoch milliseconds, too. */
export function instantParameter(text: string): Parameter<EpochMs> {
  return parameter(instant(), text, {
    message: "must be an ISO 8601 instant with offset",
    parse: (value) => parseInstant(value) ?? undefined,
    take: takeInstant,
    messageInCode: "must be an instant: a Date, epoch milliseconds, or ISO 8601 with offset",
    code: {
      type: "Date | number | string",
      values: "A Date, epoch milliseconds, or ISO 8601 with offset.",
    },
  });
}

function takeInstant(given: unknown): EpochMs | undefined {
  if (typeof given === "string") return parseInstant(given) ?? undefined;
  const at = given instanceof Date ? given.getTime() : given;
  return Number.isFinite(at) ? (at as EpochMs) : undefined;
}

/** A whole number from 1 to `max`, which has four digits at most. */
export function countParameter(max: number, usual: number, text: string): UsualParameter<number> {
  const shape = special<number>("Int", { type: "integer", minimum: 1, maximum: max });
  const take = (given: unknown): number | undefined =>
    Number.isInteger(given) && (given as number) >= 1 && (given as number) <= max ? (given as number) : undefined;
  const counted = parameter<number>(shape, text, {
    message: `must be an integer from 1 to ${max}`,
    parse: (value) => (/^\d{1,4}$/.test(value) ? take(Number(value)) : undefined),
    take,
  });
  return usually(usual, counted);
}

export const BAD_CURSOR = "must be a cursor that this list gave";

/** What code calls it. */
const NEXT = "The `next` of the page before. Default: the first page.";

/** Where a page begins; `parse` answers undefined for what the list did not give. */
export function cursorParameter<Place>(parse: (text: string) => Place | undefined): Parameter<Place> {
  const text = "The `nextCursor` of the page before; none: the first page.";
  return parameter<Place>(string(), text, { message: BAD_CURSOR, parse, code: { text: NEXT } });
}

/** The cursor of a list that goes by ids. */
export const idCursor = cursorParameter((text) => (isTaskId(text) ? text.toLowerCase() : undefined));
/** The cursor of a list that counts. */
export const placeCursor: Parameter<number> = {
  ...cursorParameter((text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined)),
  take: (given) => (Number.isInteger(given) && (given as number) >= 0 ? (given as number) : undefined),
  code: { type: "number", text: NEXT },
};

/** How long a page is, and where it begins. */
export function page<Place>(cursor: Parameter<Place>): { limit: UsualParameter<number>; cursor: Parameter<Place> } {
  return { limit: countParameter(MAX_PAGE, DEFAULT_PAGE, "How many the page holds at most."), cursor };
}
