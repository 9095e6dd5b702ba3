import type { BatchState, ClusterEvent, FindingReport, Forecast, Task } from "@tickwheel/contract/types";

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

/** A definition as it is sent: `null` and absent are the default. */
export type ScheduleInput = Readonly<Record<string, unknown>>;

/** A range of instants, `to` not included. */
export interface BackfillInput {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly includeUnknown: boolean;
}
