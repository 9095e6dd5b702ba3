// Made by `npm run generate`.

/** What `DelayTaskService.find` looks for; all of it must hold. */
export interface TaskFilterInput {
  /** Tasks of this type. Default: any. */
  type?: string | undefined;
  /** Tasks with this key. Default: any. */
  key?: string | undefined;
  /** Tasks in one of these states. Default: any. */
  states?: readonly ("scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired")[] | undefined;
  /**
   * Tasks with this tag. No index has them, so a page may be `incomplete`; with a `type` the look is shorter. Default:
   * any.
   */
  tag?: string | undefined;
  /** True: tasks that have not ended; false: those that have. Default: any. */
  live?: boolean | undefined;
  /** Tasks that the node with this label runs, or ran last. Default: any. */
  node?: string | undefined;
  /** Tasks whose last error contains this text, in upper or lower case; at most 200 characters. Default: any. */
  error?: string | undefined;
  /** Tasks that were scheduled for then or later. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  scheduledFrom?: Date | number | string | undefined;
  /** Tasks that were scheduled for before then. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  scheduledTo?: Date | number | string | undefined;
  /** Tasks whose next try is due then or later. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  dueFrom?: Date | number | string | undefined;
  /** Tasks whose next try is due before then. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  dueTo?: Date | number | string | undefined;
  /** Tasks that were created then or later. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  createdFrom?: Date | number | string | undefined;
  /** Tasks that were created before then. A Date, epoch milliseconds, or ISO 8601 with offset. Default: any. */
  createdTo?: Date | number | string | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
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
