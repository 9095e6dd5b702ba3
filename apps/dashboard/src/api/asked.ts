import type {
  BatchState,
  ClusterEvent,
  DeadGroup,
  FindingReport,
  Forecast,
  OperationAction,
  Task,
} from "@tickwheel/contract/types";

// What the page asks for, in forms of its own.

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}
export type MemberPage = ListPage<Task>;

export interface EventPage {
  /** Newest first. */
  readonly items: readonly ClusterEvent[];
  readonly nextCursor: string | null;
}

/** What the stream sends of findings: of those that are over the newest 20. */
export type Findings = Pick<FindingReport, "now" | "lastDay">;

/** What the page shows of the future. */
export const aheads = ["1h", "24h", "30d"] as const satisfies readonly Forecast["ahead"][];
export type Ahead = (typeof aheads)[number];

export interface BatchFilter {
  readonly state?: BatchState;
  /** How its name begins. */
  readonly namePrefix?: string;
}

/** How far back a list of causes of dead tasks goes. */
export const deadSinces = ["24h", "7d"] as const;
export type DeadSince = (typeof deadSinces)[number];

/** Why a task was given up. */
export const deadReasons = [
  "ATTEMPTS",
  "CRASHES",
  "NON_RETRYABLE",
  "PAYLOAD_INVALID",
  "RESULT_INVALID",
] as const satisfies readonly DeadGroup["reason"][];
export type DeadReason = (typeof deadReasons)[number];

/** Which causes of dead tasks. */
export interface DeadFilter {
  readonly type?: string;
  /** Why their last task was given up. */
  readonly reason?: DeadReason;
  /** What the error says. */
  readonly error?: string;
  /** Absent: all that are kept. */
  readonly since?: DeadSince;
}

/** A definition as it is sent: `null` and absent are the default. */
export type ScheduleInput = Readonly<Record<string, unknown>>;

/** A range of instants, `to` not included. */
export interface BackfillInput {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly includeUnknown: boolean;
}

/** Which tasks an operation means: a line and fields beside it, by the names of the API. */
export type OperationFilter = Readonly<Record<string, unknown>>;

/** An operation as it is sent, to be tried dry or to be started. */
export interface OperationQuestion {
  readonly action: OperationAction;
  readonly filter: OperationFilter;
  readonly reason?: string;
  /** How many a dry run has counted. */
  readonly expect?: number;
  /** What the action needs besides, by the names of the API. */
  readonly [option: string]: unknown;
}
