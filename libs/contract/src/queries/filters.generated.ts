// Made by `npm run generate`.
import type { FilterState, TerminalReason } from "@tickwheel/core";

/** What `DelayTaskService.find` looks for; all of it must hold. */
export interface TaskFilterInput {
  /**
   * Tasks in one of these states. `overdue`: scheduled, and its next try is due. `failing`: scheduled again after an
   * attempt that failed. `waiting`: scheduled or paused. `ended`: succeeded, dead, cancelled or expired. At most 50.
   * Default: any.
   */
  states?: readonly FilterState[] | undefined;
  /** The same as `states`, in its place. At most 50. Default: any. */
  state?: FilterState | readonly FilterState[] | undefined;
  /** Tasks of one of these types. One that ends with `*` stands for all that begin so. At most 50. Default: any. */
  type?: string | readonly string[] | undefined;
  /** Tasks with this key; case counts. 1 to 256 characters. Default: any. */
  key?: string | undefined;
  /** Tasks with a key that begins so; it needs one whole `type`. 1 to 256 characters. Default: any. */
  keyPrefix?: string | undefined;
  /** True: tasks that hold their key, and those without a key that have not ended. False: all others. Default: any. */
  live?: boolean | undefined;
  /**
   * Tasks with all of these tags. No index has them, so a page may be `incomplete`; with a `type` the look is shorter.
   * At most 8. Default: any.
   */
  tag?: string | readonly string[] | undefined;
  /** Tasks with these ids. At most 1,000. Default: any. */
  id?: string | readonly string[] | undefined;
  /** Tasks of the batch with this id. Default: any. */
  batch?: string | undefined;
  /**
   * Tasks that were created then or later. A Date, epoch milliseconds, an ISO 8601 instant, a day such as `2026-11-24`,
   * a time of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  createdFrom?: Date | number | string | undefined;
  /**
   * Tasks that were created before then. A Date, epoch milliseconds, an ISO 8601 instant, a day such as `2026-11-24`, a
   * time of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  createdTo?: Date | number | string | undefined;
  /**
   * Tasks that were scheduled for then or later. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago. Default: any.
   */
  scheduledFrom?: Date | number | string | undefined;
  /**
   * Tasks that were scheduled for before then. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago. Default: any.
   */
  scheduledTo?: Date | number | string | undefined;
  /**
   * Tasks whose next try is due then or later. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago. Default: any.
   */
  dueFrom?: Date | number | string | undefined;
  /**
   * Tasks whose next try is due before then. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago. Default: any.
   */
  dueTo?: Date | number | string | undefined;
  /**
   * Tasks whose last attempt started then or later. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  startedFrom?: Date | number | string | undefined;
  /**
   * Tasks whose last attempt started before then. A Date, epoch milliseconds, an ISO 8601 instant, a day such as
   * `2026-11-24`, a time of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  startedTo?: Date | number | string | undefined;
  /**
   * Tasks that ended then or later. A Date, epoch milliseconds, an ISO 8601 instant, a day such as `2026-11-24`, a time
   * of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  finishedFrom?: Date | number | string | undefined;
  /**
   * Tasks that ended before then. A Date, epoch milliseconds, an ISO 8601 instant, a day such as `2026-11-24`, a time
   * of today (UTC) such as `06:00`, or `24h`: so long ago. Default: any.
   */
  finishedTo?: Date | number | string | undefined;
  /** Tasks with this priority or more. 0 to 9. Default: any. */
  priorityFrom?: number | undefined;
  /** Tasks with this priority or less. 0 to 9. Default: any. */
  priorityTo?: number | undefined;
  /** Tasks with this count of attempts or more. 0 to 1,000. Default: any. */
  attemptFrom?: number | undefined;
  /** Tasks with this count of attempts or less. 0 to 1,000. Default: any. */
  attemptTo?: number | undefined;
  /** Tasks that the node with this label runs, or ran last. 1 to 256 characters. Default: any. */
  node?: string | undefined;
  /** Tasks whose last error contains this text, in upper or lower case. 1 to 200 characters. Default: any. */
  error?: string | undefined;
  /**
   * Tasks whose last error has one of these fingerprints: they failed for the same cause. Dead ones are found by an
   * index. At most 50. Default: any.
   */
  fingerprint?: string | readonly string[] | undefined;
  /** Tasks that ended for one of these reasons. At most 50. Default: any. */
  reason?: TerminalReason | readonly TerminalReason[] | undefined;
  /**
   * Tasks that one of these has created: `application`, `key:` and an API key's id, or `task:` and a task's id. At most
   * 50. Default: any.
   */
  createdBy?: string | readonly string[] | undefined;
  /** What must not hold. A task without a value fits. Default: any. */
  not?: TaskFilterNot | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}

/** What must not hold of a task that `DelayTaskService.find` looks for. */
export interface TaskFilterNot {
  /**
   * Leaves out tasks of one of these types. One that ends with `*` stands for all that begin so. At most 50. Default:
   * none.
   */
  type?: string | readonly string[] | undefined;
  /**
   * Leaves out tasks with any of these tags. No index has them, so a page may be `incomplete`; with a `type` the look
   * is shorter. At most 8. Default: none.
   */
  tag?: string | readonly string[] | undefined;
  /** Leaves out tasks that the node with this label runs, or ran last. 1 to 256 characters. Default: none. */
  node?: string | undefined;
  /**
   * Leaves out tasks whose last error contains this text, in upper or lower case. 1 to 200 characters. Default: none.
   */
  error?: string | undefined;
  /** Leaves out tasks that ended for one of these reasons. At most 50. Default: none. */
  reason?: TerminalReason | readonly TerminalReason[] | undefined;
  /**
   * Leaves out tasks that one of these has created: `application`, `key:` and an API key's id, or `task:` and a task's
   * id. At most 50. Default: none.
   */
  createdBy?: string | readonly string[] | undefined;
}

/** Which page of a task's journal. */
export interface JournalInput {
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: number | undefined;
}

/** Which schedules, and which page of them. */
export interface ScheduleFilterInput {
  /** Schedules in this state. Without a `type`, a page of active ones may be `incomplete`. Default: any. */
  state?: "active" | "paused" | "finished" | undefined;
  /** Schedules whose tasks are of this type. Default: any. */
  type?: string | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}

/** Which page of a schedule's runs. */
export interface ScheduleRunsInput {
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  before?: number | undefined;
}

/** Which of the next instants. */
export interface PreviewInput {
  /** How many instants. 1 to 1,000. Default: 10. */
  count?: number | undefined;
  /** From when on; default: now. A Date, epoch milliseconds, or ISO 8601 with offset. */
  from?: Date | number | string | undefined;
}

/** Which batches, and which page of them. An empty list of states is as good as none. */
export interface BatchFilterInput {
  /** Batches in one of these states. Default: any. */
  states?: readonly ("filling" | "open" | "complete" | "cancelled")[] | undefined;
  /** Batches with a name that begins so. Default: any. */
  namePrefix?: string | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  before?: string | undefined;
}

/** Which members of a batch, and which page of them. An empty list of states is as good as none. */
export interface MemberFilterInput {
  /** Members in one of these states. Default: any. */
  states?: readonly ("scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired")[] | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}
