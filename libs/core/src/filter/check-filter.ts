import { suggestion } from "../errors/did-you-mean.js";
import type { Fault } from "../errors/errors.js";
import { isTaskId } from "../ids/is-task-id.js";
import { TERMINAL_STATES } from "../task/task.js";
import { FIELDS, type FilterField, isNegatable, namesOf } from "./filter-fields.js";
import { possibleStates } from "./fits.js";
import { checkOne, checkValues } from "./check-value.js";
import { oneTypeOf, type TaskConditions } from "./task-filter.js";
import { type FilterMoment, instantOf, isFromNow } from "./time-points.js";

/** A filter has at most so many conditions. */
export const MAX_CONDITIONS = 20;

/** What became of a filter. */
export interface FilterCheck {
  /** What was sound of it: every list a list, `states` for `state`, instants in milliseconds. */
  filter: TaskConditions;
  /** Empty: the filter is sound. */
  faults: Fault[];
}

/** What each name of the object takes. */
const NAMES = new Map<string, FilterField>(
  FIELDS.flatMap(([name, field]) => namesOf(name).map((one) => [one, field] as const)),
);
const NEGATABLE = new Map<string, FilterField>(FIELDS.filter(([, field]) => isNegatable(field)));

/**
 * Checks a filter that somebody gave, see `TaskFilterInput`, and tells all its faults.
 *
 * @param moment what durations, days and times of day are told from; null: it is not known yet, so the ends of a range
 *   are not compared where that depends on it, and no instant that is told from now counts for anything
 * @example checkFilter({ typ: "mail" }, { now }).faults // [{ path: "typ", message: 'is not a field of a filter; did you mean "type"?' }]
 */
export function checkFilter(input: unknown, moment: FilterMoment | null): FilterCheck {
  if (!isRecord(input)) return { filter: {}, faults: [{ path: "", message: "must be an object" }] };
  const { not, state, ...rest } = input;
  const faults: Fault[] = [];
  if (state !== undefined && rest.states !== undefined)
    faults.push({ path: "state", message: "must not be given beside states, which is the same" });
  const given = { ...rest, ...(state !== undefined && { states: state }) };
  const filter = checkNames(given, { rules: NAMES, path: "", moment: moment ?? NO_MOMENT }, faults);
  if (not !== undefined) Object.assign(filter, checkNegated(not, faults));
  const checked = state === undefined ? faults : faults.map(aboutState);
  return { filter, faults: [...checked, ...countFaults(given, not), ...contradictions(filter, moment ? null : given)] };
}

const NO_MOMENT: FilterMoment = { now: 0 };

/** No instant may be negated. */
function checkNegated(not: unknown, faults: Fault[]): TaskConditions {
  if (isRecord(not)) return { not: checkNames(not, { rules: NEGATABLE, path: "not.", moment: NO_MOMENT }, faults) };
  faults.push({ path: "not", message: "must be an object" });
  return {};
}

interface Checking {
  rules: ReadonlyMap<string, FilterField>;
  /** The path of the object, before its names. */
  path: string;
  moment: FilterMoment;
}

function checkNames(given: Record<string, unknown>, { rules, path, moment }: Checking, faults: Fault[]): object {
  const checked: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const rule = rules.get(name);
    const place = `${path}${name}`;
    if (rule) {
      const read = readValue(value, rule, moment);
      faults.push(...read.faults.map((fault) => ({ ...fault, path: `${place}${fault.path}` })));
      if (read.faults.length === 0)
        checked.push([name, isOfIds(rule, read.value) ? inLowerCase(read.value) : read.value]);
    } else faults.push({ path: place, message: unknownName(name, rules) });
  }
  return Object.fromEntries(checked);
}

function unknownName(name: string, rules: ReadonlyMap<string, FilterField>): string {
  if (rules === NEGATABLE && NAMES.has(name)) return "cannot be negated";
  return `is not a field of a filter${suggestion(name, [...rules.keys(), ...(rules === NAMES ? ["state", "not"] : [])])}`;
}

function readValue(value: unknown, rule: FilterField, moment: FilterMoment): { value: unknown; faults: Fault[] } {
  switch (rule.kind) {
    case "list":
      return { value: typeof value === "string" ? [value] : value, faults: checkValues(value, rule) };
    case "one":
      return { value, faults: checkOne(value, rule.value) };
    case "flag":
      return { value, faults: faultsIf(typeof value !== "boolean", "must be true or false") };
    case "numbers": {
      const { least, greatest } = rule;
      const isWithin = Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest;
      return { value, faults: faultsIf(!isWithin, `must be a whole number of ${least} to ${greatest}`) };
    }
    case "instants": {
      const at = instantOf(value, rule.durationIs, moment);
      return { value: at, faults: faultsIf(at === null, NO_POINT) };
    }
  }
}

function isOfIds(rule: FilterField, value: unknown): boolean {
  return "value" in rule && (rule.value.is === "uuid" || (rule.value.is === "batch" && isTaskId(value)));
}

/** As the store writes ids. */
function inLowerCase(ids: unknown): unknown {
  return Array.isArray(ids) ? (ids as string[]).map((id) => id.toLowerCase()) : (ids as string).toLowerCase();
}

const NO_POINT =
  'must be an instant, such as "2026-11-24T06:00:00Z", "2026-11-24" or "06:00", or a duration, such as "15m"';

function faultsIf(isFault: boolean, message: string): Fault[] {
  return isFault ? [{ path: "", message }] : [];
}

function countFaults(given: object, not: unknown): Fault[] {
  const count = [given, isRecord(not) ? not : {}]
    .flatMap((one) => Object.values(one))
    .filter((one) => one !== undefined);
  return faultsIf(count.length > MAX_CONDITIONS, `must not have more than ${MAX_CONDITIONS} conditions`);
}

/**
 * What no task can be, of what is sound by itself.
 *
 * @param unread where no moment is known: what was given for the instants
 */
function contradictions(filter: TaskConditions, unread: Readonly<Record<string, unknown>> | null): Fault[] {
  const ranges = FIELDS.map(([name, field]) => ({ names: namesOf(name), field }));
  const known = ranges.filter(({ names }) => unread === null || !names.some((name) => isFromNow(unread[name])));
  const faults = known.flatMap(({ names, field }) => rangeFaults(filter, names, field));
  if (filter.keyPrefix !== undefined && oneTypeOf(filter) === null)
    faults.push({ path: "keyPrefix", message: "must have one whole type beside it" });
  if (filter.outcome !== undefined && filter.operation === undefined)
    faults.push({ path: "outcome", message: "must have an operation beside it" });
  if (filter.live === true && filter.states && possibleStates(filter).length === 0)
    faults.push({
      path: "live",
      message: `must not be true beside states that have ended: ${TERMINAL_STATES.join(", ")}`,
    });
  return faults;
}

function rangeFaults(filter: TaskConditions, [from, to]: readonly string[], { kind }: FilterField): Fault[] {
  if (from === undefined || to === undefined) return [];
  const values = filter as Record<string, number | undefined>;
  const first = values[from];
  const last = values[to];
  if (first === undefined || last === undefined) return [];
  if (kind === "instants") return first < last ? [] : [{ path: to, message: `must be after ${from}` }];
  return first <= last ? [] : [{ path: to, message: `must not be less than ${from}` }];
}

/** What is wrong with `states` is told of the name that was given for it. */
function aboutState({ path, message }: Fault): Fault {
  return { path: path.replace(/^states(?=$|\[)/, "state"), message };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
