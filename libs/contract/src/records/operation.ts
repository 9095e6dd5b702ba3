import {
  OPERATION_ACTIONS,
  OPERATION_STATES,
  OPERATION_STOP_REASONS,
  PASSED_CODES,
  TASK_OUTCOMES,
  TASK_STATES,
  UNDO_OUTCOMES,
} from "@tickwheel/core";
import {
  extended,
  flag,
  id,
  instant,
  integer,
  list,
  nullable,
  number,
  object,
  record,
  said,
  string,
  wide,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";
import { taskState } from "./task.js";

const action = words(OPERATION_ACTIONS, "OperationAction");

export const operationState = words(OPERATION_STATES, "OperationState", {
  running: "Tasks are being changed.",
  done: "No further task is to be changed.",
  stopped: "It ended before, see `stopReason`.",
  undoing: "What it changed is being put back.",
  undone: "That is over.",
});

/** Codes are texts in GraphQL: more may come. */
const passed = list(object("PassedTasks", { code: words(PASSED_CODES), count: integer() }));
const leftBehind = list(object("LeftTasks", { code: words(UNDO_OUTCOMES), count: integer() }));

export const taskOperation = record("TaskOperation", {
  id: id(),
  action,
  filter: string("Which tasks it means, as a line; times are instants by now."),
  options: object("OperationOptions", {
    includeOverdue: flag(),
    set: nullable(instant()),
    shiftMs: nullable(wide()),
    spread: nullable(object("Spread", { from: instant(), to: instant() })),
    tag: nullable(string()),
    rate: nullable(number("Tasks a second; null: as fast as it goes beside the rest.")),
    stopWhenFailing: nullable(number("The share of failures at which it stops; null: it does not.")),
    atMost: integer(),
  }),
  state: operationState,
  heldAt: nullable(instant("Since when it is on hold; null: it is not.")),
  heldBy: nullable(string()),
  stopReason: nullable(
    said(
      words(OPERATION_STOP_REASONS),
      "`BY_HAND`: somebody stopped it. `LIMIT`: it has changed as many as it may. `FAILING`: too many failed again. Null: it was not stopped.",
    ),
  ),
  createdAt: instant("Only tasks that were created before are changed."),
  createdBy: string(),
  reason: nullable(string()),
  estimate: nullable(integer("How many fitted when it was started; null: nobody knows.")),
  found: integer("Tasks that were found, also those that were then left."),
  changed: integer(),
  passed: said(passed, "Tasks that were found and not changed, by why."),
  pages: integer("Transactions that it took, those of the undo included."),
  pace: nullable(number("Tasks a second over the last ten pages; null: too few were made.")),
  endsAbout: nullable(instant("When it may be over; null: nobody knows, or it is.")),
  node: nullable(string("The label of the node that made the last page; null: none was made.")),
  finishedAt: nullable(instant("Null: it is open.")),
  undo: nullable(
    said(
      object("OperationUndo", {
        overdue: words(["leave", "run"], "OverdueAtUndo"),
        at: instant(),
        by: string(),
        reason: nullable(string()),
      }),
      "What was asked of its undo; null: nobody has asked.",
    ),
  ),
  undone: integer("Tasks that are as they were."),
  leftBehind: said(leftBehind, "Tasks that the undo could not put back, by why."),
  undoUntil: nullable(
    instant("Until when it can be undone; null: it is open, was undone, or what it changed is forgotten."),
  ),
});
export type TaskOperation = ValueOf<typeof taskOperation>;

export const operationDetails = extended("OperationDetails", taskOperation, {
  undoReach: nullable(
    said(
      object("UndoReach", {
        lookedAt: integer("How many of the newest were looked at, 1,000 at most."),
        reachable: integer("They are as the operation left them."),
        due: integer("How many of these would have come due since."),
      }),
      "What an undo would find now; null: it cannot be undone.",
    ),
  ),
});
export type OperationDetails = ValueOf<typeof operationDetails>;

export const operationPage = record("OperationPage", { items: list(taskOperation), nextCursor: nullable(string()) });
export type OperationPage = ValueOf<typeof operationPage>;

export const changedTask = object("ChangedTask", {
  id: id(),
  at: instant("When it was changed."),
  from: said(words(TASK_STATES, "TaskState"), "Its state before."),
  to: said(words(TASK_STATES, "TaskState"), "Its state behind the change."),
  outcome: said(words(TASK_OUTCOMES), "`CHANGED`: no undo has looked at it. Else what became of it at the undo."),
});

export const changedTaskPage = record("ChangedTaskPage", { items: list(changedTask), nextCursor: nullable(string()) });
export type ChangedTaskPage = ValueOf<typeof changedTaskPage>;

export const dryRun = record("DryRun", {
  count: integer("How many tasks fit the filter and the action."),
  isAtLeast: flag("It stopped counting: more fit."),
  incomplete: flag("Its budget ended first: only `lookedAt` rows were looked at. The operation goes through all."),
  lookedAt: integer(),
  filter: string("The filter as a line; times are instants by now."),
  createdBefore: instant("When it counted: the operation leaves whatever is created later."),
  states: list(object("StateCount", { state: taskState, count: integer() })),
  types: said(list(object("TypeCount", { type: string(), count: integer() })), "The ten with the most."),
  dueFrom: nullable(instant("The first due time of those that wait; null: none does.")),
  dueTo: nullable(instant("The last one.")),
  running: integer("They run, and are only asked to stop."),
  occurrences: integer(
    "Occurrences of schedules. Where they are cancelled their schedule plans the next: pause it instead.",
  ),
  members: integer("Members of batches."),
  keysTaken: integer("For `retry` and `restore`: another live task has their key, so they are left."),
  overdue: integer("For `restore` without `includeOverdue`: their time has passed, so they are left."),
  dueSoon: integer("They are due within a minute, so an undo may come too late."),
  undo: said(
    words(["FULL", "PARTLY", "NONE"]),
    "What an undo could put back: all, not those that run or will, or nothing.",
  ),
  sample: said(
    list(
      object("SampleTask", {
        id: id(),
        type: string(),
        key: nullable(string()),
        state: taskState,
        dueAt: instant(),
        createdAt: instant(),
        createdBy: string(),
      }),
    ),
    "The ten newest.",
  ),
});
export type DryRun = ValueOf<typeof dryRun>;
