import type { TaskType } from "@tickwheel/core";
import type { ClusterTables } from "./cluster-tables.js";
import type { Draft } from "./draft.js";
import type { StatementName } from "./statement-record.js";
import type { Moment } from "./task-row.js";

/** What a statement works on. */
export interface StatementScope extends Moment {
  draft: Draft;
  types: Map<number, TaskType>;
  cluster: ClusterTables;
  /** Rises with each promotion of a standby. */
  timeline: number;
}

/** Who sends which statement, for the log. */
export interface StatementOrigin {
  node: string;
  statement: StatementName;
  request: unknown;
}
