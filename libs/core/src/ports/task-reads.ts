import type { NamespaceReader } from "../task/namespace-reader.js";
import type { EpochMs, Task, TaskState } from "../task/task.js";
import type { CallerTransaction } from "./task-store.js";
import type { TaskTab } from "../reports/task-tabs.js";

/** The longest text that {@link TaskFilter.error} may be, in characters. */
export const MAX_ERROR_FILTER = 200;

/** How one task is read. */
export interface ReadOptions extends Pick<NamespaceReader, "caller"> {
  /** Sees what the transaction has written. */
  within?: CallerTransaction;
}

/** Which tasks of a namespace a list shows. */
export interface TaskFilter extends NamespaceReader {
  type?: string;
  states?: readonly TaskState[];
  key?: string;
  live?: boolean;
  /** One of the task's tags. No index has them: a list that finds few of them may be `incomplete`. */
  tag?: string;
  scheduledFrom?: EpochMs;
  /** Exclusive. */
  scheduledTo?: EpochMs;
  /** Of the next try. */
  dueFrom?: EpochMs;
  /** Exclusive. */
  dueTo?: EpochMs;
  createdFrom?: EpochMs;
  /** Exclusive. */
  createdTo?: EpochMs;
  /** The label of the node that runs the task, or that ran it last. */
  node?: string;
  /** A part of the last error, taken literally, in upper or lower case; at most {@link MAX_ERROR_FILTER} characters. */
  error?: string;
  /** Only this tab's tasks, in its order. Default: all, newest id first. */
  tab?: TaskTab;
  /** 1 … 200. */
  limit: number;
  /** The cursor from which to go on: the `next` of a page of the same order. */
  after?: string;
  /**
   * The page ends with the task that reaches so many bytes, see `bytesOf`; at least one task is on it. Default 2 MiB.
   */
  maxBytes?: number;
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
    /** Of these, the ones whose condition said no. */
    skipped: number;
    /** Attempts, whatever became of the task. */
    failed: number;
    /** `p50` and `p99` are at most an eighth above the true ones. */
    latenessMs: { p50: number; p99: number; max: number } | null;
  };
}
