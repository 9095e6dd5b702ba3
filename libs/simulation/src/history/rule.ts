import type { HistoryEvent } from "./history-event.js";
import type { IndexedRun } from "./indexed-history.js";

/** What {@link checkHistory} looks for; stable, each with its docstring at the function of the same name. */
export const RULE_NAMES = [
  "row-durable",
  "create-ends-terminal",
  "ended-has-started",
  "expired-never-started",
  "effect-at-most-once",
  "effect-iff-succeeded",
  "no-effect-after-cancel",
  "never-early",
  "claim-not-early",
  "one-execution-at-a-time",
  "no-start-after-cancel",
  "acknowledged-edit-kept",
  "paused-stands-still",
  "pause-obeyed",
  "limit-kept",
  "rate-kept",
  "transition-in-table",
  "fence-rises",
  "single-claim",
  "stale-silence",
  "terminal-is-final",
  "attempts-within-policy",
  "crashes-within-policy",
  "snoozes-within-policy",
  "one-suspect-at-a-time",
  "suspect-alone-of-its-type",
  "two-blocked-kills",
  "one-id-per-idempotency-key",
  "one-live-task-per-key",
  "merge-kept-once",
  "declared-dead-with-cause",
  "leader-followed",
  "orphan-reaped",
  "in-doubt-released",
  "lease-held-by-one",
  "pulled-success-counts-once",
  "lease-ends-in-time",
  "unheard-pull-given-back",
  "wheel-finds-what-was-known",
  "full-sweep-finds-what-lies-below",
  "rest-without-running-row",
  "rest-without-claim-in-doubt",
  "rest-with-scheduled-in-wheel",
  "rest-without-overdue-entry",
  "rest-without-timer",
  "rest-without-condition",
  "lateness-in-parts",
  "lateness-hard-bound",
  "lateness-p99",
] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/** One place where a rule does not hold. */
export interface Finding {
  /** Null: about no single task. */
  taskId: string | null;
  message: string;
  /** What it is read from, oldest first; the last one is when it showed. */
  events: readonly HistoryEvent[];
}

/** A rule: a pure function that reads a history and finds where it does not hold. */
export type RuleCheck = (known: IndexedRun) => Finding[];

/** The rules of one theme, by name. */
export type Rules = Partial<Record<RuleName, RuleCheck>>;

/** @param events what it is read from; nulls are left out */
export function finding(taskId: string | null, message: string, events: readonly (HistoryEvent | null)[]): Finding {
  return { taskId, message, events: events.filter((event) => event !== null) };
}

/**
 * What `judge` finds in these items, one after the other; null: nothing. A loop, because nearly all find nothing and
 * there are many.
 */
export function findingsIn<Item>(
  items: readonly Item[],
  judge: (item: Item, place: number) => Finding | null,
): Finding[] {
  const findings: Finding[] = [];
  for (let place = 0; place < items.length; place++) {
    const found = judge(items[place]!, place);
    if (found !== null) findings.push(found);
  }
  return findings;
}
