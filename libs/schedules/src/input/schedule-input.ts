import { type EpochMs, type Fault, parseDurationMs } from "@tickwheel/core";
import { parseCron } from "../cron/cron-fields.js";
import { Instants } from "../instants/instants.js";
import {
  DEFAULT_CATCH_UP_RUNS,
  DEFAULT_POLICIES,
  MAX_CATCH_UP_RUNS,
  MIN_EVERY_MS,
  type Misfire,
  type ScheduleDefinition,
  type SchedulePolicies,
  type ScheduleSpec,
} from "../definition/schedule.js";
import {
  countRule,
  epochRule,
  excludeFaults,
  flagRule,
  type Rule,
  wholeDurationRule,
  wordRule,
  zoneRule,
} from "./schedule-rules.js";

const DEFAULT_ZONE = "UTC";
/** An expression must have an instant within so long: five years. */
const COMES_WITHIN_MS = 5 * 365.25 * 86_400_000;

/**
 * What decides about a schedule, as it is given; null is as good as absent. Durations are milliseconds or texts such as
 * `"15m"`; instants are epoch milliseconds, which the edge has read. Name, type, payload and the task's other options
 * are the edge's to check.
 */
export interface ScheduleInput {
  cron?: unknown;
  /** Default `UTC`. */
  timeZone?: unknown;
  every?: unknown;
  /** For `every`; default: `startsAt`, else the creation. */
  anchor?: unknown;
  after?: unknown;
  startsAt?: unknown;
  endsAt?: unknown;
  exclude?: unknown;
  misfire?: unknown;
  /** For misfire `all`; default 100. */
  limit?: unknown;
  overlap?: unknown;
  onResume?: unknown;
  gap?: unknown;
  fold?: unknown;
  jitter?: unknown;
  catchUpLimit?: unknown;
  pauseAfterFailures?: unknown;
  holdForRetry?: unknown;
  startDeadline?: unknown;
}

/** Whose input it is. */
export interface CheckedFor {
  id: string;
  createdAt: EpochMs;
  now: EpochMs;
}

/** What came of an input: every fault with its path, or the definition where there is none. */
export interface CheckedSchedule {
  faults: Fault[];
  definition: ScheduleDefinition | null;
}

const RULES: Record<Exclude<keyof ScheduleInput, "cron" | "exclude">, Rule> = {
  timeZone: zoneRule,
  every: wholeDurationRule(MIN_EVERY_MS),
  anchor: epochRule,
  after: wholeDurationRule(MIN_EVERY_MS),
  startsAt: epochRule,
  endsAt: epochRule,
  misfire: wordRule(["last", "skip", "all"]),
  limit: countRule(1, MAX_CATCH_UP_RUNS),
  overlap: wordRule(["skip", "buffer", "allow", "cancel-other"]),
  onResume: wordRule(["skip", "last"]),
  gap: wordRule(["shift", "skip"]),
  fold: wordRule(["first", "last", "both"]),
  jitter: wholeDurationRule(0),
  catchUpLimit: wholeDurationRule(1),
  pauseAfterFailures: countRule(1, 1_000),
  holdForRetry: flagRule,
  startDeadline: wholeDurationRule(1),
};

/**
 * Checks a schedule and reads it. Tells every fault with its path, or the definition where there is none. An expression
 * without an instant in the next five years, within its window and beside its exclusions, is a fault.
 *
 * The work is bounded: at most 1,000 excluded days are passed over, and an expression that never comes ends after some
 * ten milliseconds, once as long as it is remembered.
 *
 * @example
 * checkSchedule({ cron: "0 25 * * *" }, { id, createdAt: now, now });
 *  // { faults: [{ path: "cron", message: "has a fault in its hour field (item 1): it must be 0 to 23" }], definition: null }
 */
export function checkSchedule(input: ScheduleInput, owner: CheckedFor): CheckedSchedule {
  const read = readSchedule(input, owner);
  const never = read.definition && neverComes(read.definition, owner.now);
  return never ? { faults: [never], definition: null } : read;
}

/** Reads a schedule as {@link checkSchedule} does, but whatever the time is: it may have no instant left. */
export function readSchedule(input: ScheduleInput, owner: Omit<CheckedFor, "now">): CheckedSchedule {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined));
  const faults = [...fieldFaults(given), ...relationFaults(given)];
  return faults.length > 0 ? { faults, definition: null } : { faults, definition: definitionOf(given, owner) };
}

function fieldFaults(given: ScheduleInput): Fault[] {
  const faults = Object.entries(RULES).flatMap(([path, rule]) => {
    const value = given[path as keyof ScheduleInput];
    const message = value === undefined ? null : rule(value);
    return message === null ? [] : [{ path, message }];
  });
  if (given.exclude !== undefined) faults.push(...excludeFaults(given.exclude));
  return [...cronFaults(given.cron), ...faults];
}

function cronFaults(cron: unknown): Fault[] {
  if (cron === undefined) return [];
  if (typeof cron !== "string") return [{ path: "cron", message: "must be a cron expression of 5 or 6 fields" }];
  return parseCron(cron).faults.map((message) => ({ path: "cron", message }));
}

/** A fault that lies between fields: where it is told, what it says, and when it is one. */
type Relation = [path: keyof ScheduleInput | "", message: string, isBroken: (given: ScheduleInput) => boolean];

