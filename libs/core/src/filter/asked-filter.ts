import type { Fault } from "../errors/errors.js";
import { checkFilter } from "./check-filter.js";
import { nameIn, parseLine } from "./parse-line.js";
import type { LinePlace } from "./line-terms.js";
import type { JoinedConditions, NegatedConditions, TaskConditions, TaskFilterInput } from "./task-filter.js";
import type { FilterMoment } from "./time-points.js";

/** Which tasks are asked for, not checked yet. */
export interface AskedFilter {
  fields: TaskFilterInput;
  /** A line beside them, see `parseLine`: what both say must hold. Default: none. */
  line?: string | undefined;
}

/** What became of what was asked for. */
export interface AskedCheck {
  filter: JoinedConditions;
  /** Those of the line have its place in the path: `q[5..14]`, in characters, the end exclusive. */
  faults: Fault[];
}

/**
 * Checks fields and a line beside them, and tells all faults of both.
 *
 * @param moment as `checkFilter` takes it
 * @example checkAsked({ fields: { states: ["dead"] }, line: "type:mail.send" }, { now }).filter // { type: ["mail.send"], states: ["dead"] }
 */
export function checkAsked({ fields, line }: AskedFilter, moment: FilterMoment | null): AskedCheck {
  if (line === undefined) return checkFilter(fields, moment);
  const { input, faults, places } = parseLine(line);
  const said = namesIn(fields);
  const twice = new Set([...places.keys()].filter((name) => said.has(name)));
  const pathOf = (path: string): string => {
    const place = places.get(nameIn(path));
    return place === undefined ? path : pathIn(place);
  };
  const whole = checkFilter(beside(input, fields), moment);
  const also = twice.size === 0 ? null : checkFilter(beside(fields, input), moment);
  return {
    filter: { ...whole.filter, ...(also && { also: only(also.filter, twice) }) },
    faults: [
      ...faults.map((fault) => ({ path: pathIn(fault), message: fault.message })),
      ...whole.faults.map(({ path, message }) => ({ path: said.has(nameIn(path)) ? path : pathOf(path), message })),
      ...(also?.faults ?? [])
        .filter(({ path }) => twice.has(nameIn(path)))
        .map(({ path, message }) => ({ path: pathOf(path), message })),
    ],
  };
}

/** Two filters as one. What both say is as the second has it. */
function beside(first: TaskFilterInput, second: TaskFilterInput): TaskFilterInput {
  const not = { ...first.not, ...second.not };
  return { ...first, ...second, ...(Object.keys(not).length > 0 && { not }) };
}

/** What a filter says of these names. */
function only({ not = {}, ...filter }: TaskConditions, names: ReadonlySet<string>): TaskConditions {
  const negated = Object.entries(not).filter(([name]) => names.has(`not.${name}`));
  const kept: TaskConditions = Object.fromEntries(Object.entries(filter).filter(([name]) => names.has(name)));
  return negated.length === 0 ? kept : { ...kept, not: Object.fromEntries(negated) as NegatedConditions };
}

/** The names that a filter says something of, negated ones as `not.tag`. */
function namesIn({ not = {}, ...filter }: TaskFilterInput): ReadonlySet<string> {
  const given = (of: object): string[] =>
    Object.entries(of).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return new Set([...given(filter), ...given(not).map((name) => `not.${name}`)]);
}

function pathIn({ from, to }: LinePlace): string {
  return `q[${from}..${to}]`;
}
