import { DEFAULT_OPTIONS, type EpochMs, type SchedulerOptions } from "@tickwheel/core";
import type { HistoryEvent } from "./history-event.js";
import { LATENESS_PROMISES, type LatenessPromises } from "./lateness-promises.js";
import type { RuleName } from "./rule.js";

/** What the nodes ran with, as far as a rule asks for it, and what is known of the tasks. */
export interface HistoryOptions extends SchedulerOptions {
  /**
   * Numbers of the types whose handlers commit one effect in the transaction that completes the task. Default: none.
   */
  transactionalTypeIds: readonly number[];
  /**
   * What the nodes talk through; `postgres`: there is no Redis; `none`: nor does any message of Postgres arrive.
   * Default `redis`.
   */
  coordination: "redis" | "postgres" | "none";
  /** Default: those of [lateness-bounds]. */
  lateness: LatenessPromises;
}

/** What happened in one run of a cluster, simulated or real. */
export interface History {
  /**
   * In the order in which they happened; acknowledgements when the caller got them, row changes when they were
   * committed.
   */
  events: readonly HistoryEvent[];
  /** Where they differ from the defaults. */
  options?: Partial<HistoryOptions>;
}

/** A rule that did not hold, and where. */
export interface Violation {
  rule: RuleName;
  /** Null: about no single task. */
  taskId: string | null;
  message: string;
  /** When it showed, by the database's clock and by the observer's. */
  at: EpochMs;
  monoMs: number;
  /** What it is read from, oldest first. */
  events: readonly HistoryEvent[];
}

export function historyOptions(given: Partial<HistoryOptions> = {}): HistoryOptions {
  return {
    ...DEFAULT_OPTIONS,
    transactionalTypeIds: [],
    coordination: "redis",
    lateness: LATENESS_PROMISES,
    ...given,
  };
}
