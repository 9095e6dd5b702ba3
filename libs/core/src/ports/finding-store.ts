import type { Cause, Finding } from "../reports/finding.js";
import type { EpochMs } from "../task/task.js";

/** A cause that was seen at this moment, and since when it was seen by this node. */
export interface SeenCause extends Cause {
  since: EpochMs;
}

/**
 * The findings of a cluster, as rows that all nodes share. Any number of nodes may write at once: a cause has one open
 * finding, no matter which node sees it.
 */
export interface FindingStore {
  /**
   * Opens the findings of causes that have none, renews the others, and closes those whose cause nobody has seen for
   * `closeAfterMs`. Answers all that are open then.
   */
  keep(seen: readonly SeenCause[], closeAfterMs: number): Promise<Finding[]>;
  /** Findings that were closed within the last day, newest first: at most `limit`. */
  lastDay(limit: number): Promise<Finding[]>;
}
