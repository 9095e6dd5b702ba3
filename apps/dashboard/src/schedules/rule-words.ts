import type { Schedule, ScheduleBackoff, TypeDetails } from "../api/wire.js";
import { exactDuration } from "../time/exact.js";
import { formatCount } from "../time/format.js";

/** A rule by its name, in words. */
export type RuleRow = readonly [name: string, words: string];

const overlaps: Readonly<Record<Schedule["overlap"], string>> = {
  skip: "skip what comes while a run goes on",
  buffer: "the newest waits until the run ends",
  allow: "runs may go on beside each other",
  "cancel-other": "stop the run that goes on, then start",
};

const misfires: Readonly<Record<Schedule["misfire"], string>> = {
  last: "run the newest only, and tell it how many were missed",
  skip: "skip them",
  all: "run them one after the other",
};

const resumes: Readonly<Record<Schedule["onResume"], string>> = {
  skip: "skip what came meanwhile",
  last: "run the newest of what came meanwhile",
};

const gaps: Readonly<Record<Schedule["gap"], string>> = {
  shift: "run right after the hour that is left out",
  skip: "do not run that day",
};

const folds: Readonly<Record<Schedule["fold"], string>> = {
  first: "run at the first of the two",
  last: "run at the second of the two",
  both: "run at both",
};

export const policyWords = { overlaps, misfires, resumes, gaps, folds };

/** Everything that decides beside when it runs, as it holds: what is default is told too. */
export function ruleRows(schedule: Schedule): RuleRow[] {
  const { cron, overlap, onResume, gap, fold, exclude, holdForRetry } = schedule;
  return [
    ["Missed", missedWords(schedule)],
    ["Overlap", overlaps[overlap] ?? overlap],
    ["After a pause", resumes[onResume] ?? onResume],
    ...(cron === null
      ? []
      : [["Clock forward", gaps[gap] ?? gap] as const, ["Clock back", folds[fold] ?? fold] as const]),
    ["Left out", exclude.length === 0 ? "no day" : exclude.join(", ")],
    ["Spread", schedule.jitter === 0 ? "none" : `by up to ${exactDuration(schedule.jitter)}`],
    ["Failures", failureWords(schedule)],
    ["Retries", holdForRetry ? "hold the next run back" : "end when the next run comes"],
    ["Starts", startWords(schedule)],
  ];
}

/**
 * What its tasks get.
 *
 * @param defaults of its type, which hold where the schedule says nothing; null: they are not known
 */
export function taskRows(
  { priority, maxAttempts, backoff, timeout, deliver }: Schedule,
  defaults: TypeDetails["defaults"] | null,
): RuleRow[] {
  const told = <Value>(own: Value | null, types: Value | undefined, words: (value: Value) => string): string => {
    if (own !== null) return words(own);
    return types === undefined ? "the type's" : `${words(types)}, as its type says`;
  };
  // A webhook's time-out is not the handler's.
  const timeoutOfType = deliver === null ? defaults?.timeout : undefined;
  return [
    ["Priority", told(priority, defaults?.priority, formatCount)],
    ["Attempts", told(maxAttempts, defaults?.maxAttempts, (most) => `at most ${formatCount(most)}`)],
    ["Wait between", told(backoff, defaults?.backoff, backoffWords)],
    ["Time-out", told(timeout, timeoutOfType, exactDuration)],
    ["Delivery", deliveryWords(deliver)],
  ];
}

function missedWords({ after, misfire, limit, catchUpLimit }: Schedule): string {
  if (after !== null) return "one run, as soon as it can";
  const most = misfire === "all" && limit !== null ? `, at most ${formatCount(limit)}` : "";
  const age = catchUpLimit === null ? "" : `; none that is older than ${exactDuration(catchUpLimit)}`;
  return `${misfires[misfire] ?? misfire}${most}${age}`;
}

function failureWords({ pauseAfterFailures }: Schedule): string {
  return pauseAfterFailures === null ? "never pause it" : `pause it after ${formatCount(pauseAfterFailures)} in a row`;
}

function startWords({ startDeadline }: Schedule): string {
  return startDeadline === null ? "however late" : `at most ${exactDuration(startDeadline)} late`;
}

export function backoffWords(backoff: ScheduleBackoff): string {
  if (backoff.kind === "fixed") return exactDuration(backoff.delay);
  if (backoff.kind === "ladder") return `${backoff.delays.map(exactDuration).join(", ")}; the last one again and again`;
  return `from ${exactDuration(backoff.initial)}, doubled up to ${exactDuration(backoff.max)}`;
}

function deliveryWords(deliver: Schedule["deliver"]): string {
  if (deliver === null) return "in-process handler";
  if (deliver.kind === "webhook") return `webhook to ${deliver.url}`;
  return `${deliver.kind} to ${deliver.to}${deliver.subject ? `, ${deliver.subject}` : ""}`;
}
