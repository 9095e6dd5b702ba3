// Made by `npm run generate`.
import type { FilterState, TaskOutcome, TerminalReason, ShiftInput } from "@tickwheel/core";
import type { OperationFilterInput } from "./operation-filter.js";

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
   * Tasks with all of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page may be
   * `incomplete`. At most 8. Default: any.
   */
  tag?: string | readonly string[] | undefined;
  /** Tasks with these ids. At most 1,000. Default: any. */
  id?: string | readonly string[] | undefined;
  /** Members of the batch with this id, or of this name. 1 to 128 characters. Default: any. */
  batch?: string | undefined;
  /**
   * Tasks that are or were runs of the schedule with this name, as long as its runs are kept. 1 to 128 characters.
   * Default: any.
   */
  schedule?: string | undefined;
  /** Tasks that the operation with this id has changed, as long as it remembers them: 24 hours. Default: any. */
  operation?: string | undefined;
  /**
   * For an `operation`: tasks of which one of these became; of `CHANGED` ones no undo has looked at. At most 50.
   * Default: any.
   */
  outcome?: TaskOutcome | readonly TaskOutcome[] | undefined;
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
   * Tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or `task:` and a
   * task's id. At most 50. Default: any.
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
   * Leaves out tasks with any of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page
   * may be `incomplete`. At most 8. Default: none.
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
   * Leaves out tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or
   * `task:` and a task's id. At most 50. Default: none.
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
  /** Schedules with a name that begins so; case counts. Default: any. */
  namePrefix?: string | undefined;
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

/** Which causes of dead tasks, and which page of them. */
export interface DeadLetterFilterInput {
  /** Groups of this type. Default: any. */
  type?: string | undefined;
  /** Groups of which the last task was given up for one of these. Default: any. */
  reasons?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID")[] | undefined;
  /** Groups whose title or place contains this, whatever the case. Default: any. */
  error?: string | undefined;
  /**
   * Groups of which a task died at this instant or later. A Date, epoch milliseconds, or ISO 8601 with offset. Default:
   * any.
   */
  since?: Date | number | string | undefined;
  /** How many the page holds at most. 1 to 200. Default: 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}

/** What an operation is to do to which tasks. */
export interface OperationInput {
  /**
   * `cancel`: cancels those that wait, and asks those that run to stop. `retry`: makes those that have ended due now,
   * with new attempts, and those that wait after a failed attempt due now. `restore`: schedules those that have ended
   * again, for the time they were scheduled for. `reschedule`: gives those that wait another due time. `run_now`: makes
   * those that are scheduled due now. `pause`: pauses those that are scheduled. `resume`: resumes those that are
   * paused. `discard`: takes dead ones away: they end cancelled, reason `DISCARDED`. `add_tag`: adds a tag to those
   * that wait or are dead. `remove_tag`: takes a tag from those that wait or are dead. No default.
   */
  action:
    | "cancel"
    | "retry"
    | "restore"
    | "reschedule"
    | "run_now"
    | "pause"
    | "resume"
    | "discard"
    | "add_tag"
    | "remove_tag";
  /** Which tasks are meant. No default. */
  filter: OperationFilterInput;
  /** For `restore`: those whose time has passed come too, due now. Else they are left. Default: `false`. */
  includeOverdue?: boolean | null | undefined;
  /** For `reschedule`: they are due then; if it has passed, now. A Date, or ISO 8601 with offset. Default: none. */
  set?: Date | string | null | undefined;
  /**
   * For `reschedule`: how much later they are due, in milliseconds or such as `15m`; `-15m`: earlier, but never in the
   * past. At most 100 years. Milliseconds, or a text such as `"15m"`. Such as `1h`. Default: none.
   */
  shift?: ShiftInput | null | undefined;
  /** For `reschedule`: anywhere between two instants, told by each task's id. Default: none. */
  spread?: SpreadInput | null | undefined;
  /** For `add_tag` and `remove_tag`: the tag. 1 to 64 characters. Default: none. */
  tag?: string | null | undefined;
  /**
   * For `retry`, `restore` and `run_now`: how many tasks a second, 0.01 to 10,000. 0.01 to 10,000. Default: as fast as
   * it goes beside the rest.
   */
  rate?: number | null | undefined;
  /**
   * It stops once so large a share of the 200 tasks changed last has failed again, of at least 20 that ended an
   * attempt; 0.01 to 1, only with a `rate`. 0.01 to 1. Such as `0.5`. Default: never.
   */
  stopWhenFailing?: number | null | undefined;
  /** It stops, reason `LIMIT`, once it has changed so many. 1 to 1,000,000. Default: 1000000. */
  atMost?: number | null | undefined;
  /**
   * The `count` of a dry run: if more than a tenth more or fewer fit by now, nothing is done
   * (`OPERATION_COUNT_CHANGED`). Default: nothing is expected.
   */
  expect?: number | null | undefined;
  /** Why, for the audit. A discard needs one. 1 to 500 characters. Default: none is told. */
  reason?: string | null | undefined;
}

/** How an operation is undone. */
export interface UndoInput {
  /** What would have come due since: `leave` it, or put it back and `run` it now. Default: `leave`. */
  overdue?: "leave" | "run" | null | undefined;
  /** Why, for the audit. A discard needs one. 1 to 500 characters. Default: none is told. */
  reason?: string | null | undefined;
}

/** Between which instants due times are spread. */
export interface SpreadInput {
  /** The first instant. A Date, or ISO 8601 with offset. No default. */
  from: Date | string;
  /** The instant behind the last one. A Date, or ISO 8601 with offset. No default. */
  to: Date | string;
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
