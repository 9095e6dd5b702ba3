import type { EpochMs } from "../task/task.js";

/** What can be the matter with a cluster. Each code has its paragraph in `docs/runbook.md`. */
export const FINDING_CODES = [
  "POSTGRES_AWAY",
  "REDIS_AWAY",
  "TYPE_WITHOUT_NODE",
  "SCHEDULE_WITHOUT_NODE",
  "SCHEDULE_PAUSED",
  "BATCH_OVERDUE",
  "BATCH_UNSEALED",
  "TYPE_FAILING",
  "PLACES_TAKEN",
  "OVERDUE_UNEXPLAINED",
  "LOOP_BLOCKED",
  "NODE_SUSPECT",
  "NODE_DIED",
  "NO_LEADER",
  "CLOCK_OFF",
  "FUTURE_OVER_CAPACITY",
  "VERSIONS_DIFFER",
  "POLICIES_DIFFER",
  "NODE_WITHOUT_REDIS",
  "SCHEDULE_UNANNOUNCED",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/** What the cause of a code may become: the open finding of the same subject goes on under that code. */
export const LATER_CODE: Readonly<Partial<Record<FindingCode, FindingCode>>> = {
  NODE_SUSPECT: "NODE_DIED",
  SCHEDULE_WITHOUT_NODE: "TYPE_WITHOUT_NODE",
};
/** The reverse of {@link LATER_CODE}. */
export const EARLIER_CODE: Readonly<Partial<Record<FindingCode, FindingCode>>> = {
  NODE_DIED: "NODE_SUSPECT",
  TYPE_WITHOUT_NODE: "SCHEDULE_WITHOUT_NODE",
};

/** Worst first. `critical`: something does not work; `warning`: somebody should look soon; `notice`: good to know. */
export const SEVERITIES = ["critical", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Values that the sentences are made of; durations in milliseconds end in `Ms`. */
export type FindingValues = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** A cause that is seen now. Two causes are the same if code and subject are. */
export interface Cause {
  code: FindingCode;
  /** What it is about: a type's number, a node's boot id, a namespace; empty: the cluster. */
  subject: string;
  /** Null: it is about the cluster, not about one namespace. */
  namespace: string | null;
  severity: Severity;
  facts: FindingValues;
  /** When the figures that show it were counted. Absent: it is seen just now. */
  knownAt?: EpochMs;
}

/** A cause with the times between which it was seen. */
export interface Finding extends Cause {
  /** Unique; a cause that comes again is another finding. */
  id: string;
  since: EpochMs;
  /** Null: it is the case now. */
  until: EpochMs | null;
}

/** A finding in words. */
export interface FindingSentences {
  /** Without a full stop. */
  title: string;
  /** What it means for tasks, and for who creates them. */
  consequence: string;
  /** What can be done, or "Nothing to do". */
  cure: string;
}

/** What is the case, worst first, and what was within the last day, newest first. */
export interface FindingReport {
  at: EpochMs;
  now: Finding[];
  lastDay: Finding[];
}
