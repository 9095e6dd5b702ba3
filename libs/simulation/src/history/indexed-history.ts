import type { BootId } from "@tickwheel/core";
import type { TaskRow } from "@tickwheel/testing";
import { rewoundTasks, withoutForgottenCommits } from "./forgotten-commits.js";
import { faultSpans, type FaultSpan } from "./fault-spans.js";
import { type HistoryOptions } from "./history.js";
import type { HistoryEvent, NodeEvent, Rest, RowChanged } from "./history-event.js";
import { suspectExecutions } from "./suspects.js";
import { type Account, type Execution, TaskHistory } from "./task-history.js";

/** A change of a row that was there before and is there after. */
export type Move = RowChanged & { before: TaskRow; after: TaskRow };

/** A history as the rules read it: grouped once, by task, node and fault. */
export interface IndexedRun {
  /** Without what a fail-over forgot. */
  events: readonly HistoryEvent[];
  options: HistoryOptions;
  tasks: readonly TaskHistory[];
  /** The accounts of all tasks. */
  accounts: readonly Account[];
  executions: readonly Execution[];
  /** Every change of a row, in the order of commits. */
  changes: readonly RowChanged[];
  moves: readonly Move[];
  /** Those of suspects that were started. */
  suspects: ReadonlySet<Execution>;
  nodeEvents: ReadonlyMap<BootId, readonly NodeEvent[]>;
  /** Who took the leader's term, one after the other. Empty: not on record. */
  leaders: readonly NodeEvent[];
  faults: readonly FaultSpan[];
  rests: readonly Rest[];
  /** Tasks of which a fail-over forgot a change: a fence of theirs may come again. */
  rewound: ReadonlySet<string>;
  /** When the history stops. */
  endMonoMs: number;
}

/** Groups the events of a history; O(events). */
export function indexHistory(recorded: readonly HistoryEvent[], options: HistoryOptions): IndexedRun {
  const events = withoutForgottenCommits(recorded);
  const tasks = new Map<string, TaskHistory>();
  const changes: RowChanged[] = [];
  const nodeEvents = new Map<BootId, NodeEvent[]>();
  const rests: Rest[] = [];
  for (const event of events) {
    for (const id of taskIdsOf(event)) taskNamed(tasks, id).add(event);
    if (event.kind === "row-changed") changes.push(event);
    else if (event.kind === "rest") rests.push(event);
    else if (isNodeEvent(event)) nodeEvents.set(event.bootId, [...(nodeEvents.get(event.bootId) ?? []), event]);
  }
  noteRowsAtRest(tasks, rests);
  const all = [...tasks.values()];
  const accounts = all.flatMap((task) => task.accounts);
  const suspects = suspectExecutions(accounts, nodeEvents);
  return {
    events,
    options,
    changes,
    nodeEvents,
    rests,
    leaders: events.filter((event): event is NodeEvent => event.kind === "leads"),
    tasks: all,
    moves: changes.filter((change): change is Move => change.before !== null && change.after !== null),
    accounts,
    executions: all.flatMap((task) => [...task.executions.values()]),
    suspects: new Set(suspects),
    faults: faultSpans(recorded, options, suspects),
    rewound: rewoundTasks(recorded),
    endMonoMs: events.at(-1)?.monoMs ?? 0,
  };
}

function isNodeEvent(event: HistoryEvent): event is NodeEvent {
  return "bootId" in event && !("taskId" in event);
}

function taskIdsOf(event: HistoryEvent): readonly string[] {
  if (event.kind === "create-acknowledged") return event.taskIds;
  if (event.kind === "row-changed") return [(event.after ?? event.before)!.id];
  return "taskId" in event ? [event.taskId] : [];
}

function taskNamed(tasks: Map<string, TaskHistory>, id: string): TaskHistory {
  const known = tasks.get(id) ?? new TaskHistory(id);
  tasks.set(id, known);
  return known;
}

/** Where no change of a row is on record, such as of real processes, its state is the one that a rest saw last. */
function noteRowsAtRest(tasks: ReadonlyMap<string, TaskHistory>, rests: readonly Rest[]): void {
  for (const row of rests.at(-1)?.rows ?? []) {
    const task = tasks.get(row.id);
    if (task && task.changes.length === 0) task.lastAccount.row = row;
  }
}
