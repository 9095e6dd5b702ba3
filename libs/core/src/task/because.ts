import { outboundOf } from "./delivery.js";
import { LATENESS_PARTS, type LatenessPart, type TakenFrom } from "./lateness.js";
import type { EpochMs, Task, TypeId } from "./task.js";

/**
 * Why a task stands as it does: one code, from which a reader makes a sentence, and the facts that the sentence needs
 * beside the task's own fields.
 *
 * | code           | says                                                                           |
 * | -------------- | ------------------------------------------------------------------------------ |
 * | `SCHEDULED`    | its time has not come                                                          |
 * | `RETRIES`      | an attempt failed, and it waits for the next one                               |
 * | `PUT_OFF`      | its handler has put it off                                                     |
 * | `BREAKER`      | it is due, and its type's breaker is open; or its host's has put it off untried |
 * | `PAUSED`       | it is paused, until somebody resumes it                                          |
 * | `HALTED`       | it is due, and its type, its namespace or its key is paused                    |
 * | `NO_NODE`      | it is due, and no live node runs its type                                      |
 * | `NO_CONSUMER`  | it is due, and no consumer has fetched it yet                                  |
 * | `LIMITED`      | it is due, and a limit of its type or its namespace lets no more run just now  |
 * | `NO_PLACE`     | it is due, and waits for a place on a node that runs its type                  |
 * | `DUE`          | it is due, and starts at any moment                                            |
 * | `RUNNING`      | it runs                                                                        |
 * | `STOPPING`     | it runs, and somebody has asked to cancel it                                   |
 * | others         | it has ended: `SUCCEEDED`, `SKIPPED`, `DEAD`, `CANCELLED`, `EXPIRED`           |
 */
export const BECAUSE_CODES = [
  "SCHEDULED",
  "RETRIES",
  "PUT_OFF",
  "BREAKER",
  "PAUSED",
  "HALTED",
  "NO_NODE",
  "NO_CONSUMER",
  "LIMITED",
  "NO_PLACE",
  "DUE",
  "RUNNING",
  "STOPPING",
  "SUCCEEDED",
  "SKIPPED",
  "DEAD",
  "CANCELLED",
  "EXPIRED",
] as const;
export type BecauseCode =
  | (
      | "SCHEDULED"
      | "RETRIES"
      | "PUT_OFF"
      | "BREAKER"
      | "PAUSED"
      | "HALTED"
      | "NO_NODE"
      | "NO_CONSUMER"
      | "LIMITED"
      | "NO_PLACE"
      | "DUE"
      | "RUNNING"
    )
  | ("STOPPING" | "SUCCEEDED" | "SKIPPED" | "DEAD" | "CANCELLED" | "EXPIRED");

export interface Because {
  code: BecauseCode;
  /** No live node runs its type, whether it is due or not. */
  hasNoNode: boolean;
  /** The last node that ran its type, where no live node does and its going is on record; else null. */
  lastRunner: LastRunner | null;
  /** The places on the live nodes that run its type, for `NO_PLACE`; else null. */
  places: { inUse: number; all: number } | null;
  /** What keeps it from starting, for `HALTED`; else null. */
  halt: Halt | null;
  /** What lets no more run, for `LIMITED`; else null. */
  limit: FullLimit | null;
  /** The breaker of its type, for `BREAKER`; null: it is its host's, or none. */
  breaker: TypeBreaker | null;
  /** How often its handler, or its receiver, has put it off. */
  snoozes: number;
  /** Its last start was late by {@link LATE_AFTER_MS} or more; null: it was not, or it was not measured. */
  late: LateStart | null;
}

/** A pause that a task is in with others: of what, since when, until when, why, and who asked for it. */
export interface Halt {
  of: "TYPE" | "NAMESPACE" | "KEY";
  since: EpochMs;
  /** Null: until somebody ends it. */
  until: EpochMs | null;
  reason: string | null;
  by: string;
}

/** A limit of the whole cluster that lets no more tasks start just now. */
export interface FullLimit {
  of: "TYPE" | "NAMESPACE";
  /** Null: it does not limit how many run. */
  maxRunning: number | null;
  /** How many run, as was read within the last seconds; null: it does not limit that. */
  running: number | null;
  /** Null: it does not limit how often they start. `count` in `perMs` milliseconds. */
  rate: { count: number; perMs: number } | null;
}

/** The breaker of a type, whose attempts fail on all nodes. */
export interface TypeBreaker {
  /** `OPEN`: nothing of the type starts until `until`. `HALF_OPEN`: one task is tried just now. */
  state: "OPEN" | "HALF_OPEN";
  since: EpochMs;
  /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
  until: EpochMs;
  /** Trials that have failed since it opened. */
  failedTrials: number;
}

/** A node that is gone, and with it the last handler of a type. */
export interface LastRunner {
  /** Its `ip:pid`; null: not known any more. */
  node: string | null;
  /** `DEAD`: a leader has declared it dead. `LEFT`: it shut down. */
  how: "DEAD" | "LEFT";
  at: EpochMs;
}

/** A late start: by how much, the part that most of it went to, and from which node the task was taken over. */
export interface LateStart {
  latenessMs: number;
  part: LatenessPart;
  partMs: number;
  takenFrom: TakenFrom | null;
}

/** A start is called late from here on: twice what the p99 promises in quiet times. */
export const LATE_AFTER_MS = 100;

/**
 * A due task whose type some node runs starts within this, or waits for a place: of the node, or of its type, which may
 * have a limit of its own.
 */
