import { type JsonText, jsonValueOf } from "@tickwheel/core";
import type { HandlerStarted, HistoryEvent, MergeAcknowledged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { TaskHistory } from "../history/task-history.js";

/** What is merged is kept, once. */
export const mergeRules = { "merge-kept-once": mergeKeptOnce } satisfies Rules;

/** What a payload has collected: the names of what was merged into it, and the sum of their numbers. */
export interface Collected {
  items: readonly string[];
  count: number;
}

/**
 * Reads what a payload has collected. A workload that is judged by `merge-kept-once` merges `{ "items": [<name>],
 * "count": 1 }`, with names that are unique in the run, by the reducers `append` and `add`.
 */
export function collectedIn(payload: JsonText): Collected {
  const { items = [], count = 0 } = (jsonValueOf(payload) ?? {}) as Partial<Collected>;
  return { items, count };
}

/**
 * [merge-once]: each merge that a caller was told of is in the payload of the task that the answer named, once; every
 * execution that starts after the answer has it; no merge is in two tasks; and sums are as large as what was summed. So
 * a merge is neither lost to a claim nor counted twice, also where its caller got no answer.
 */
function mergeKeptOnce(known: IndexedRun): Finding[] {
  return [...lost(known), ...doubled(known), ...wrongSums(known), ...unseen(known), ...intoStarted(known)];
}

function rowOf(task: TaskHistory | undefined): Collected | null {
  const row = task?.lastAccount.row ?? task?.accounts.findLast((account) => account.row !== null)?.row;
  return row ? collectedIn(row.payload) : null;
}

function tasksById({ tasks }: IndexedRun): Map<string, TaskHistory> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function isMerge(event: HistoryEvent): event is MergeAcknowledged {
  return event.kind === "merge-acknowledged";
}

function lost(known: IndexedRun): Finding[] {
  const tasks = tasksById(known);
  return findingsIn(known.events.filter(isMerge), (event) => {
    const collected = rowOf(tasks.get(event.taskId));
    if (collected === null || collected.items.includes(event.item)) return null;
    return finding(event.taskId, `${event.item}, which was acknowledged, is not in its payload`, [event]);
  });
}

function doubled({ tasks }: IndexedRun): Finding[] {
  const places = new Map<string, string[]>();
  for (const task of tasks)
    for (const item of rowOf(task)?.items ?? []) places.set(item, [...(places.get(item) ?? []), task.id]);
  return [...places].flatMap(([item, ids]) =>
    ids.length === 1 ? [] : [finding(ids[0]!, `${item} was merged ${ids.length} times, into ${ids.join(", ")}`, [])],
  );
}

function wrongSums({ tasks }: IndexedRun): Finding[] {
  return findingsIn(tasks, (task) => {
    const { items, count } = rowOf(task) ?? { items: [], count: 0 };
    if (items.length === count) return null;
    return finding(task.id, `${items.length} merges have the sum ${count}`, task.changes.slice(-1));
  });
}

/** A fail-over may have forgotten a claim whose handler goes on, and with it what its payload had. */
function unseen({ events, rewound }: IndexedRun): Finding[] {
  const told = new Map<string, MergeAcknowledged[]>();
  const findings: Finding[] = [];
  for (const event of events) {
    if (isMerge(event)) told.set(event.taskId, [...(told.get(event.taskId) ?? []), event]);
    else if (event.kind === "started" && event.items && !rewound.has(event.taskId))
      findings.push(...missingAt(event, told.get(event.taskId) ?? []));
  }
  return findings;
}

function missingAt(start: HandlerStarted, told: readonly MergeAcknowledged[]): Finding[] {
  return findingsIn(told, (merge) => {
    if (start.items!.includes(merge.item)) return null;
    return finding(start.taskId, `it started without ${merge.item}, which was acknowledged before`, [merge, start]);
  });
}

function intoStarted({ moves }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    if (statement !== "create" || before.payload === after.payload) return null;
    if ((before.state === "scheduled" || before.state === "paused") && before.startedAt === null) return null;
    return finding(after.id, `a merge changed the payload of a task that has started`, [move]);
  });
}
