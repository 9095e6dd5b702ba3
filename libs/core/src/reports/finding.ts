import type { EpochMs } from "../task/task.js";

/** Worst first. `critical`: something does not work; `warning`: somebody should look soon; `notice`: good to know. */
export const SEVERITIES = ["critical", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a code means. */
export interface FindingEntry {
  severity: Severity;
  /** What is the matter, without a full stop; the words for people with its facts are in `sentencesOf`. */
  title: string;
}

/**
 * What can be the matter with a cluster. Each code has its paragraph in `docs/runbook.md`, whose table is made of this.
 */
export const FINDINGS = {
  POSTGRES_AWAY: { severity: "critical", title: "Postgres is away" },
  COMMITS_UNSAFE: { severity: "critical", title: "Postgres may forget what it has acknowledged" },
  STANDBYS_ASYNCHRONOUS: { severity: "notice", title: "No standby of Postgres is synchronous" },
  SNAPSHOT_HELD: { severity: "warning", title: "A snapshot is held: Postgres removes no dead rows" },
  REDIS_AWAY: { severity: "warning", title: "Redis is away" },
  TYPE_WITHOUT_NODE: { severity: "critical", title: "No live node runs a type" },
  QUEUE_WITHOUT_CONSUMER: { severity: "critical", title: "Nobody fetches the tasks of a type" },
  SCHEDULE_WITHOUT_NODE: { severity: "warning", title: "No live node runs the type of a schedule" },
  SCHEDULE_PAUSED: { severity: "warning", title: "A schedule paused itself" },
  BATCH_OVERDUE: { severity: "warning", title: "A batch passed its deadline with members that are not done" },
  BATCH_UNSEALED: { severity: "warning", title: "A batch was never sealed" },
  OPERATION_STOPPED: { severity: "warning", title: "An operation stopped: too many of its tasks failed again" },
  OPERATION_HELD: { severity: "notice", title: "An operation has been on hold for a day" },
  TYPE_FAILING: { severity: "warning", title: "A type's attempts fail" },
  DEAD_TASKS: { severity: "warning", title: "Tasks are dead, and nobody has looked at their cause" },
  PLACES_TAKEN: { severity: "warning", title: "All places are taken" },
  OVERDUE_UNEXPLAINED: { severity: "critical", title: "Tasks are overdue, and nobody takes them" },
  LOOP_BLOCKED: { severity: "critical", title: "A node's event loop is blocked" },
  NODE_SUSPECT: { severity: "warning", title: "A node is suspect" },
  NODE_DIED: { severity: "notice", title: "A node died" },
  NO_LEADER: { severity: "warning", title: "No node leads" },
  CLOCK_OFF: { severity: "warning", title: "A node's clock is off" },
  FUTURE_OVER_CAPACITY: { severity: "warning", title: "More is to come than the cluster can start" },
  VERSIONS_DIFFER: { severity: "notice", title: "Two versions run" },
  POLICIES_DIFFER: { severity: "notice", title: "The nodes want a type to be run differently" },
  TYPE_PAUSED: {
    severity: "notice",
    title: "A type or a namespace is paused; a warning once tasks have waited for an hour",
  },
  LIMIT_FULL: { severity: "notice", title: "A limit of the cluster has been full for minutes, and tasks wait" },
  BREAKER_OPEN: { severity: "warning", title: "A type's breaker is open: its attempts fail, so none is started" },
  HOST_SLOWED: { severity: "notice", title: "A host has asked to be left alone (`Retry-After`)" },
  SETTINGS_NOT_OBEYED: { severity: "warning", title: "A node does not obey the settings" },
  REDIS_EVICTS: { severity: "warning", title: "Redis removes keys when its memory is full" },
  NODE_WITHOUT_REDIS: { severity: "warning", title: "One node sees no Redis, others do" },
  SCHEDULE_UNANNOUNCED: { severity: "notice", title: "A schedule of code is in no node's code any more" },
} as const satisfies Record<string, FindingEntry>;
export type FindingCode = keyof typeof FINDINGS;
export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[];

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
