import { CONSUMER, type Task } from "./task.js";
import type { Effects, Step, Transition } from "./transition.js";
import { TRANSITIONS } from "./transitions.js";

/** What of a task the table speaks of. */
export type TaskFacts = Pick<
  Task,
  | "state"
  | "key"
  | "keyLive"
  | "owner"
  | "fence"
  | "attempt"
  | "crashCount"
  | "snoozeCount"
  | "version"
  | "cancelRequestedAt"
>;

/** A change of one task's row. */
export interface TaskMove {
  /** The method of the store. */
  by: string;
  before: TaskFacts | null;
  after: TaskFacts;
}

/** The line of the table that a change is; null: there is none. */
export function transitionOf(move: TaskMove): Transition | null {
  return candidates(move).find((transition) => faultsOf(transition, move).length === 0) ?? null;
}

/**
 * Why a change is no line of the table, in words; null: it is one.
 *
 * @example departureOf(release) // "release took running to scheduled: fence 1 → 1, not +1"
 */
export function departureOf(move: TaskMove): string | null {
  if (transitionOf(move) !== null) return null;
  const { by, before, after } = move;
  const [nearest] = candidates(move);
  const said = `${by} took ${before?.state ?? "no row"} to ${after.state}`;
  return nearest === undefined
    ? `${said}: there is no such transition`
    : `${said}: ${faultsOf(nearest, move).join(", ")}`;
}

/** A transition's name for people, such as `fail: running → dead`. */
export function nameOfTransition({ name, from, to, cancelRequested }: Transition): string {
  return `${name}: ${from ?? "(none)"} → ${to}${cancelRequested ? ", a cancel was requested" : ""}`;
}

/** The lines by method and states, since a history holds many changes. */
const LINES = new Map<string, Transition[]>();
for (const line of TRANSITIONS)
  for (const by of line.by) {
    const key = `${by} ${line.from} ${line.to}`;
    LINES.set(key, [...(LINES.get(key) ?? []), line]);
  }

function candidates({ by, before, after }: TaskMove): readonly Transition[] {
  return LINES.get(`${by} ${before?.state ?? null} ${after.state}`) ?? [];
}

function faultsOf({ cancelRequested, sets }: Transition, { before, after }: TaskMove): string[] {
  const faults = (["fence", "attempt", "crashCount", "snoozeCount", "version"] as const).flatMap((name) =>
    faultOfNumber({ name, before: before?.[name] ?? null, after: after[name], step: sets[name] }),
  );
  if (cancelRequested !== undefined && isRequested(before) !== cancelRequested) {
    faults.push(cancelRequested ? "no cancel was requested" : "a cancel was requested");
  }
  if (!isOwnerRight(sets.owner, before, after)) faults.push(`owner ${before?.owner ?? null} → ${after.owner}`);
  if (sets.key !== "remembered" && after.keyLive !== keyLiveAfter(sets.key, before, after))
    faults.push(`its key is ${after.keyLive ? "taken" : "free"}`);
  return faults;
}

function isRequested(before: TaskFacts | null): boolean {
  return (before?.cancelRequestedAt ?? null) !== null;
}

interface NumberMove {
  name: string;
  before: number | null;
  after: number;
  step: Step | undefined;
}

function faultOfNumber({ name, before, after, step }: NumberMove): string[] {
  const by = step === "+1" ? 1 : step === "-1" ? -1 : 0;
  if (step === "remembered") return [];
  const expected = typeof step === "number" ? step : (before ?? 0) + by;
  return after === expected ? [] : [`${name} ${before ?? "none"} → ${after}, not ${step ?? "the same"}`];
}

function isOwnerRight(owner: Effects["owner"], before: TaskFacts | null, after: TaskFacts): boolean {
  if (owner === "remembered") return true;
  if (owner === "claimer") return after.owner !== null && after.owner !== CONSUMER;
  if (owner === "consumer") return after.owner === CONSUMER;
  return after.owner === (owner === "nobody" ? null : (before?.owner ?? null));
}

function keyLiveAfter(key: Exclude<Effects["key"], "remembered">, before: TaskFacts | null, after: TaskFacts): boolean {
  if (key === undefined) return before?.keyLive ?? false;
  return key === "taken" && after.key !== null;
}