export const AT_ONCE_MS = 1_500;

/** What is known of what a task waits in: a pause, its type's breaker, a full limit, the nodes. */
export interface Surroundings extends Runners {
  pause: SharedPause | null;
  breaker: SharedBreaker | null;
  limit: FullLimit | null;
}

/** What keeps a due task from starting, whatever room there is. */
export type Halts = Pick<Surroundings, "pause" | "breaker" | "limit">;

/** What is looked at of the breaker of a type. */
interface SharedBreaker extends Pick<TypeBreaker, "until" | "failedTrials"> {
  state: "open" | "half";
  openedAt: EpochMs;
}

/** What is looked at of a pause. `typeId` null: it is the namespace's; `key` null: the whole type's. */
interface SharedPause {
  typeId: TypeId | null;
  key: string | null;
  pausedAt: EpochMs;
  until: EpochMs | null;
  reason: string | null;
  pausedBy: string;
}

/** What is known of the nodes that run a task's type. */
export interface Runners {
  /** Live nodes. */
  count: number;
  /** Executions on them, and how many they may have at once. */
  inUse: number;
  places: number;
  /** Consumers fetch its tasks, and no node runs any. Default: nodes do. */
  isPulled?: boolean;
  /** Where there is no live one: see `Because.lastRunner`. */
  last: LastRunner | null;
}

/** What the decision looks at of a task. */
type StandingTask = Pick<
  Task,
  | ("state" | "reason" | "dueAt" | "createdAt" | "scheduledAt" | "startedAt" | "cancelRequestedAt")
  | ("lastError" | "snoozeCount" | "latenessParts" | "delivery" | "fence")
>;

/** Pure: the same facts give the same answer on every node. */
export function becauseOf(task: StandingTask, runners: Surroundings, now: EpochMs): Because {
  const code = codeOf(task, runners, now);
  const hasNoNode = runners.count === 0 && runners.isPulled !== true;
  return {
    code,
    hasNoNode,
    lastRunner: hasNoNode ? runners.last : null,
    places: code === "NO_PLACE" ? { inUse: runners.inUse, all: runners.places } : null,
    halt: code === "HALTED" ? haltOf(runners.pause!) : null,
    limit: code === "LIMITED" ? runners.limit : null,
    breaker: code === "BREAKER" && runners.breaker ? typeBreakerOf(runners.breaker) : null,
    snoozes: task.snoozeCount,
    late: lateStartOf(task),
  };
}

function codeOf(task: StandingTask, runners: Surroundings, now: EpochMs): BecauseCode {
  switch (task.state) {
    case "paused":
      return "PAUSED";
    case "running":
      return task.cancelRequestedAt === null ? "RUNNING" : "STOPPING";
    case "scheduled":
      return task.dueAt > now ? waitingCode(task) : dueCode(runners, now - task.dueAt);
    case "succeeded":
      return task.reason === "SKIPPED" ? "SKIPPED" : "SUCCEEDED";
    case "dead":
      return "DEAD";
    case "cancelled":
      return "CANCELLED";
    case "expired":
      return "EXPIRED";
  }
}

function waitingCode(task: StandingTask): BecauseCode {
  if (task.lastError !== null) return "RETRIES";
  if (task.snoozeCount > 0) return "PUT_OFF";
  return isDeferred(task) ? "BREAKER" : "SCHEDULED";
}

function dueCode(
  { pause, breaker, limit, count, inUse, places, isPulled }: Surroundings,
  overdueMs: number,
): BecauseCode {
  if (pause !== null) return "HALTED";
  if (isPulled === true) return limit === null ? "NO_CONSUMER" : "LIMITED";
  if (count === 0) return "NO_NODE";
  if (breaker !== null) return "BREAKER";
  if (limit !== null) return "LIMITED";
  const isFull = places > 0 && inUse >= places;
  return isFull || overdueMs > AT_ONCE_MS ? "NO_PLACE" : "DUE";
}

function haltOf({ typeId, key, until, reason, pausedAt, pausedBy }: SharedPause): Halt {
  return {
    of: key !== null ? "KEY" : typeId !== null ? "TYPE" : "NAMESPACE",
    since: pausedAt,
    until,
    reason,
    by: pausedBy,
  };
}

/** A breaker as people are told of it. */
export function typeBreakerOf({ state, openedAt: since, until, failedTrials }: SharedBreaker): TypeBreaker {
  return { state: state === "open" ? "OPEN" : "HALF_OPEN", since, until, failedTrials };
}

/**
 * Whether the breaker of its host or broker, or the host's rest, has put it off: only a deferral moves the due time of
 * a task that never failed beyond what was asked for.
 */
export function isDeferred(task: Pick<Task, "delivery" | "fence" | "lastError" | "dueAt" | "scheduledAt">): boolean {
  return outboundOf(task) !== null && task.fence > 0 && task.lastError === null && task.dueAt > task.scheduledAt;
}

function lateStartOf({ latenessParts }: StandingTask): LateStart | null {
  if (latenessParts === null) return null;
  const latenessMs = LATENESS_PARTS.reduce((sum, part) => sum + latenessParts[part], 0);
  if (latenessMs < LATE_AFTER_MS) return null;
  const part = LATENESS_PARTS.reduce((most, one) => (latenessParts[one] > latenessParts[most] ? one : most));
  return { latenessMs, part, partMs: latenessParts[part], takenFrom: latenessParts.takenFrom };
}
