import { type Fault, suggestion } from "@tickwheel/core";
import { throwFaults } from "../input/input-faults.js";
import type { Parameter } from "./parameters.js";

/** What a call may be asked for in its query: the parameters of REST, the filter and the page of GraphQL. */
export interface Query<P extends Parameters = Parameters> {
  readonly parameters: P;
  /** What is wrong with parameters beside others, each of which is right. */
  across(values: QueryValues<P>): readonly Fault[];
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The values of a query. A value that was not given is undefined, unless it has a default. */
export type QueryValues<P extends Parameters> = {
  -readonly [Name in keyof P]: P[Name] extends { readonly parse: (text: string) => infer Value }
    ? Exclude<Value, undefined> | (P[Name] extends { readonly default: NonNullable<unknown> } ? never : undefined)
    : never;
};

export type ValuesOf<Q> = Q extends Query<infer P> ? QueryValues<P> : never;

/** What is said of a parameter that a call does not know. */
export const UNKNOWN_PARAMETER = "is not a known parameter";

export function query<const P extends Parameters>(
  parameters: P,
  across: (values: QueryValues<P>) => readonly Fault[] = () => [],
): Query<P> {
  return { parameters, across };
}

/** What a parameter is called, where that differs: `{ limit: "first", cursor: "after" }`. */
export type ParameterNames = Readonly<Record<string, string>>;

/** How a query is given. */
export interface QueryForm {
  /** The names of parameters, as the caller knows them. Default: their own. */
  names?: ParameterNames;
  /** Whether each text of a list is one value. Default: commas part it. */
  areWhole?: boolean;
}

/**
 * Reads a query.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault, unknown parameters last
 */
export function readQuery<P extends Parameters>(
  asked: Query<P>,
  given: Readonly<Record<string, unknown>>,
  { names = {}, areWhole = false }: QueryForm = {},
): QueryValues<P> {
  const { parameters } = asked;
  const known = new Map(Object.keys(parameters).map((name) => [names[name] ?? name, name]));
  const faults: Fault[] = [];
  const values: Record<string, unknown> = {};
  for (const [path, name] of known) {
    const { message, isRequired } = parameters[name]!;
    const value = valueOf(parameters[name]!, given[path], areWhole);
    values[name] = value === WRONG ? undefined : value;
    if (value === WRONG || (isRequired && value === undefined)) faults.push({ path, message });
  }
  for (const fault of asked.across(values as QueryValues<P>))
    faults.push({ ...fault, path: names[fault.path] ?? fault.path });
  for (const path of Object.keys(given))
    if (!known.has(path)) faults.push({ path, message: UNKNOWN_PARAMETER + suggestion(path, [...known.keys()]) });
  throwFaults(faults);
  return values as QueryValues<P>;
}

const WRONG = Symbol("wrong");

function valueOf(
  { form, parse, take, isWhole, default: usual }: Parameter,
  given: unknown,
  areWhole: boolean,
): unknown {
  if (given === undefined) return usual;
  if (form.kind === "list") {
    const texts = typeof given === "string" ? [given] : given;
    const items = isTexts(texts) && !areWhole && !isWhole ? texts.flatMap((text) => text.split(",")) : texts;
    return take(items) ?? WRONG;
  }
  const value = typeof given === "string" ? parse(given) : undefined;
  return value === undefined ? WRONG : value;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
