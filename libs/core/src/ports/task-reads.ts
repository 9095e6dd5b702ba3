import type { NamespaceReader } from "../task/namespace-reader.js";
import type { EpochMs, Task, TaskState } from "../task/task.js";
import type { CallerTransaction } from "./task-store.js";

/** How one task is read. */
export interface ReadOptions extends Pick<NamespaceReader, "caller"> {
  /** Sees what the transaction has written. */
  within?: CallerTransaction;
}

export interface TaskPage {
  tasks: Task[];
  /** About how many bytes these are. */
  bytes: number;
  /** The cursor of the next page; null: there is none. */
  next: string | null;
  /**
   * The look ended before the page was full, and goes on at `next`: so a filter that leaves out almost everything costs
   * no more than others.
   */
  incomplete: boolean;
}

/**
 * A namespace in numbers. Counted from the rows: what is scheduled, running, dead, due. Told by the nodes that did it,
 * and counted from the rows where one of them died: what finished and is kept. Told alone: the last minute.
 */
export interface TaskStats {
  counts: Record<TaskState, number>;
  countedAt: EpochMs;
  overdue: number;
  oldestOverdueMs: number | null;
  lastMinute: {
    created: number;
    started: number;
    succeeded: number;
    /** How many of these had a condition that said no. */
    skipped: number;
    /** Attempts, whatever became of the task. */
    failed: number;
    /** `p50` and `p99` are at most an eighth above the true ones. */
    latenessMs: { p50: number; p99: number; max: number } | null;
  };
}
