// Made by `npm run generate`.

/** An operation on many tasks as every edge shows it. */
export interface OperationFields<Instant> {
  id: string;
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
  /** Which tasks it means, as a line; times are instants by now. */
  filter: string;
  options: {
    includeOverdue: boolean;
    set: Instant | null;
    shiftMs: number | null;
    spread: {
      from: Instant;
      to: Instant;
    } | null;
    tag: string | null;
    /** Tasks a second; null: as fast as it goes beside the rest. */
    rate: number | null;
    /** The share of failures at which it stops; null: it does not. */
    stopWhenFailing: number | null;
    atMost: number;
  };
  /**
   * `running`: Tasks are being changed. `done`: No further task is to be changed. `stopped`: It ended before, see
   * `stopReason`. `undoing`: What it changed is being put back. `undone`: That is over.
   */
  state: "running" | "done" | "stopped" | "undoing" | "undone";
  /** Since when it is on hold; null: it is not. */
  heldAt: Instant | null;
  heldBy: string | null;
  /**
   * `BY_HAND`: somebody stopped it. `LIMIT`: it has changed as many as it may. `FAILING`: too many failed again. Null:
   * it was not stopped.
   */
  stopReason: "BY_HAND" | "LIMIT" | "FAILING" | null;
  /** Only tasks that were created before are changed. */
  createdAt: Instant;
  createdBy: string;
  reason: string | null;
  /** How many fitted when it was started; null: nobody knows. */
  estimate: number | null;
  /** Tasks that were found, also those that were then left. */
  found: number;
  changed: number;
  /** Tasks that were found and not changed, by why. */
  passed: readonly {
    code: "NO_LONGER" | "ASKED" | "KEY_TAKEN" | "OVERDUE" | "LOCKED";
    count: number;
  }[];
  /** Transactions that it took, those of the undo included. */
  pages: number;
  /** Tasks a second over the last ten pages; null: too few were made. */
  pace: number | null;
  /** When it may be over; null: nobody knows, or it is. */
  endsAbout: Instant | null;
  /** The label of the node that made the last page; null: none was made. */
  node: string | null;
  /** Null: it is open. */
  finishedAt: Instant | null;
  /** What was asked of its undo; null: nobody has asked. */
  undo: {
    overdue: "leave" | "run";
    at: Instant;
    by: string;
    reason: string | null;
  } | null;
  /** Tasks that are as they were. */
  undone: number;
  /** Tasks that the undo could not put back, by why. */
  leftBehind: readonly {
    code:
      | "UNDONE"
      | "WITHOUT_RESULT"
      | "DUE_MEANWHILE"
      | "KEY_TAKEN"
      | "STARTED"
      | "HAS_RUN"
      | "TOUCHED"
      | "GONE"
      | "LOCKED";
    count: number;
  }[];
  /** Until when it can be undone; null: it is open, was undone, or what it changed is forgotten. */
  undoUntil: Instant | null;
}

/** What an undo would find now; null: it cannot be undone. */
export interface UndoReachFields {
  /** What an undo would find now; null: it cannot be undone. */
  undoReach: {
    /** How many of the newest were looked at, 1,000 at most. */
    lookedAt: number;
    /** They are as the operation left them. */
    reachable: number;
    /** How many of these would have come due since. */
    due: number;
  } | null;
}

/** A task that an operation has changed. */
export interface ChangedTaskFields<Instant> {
  id: string;
  /** When it was changed. */
  at: Instant;
  /** Its state before. */
  from: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /** Its state behind the change. */
  to: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /** `CHANGED`: no undo has looked at it. Else what became of it at the undo. */
  outcome:
    | "CHANGED"
    | "UNDONE"
    | "WITHOUT_RESULT"
    | "DUE_MEANWHILE"
    | "KEY_TAKEN"
    | "STARTED"
    | "HAS_RUN"
    | "TOUCHED"
    | "GONE"
    | "LOCKED";
}

/** What an operation would do now, as every edge shows it. */
export interface DryRunFields<Instant> {
  /** How many tasks fit the filter and the action. */
  count: number;
  /** It stopped counting: more fit. */
  isAtLeast: boolean;
  /** Its budget ended first: only `lookedAt` rows were looked at. The operation goes through all. */
  incomplete: boolean;
  lookedAt: number;
  /** The filter as a line; times are instants by now. */
  filter: string;
  /** When it counted: the operation leaves whatever is created later. */
  createdBefore: Instant;
  states: readonly {
    state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    count: number;
  }[];
  /** The ten with the most. */
  types: readonly {
    type: string;
    count: number;
  }[];
  /** The first due time of those that wait; null: none does. */
  dueFrom: Instant | null;
  /** The last one. */
  dueTo: Instant | null;
  /** They run, and are only asked to stop. */
  running: number;
  /** Occurrences of schedules. Where they are cancelled their schedule plans the next: pause it instead. */
  occurrences: number;
  /** Members of batches. */
  members: number;
  /** For `retry` and `restore`: another live task has their key, so they are left. */
  keysTaken: number;
  /** For `restore` without `includeOverdue`: their time has passed, so they are left. */
  overdue: number;
  /** They are due within a minute, so an undo may come too late. */
  dueSoon: number;
  /** What an undo could put back: all, not those that run or will, or nothing. */
  undo: "FULL" | "PARTLY" | "NONE";
  /** The ten newest. */
  sample: readonly {
    id: string;
    type: string;
    key: string | null;
    state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    dueAt: Instant;
    createdAt: Instant;
    createdBy: string;
  }[];
}