/**
 * A field that does not go with the others is no fault where it says what holds anyway: so what an answer tells of a
 * schedule may be sent again.
 */
const RELATIONS: readonly Relation[] = [
  ["", "must have one of cron, every and after", (given) => kindsOf(given).length !== 1],
  ["anchor", "goes only with every", ({ anchor, every }) => anchor !== undefined && every === undefined],
  ["gap", "goes only with cron", ({ gap, cron }) => !isGiven(cron) && saysOther(gap, DEFAULT_POLICIES.gap)],
  ["fold", "goes only with cron", ({ fold, cron }) => !isGiven(cron) && saysOther(fold, DEFAULT_POLICIES.fold)],
  ["timeZone", "goes only with cron or exclude", hasIdleZone],
  ["limit", "goes only with misfire all", ({ limit, misfire }) => limit !== undefined && misfire !== "all"],
  ["overlap", "must be skip with after", ({ overlap, after }) => isGiven(after) && saysOther(overlap, "skip")],
  ["misfire", "must be last with after", ({ misfire, after }) => isGiven(after) && saysOther(misfire, "last")],
  ["endsAt", "must be later than startsAt", isEmptyWindow],
];

function relationFaults(given: ScheduleInput): Fault[] {
  return RELATIONS.filter(([, , isBroken]) => isBroken(given)).map(([path, message]) => ({ path, message }));
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

function kindsOf({ cron, every, after }: ScheduleInput): unknown[] {
  return [cron, every, after].filter(isGiven);
}

function saysOther(value: unknown, standard: string): boolean {
  return isGiven(value) && value !== standard;
}

function hasIdleZone({ timeZone, cron, exclude }: ScheduleInput): boolean {
  const excludesNone = !isGiven(exclude) || (Array.isArray(exclude) && exclude.length === 0);
  return !isGiven(cron) && excludesNone && saysOther(timeZone, DEFAULT_ZONE);
}

function isEmptyWindow({ startsAt, endsAt }: ScheduleInput): boolean {
  return Number.isInteger(startsAt) && Number.isInteger(endsAt) && (endsAt as number) <= (startsAt as number);
}

function definitionOf(given: ScheduleInput, { id, createdAt }: Omit<CheckedFor, "now">): ScheduleDefinition {
  return {
    id,
    createdAt,
    spec: specOf(given, createdAt),
    timeZone: (given.timeZone as string | undefined) ?? DEFAULT_ZONE,
    window: { startsAt: (given.startsAt as EpochMs) ?? null, endsAt: (given.endsAt as EpochMs) ?? null },
    exclude: [...((given.exclude as string[] | undefined) ?? [])],
    policies: policiesOf(given),
  };
}

function specOf({ cron, every, anchor, after, startsAt }: ScheduleInput, createdAt: EpochMs): ScheduleSpec {
  if (isGiven(cron)) return { kind: "cron", cron: cron as string };
  if (isGiven(after)) return { kind: "after", afterMs: parseDurationMs(after)! };
  return { kind: "every", everyMs: parseDurationMs(every)!, anchorAt: (anchor ?? startsAt ?? createdAt) as EpochMs };
}

function policiesOf(given: ScheduleInput): SchedulePolicies {
  const words = { overlap: given.overlap, onResume: given.onResume, gap: given.gap, fold: given.fold };
  const others = { pauseAfterFailures: given.pauseAfterFailures, holdForRetry: given.holdForRetry };
  const plain = Object.entries({ ...words, ...others }).filter(([, value]) => isGiven(value));
  return {
    ...DEFAULT_POLICIES,
    ...(Object.fromEntries(plain) as Partial<SchedulePolicies>),
    misfire: misfireOf(given),
    jitterMs: parseDurationMs(given.jitter) ?? 0,
    catchUpLimitMs: parseDurationMs(given.catchUpLimit),
    startDeadlineMs: parseDurationMs(given.startDeadline),
  };
}

function misfireOf({ misfire, limit }: ScheduleInput): Misfire {
  if (misfire === "all") return { kind: "all", limit: (limit as number | undefined) ?? DEFAULT_CATCH_UP_RUNS };
  return { kind: misfire === "skip" ? "skip" : "last" };
}

/** The fault of a schedule that has nothing to do in five years: told at the field that makes it so. */
function neverComes(definition: ScheduleDefinition, now: EpochMs): Fault | null {
  const { startsAt, endsAt } = definition.window;
  const from = Math.max(now, (startsAt ?? now) - 1);
  const openWindow = { startsAt, endsAt: null };
  if (definition.spec.kind === "after") {
    const first = Math.max(startsAt ?? now + definition.spec.afterMs, now);
    return endsAt !== null && first >= endsAt ? { path: "endsAt", message: "leaves no instant in the window" } : null;
  }
  const comes = (tried: ScheduleDefinition): boolean => {
    const first = new Instants(tried).nextToRun(from);
    return first !== null && first <= from + COMES_WITHIN_MS;
  };
  if (comes(definition)) return null;
  if (!comes({ ...definition, exclude: [], window: openWindow }))
    return { path: definition.spec.kind, message: "must have an instant within five years" };
  return comes({ ...definition, exclude: [] })
    ? { path: "exclude", message: "leaves no instant within five years" }
    : { path: "endsAt", message: "leaves no instant in the window" };
}
