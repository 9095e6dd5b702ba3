import {
  type LastRun,
  type LiveOccurrence,
  type PlanningInput,
  type PlanningOutput,
  type PlanningState,
  type SchedulePolicies,
} from "@tickwheel/schedules";
import { definitionOf } from "./definitions.js";

/** A time of 16 October 2024, or of the days after it, UTC. */
export function at(time: string, day = 16): number {
  return Date.parse(`2024-10-${day}T${time.length === 5 ? `${time}:00` : time}Z`);
}

/** A state in which everything up to an instant is settled. */
export function stateAt(planned: number, rest: Partial<PlanningState> = {}): PlanningState {
  return { plannedUntil: planned, settledUntil: planned, backlog: [], failures: 0, pause: null, ...rest };
}

/** An occurrence that waits for its time. */
export function liveAt(instant: number, rest: Partial<LiveOccurrence> = {}): LiveOccurrence {
  const attempts = { startedAt: null, attemptEndedAt: null, hasAttemptsLeft: false, isCancelRequested: false };
  return { at: instant, dueAt: instant, state: "scheduled", ...attempts, isTrigger: false, ...rest };
}

/** A run that has ended. */
export function runOf(instant: number, endedAt: number, startedAt = instant): LastRun {
  return { at: instant, startedAt, endedAt, isTrigger: false };
}

/** What a test says of an input; the schedule is hourly, was made at midnight, and is planned until 10:00. */
export interface Scene extends Partial<Omit<PlanningInput, "definition" | "now">> {
  now: number;
  cron?: string;
  policies?: Partial<SchedulePolicies>;
}

/** The input of a decision. */
export function inputOf({ cron = "0 * * * *", policies, now, ...rest }: Scene): PlanningInput {
  const definition = definitionOf({ spec: { kind: "cron", cron }, createdAt: at("00:00"), policies });
  return { definition, state: stateAt(at("10:00")), live: null, last: null, ...rest, now };
}

/** What a decision comes to, in times of the day. */
export function told({ insert, skips, live, state }: PlanningOutput): object {
  const time = (instant: number): string => new Date(instant).toISOString().slice(11, 19).replace(/:00$/, "");
  return {
    insert: insert.map((each) => `${time(each.at)} at ${time(each.dueAt)} missed ${each.missed}`),
    skips: skips.map(({ from, to, count, reason }) => `${time(from)}-${time(to)} ${count} ${reason}`),
    live,
    backlog: state.backlog.map((each) => time(each.at)),
  };
}
