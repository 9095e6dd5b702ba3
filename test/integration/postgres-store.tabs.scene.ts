import {
  fits as fitsInCore,
  type TaskFilter,
  type TaskState,
  type TaskTab,
  type TerminalReason,
} from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { NAMESPACE } from "./postgres-store.scene.js";

export const DAY_MS = 86_400_000;
const CODES: Record<TaskState, number> = {
  paused: -1,
  scheduled: 0,
  running: 1,
  succeeded: 2,
  dead: 3,
  cancelled: 4,
  expired: 5,
};

/** A task as the reference knows it. */
export interface Known {
  id: string;
  namespace: string;
  type: string;
  state: TaskState;
  key: string | null;
  keyLive: boolean;
  tags: string[];
  scheduledAt: number;
  dueAt: number;
  createdAt: number;
  claimedAt: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  attempt: number;
  lastError: string | null;
  errorPrint: number | null;
  reason: TerminalReason | null;
  priority: number;
  createdBy: string;
  batchId: string | null;
  /** The label of the node that runs it or ran it last. */
  node: string | null;
  isInHistory: boolean;
}

/** What the tables refer to by number. */
export interface Names {
  typeIds: ReadonlyMap<string, number>;
  owners: ReadonlyMap<string, string>;
}

/** Writes the rows of the tasks, and for those that ran and wait again an entry of their journal. */
export async function writeRows(client: Client, tasks: readonly Known[], names: Names): Promise<void> {
  for (const isInHistory of [false, true]) {
    const table = isInHistory ? "history" : "task";
    const rows = tasks.filter((task) => task.isInHistory === isInHistory).map((task) => rowOf(task, names));
    await client.query(
      `INSERT INTO tickwheel.${table} SELECT * FROM json_populate_recordset(null::tickwheel.${table}, $1::json)`,
      [JSON.stringify(rows)],
    );
  }
  const ran = tasks.filter((task) => task.node !== null && !hasOwner(task)).map(({ id, node }) => ({ id, node }));
  await client.query(
    `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, from_state, to_state, node)
     SELECT r.id, now(), now(), s.seq, 1, 1, 1, 0, CASE s.seq WHEN 1 THEN 'before' WHEN 2 THEN r.node END
       FROM json_to_recordset($1::json) AS r (id uuid, node text), generate_series(1, 3) AS s (seq)`,
    [JSON.stringify(ran)],
  );
}

function hasOwner({ state, node }: Known): boolean {
  return node !== null && CODES[state] > 0;
}

function rowOf(task: Known, { typeIds, owners }: Names): Record<string, unknown> {
  const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: task.id,
    type_id: typeIds.get(`${task.namespace} ${task.type}`),
    state: CODES[task.state],
    key: task.key,
    key_live: task.keyLive,
    tags: task.tags.length === 0 ? null : task.tags,
    scheduled_at: at(task.scheduledAt),
    due_at: at(task.dueAt),
    created_at: at(task.createdAt),
    claimed_at: at(task.claimedAt),
    started_at: at(task.startedAt),
    finished_at: at(task.finishedAt),
    reason: task.reason,
    priority: task.priority,
    created_by: task.createdBy,
    batch_id: task.batchId,
    attempt: task.attempt,
    last_error: task.lastError,
    error_print: task.errorPrint,
    owner: hasOwner(task) ? owners.get(task.node!) : null,
    journal_count: task.node !== null && !hasOwner(task) ? 3 : 0,
    timeout_ms: 60_000,
    version: 1,
    fence: 1,
    max_attempts: 3,
    given: 0,
    defer_count: 0,
    slot: 0,
    crash_count: 0,
    snooze_count: 0,
    payload: { some: "payload" },
  };
}

/** The ids that a tab has to show, in its order: the promise, written once more and by other means. */
export function expectedIds(
  tasks: readonly Known[],
  filter: Partial<TaskFilter> & { tab: TaskTab },
  now: number,
): string[] {
  return tasks
    .filter((task) => isShown(task, filter.tab, now) && fits(task, filter, now))
    .sort((one, other) => {
      const a = orderOf(one, filter.tab);
      const b = orderOf(other, filter.tab);
      return a < b ? -1 : 1;
    })
    .map(({ id }) => id);
}

function isShown({ state, dueAt, attempt, lastError }: Known, tab: TaskTab, now: number): boolean {
  const isFailing = attempt > 0 || lastError !== null;
  return {
    overdue: state === "scheduled" && dueAt <= now,
    running: state === "running",
    scheduled: state === "scheduled" && dueAt > now,
    paused: state === "paused",
    failing: state === "scheduled" && isFailing,
    dead: state === "dead",
    finished: ["succeeded", "cancelled", "expired"].includes(state),
  }[tab];
}

/** A text whose order is that of the tab. */
function orderOf({ id, dueAt, claimedAt, finishedAt }: Known, tab: TaskTab): string {
  const first = (ms: number): string => String(ms).padStart(16, "0");
  const last = (ms: number): string => first(9e15 - ms);
  const lastId = id.replaceAll(/[0-9a-f]/g, (digit) => "fedcba9876543210"[Number.parseInt(digit, 16)]!);
  return {
    overdue: () => first(dueAt) + id,
    running: () => first(claimedAt ?? 0) + id,
    scheduled: () => first(dueAt) + id,
    paused: () => id,
    failing: () => first(dueAt) + id,
    dead: () => last(finishedAt ?? 0) + lastId,
    finished: () => last(Math.floor((finishedAt ?? 0) / DAY_MS)) + lastId,
  }[tab]();
}

/** Whether the list of a filter shows a task, as core judges it. */
export function fits(task: Known, filter: Partial<TaskFilter>, now: number): boolean {
  const names = { lastNode: task.node, schedule: null, outcomes: new Map<string, never>() };
  return task.namespace === NAMESPACE && fitsInCore({ ...task, ...names }, filter, now);
}

/** Every page of a list, and between any two of them a change. */
export async function walk(
  { tasks }: Pick<PostgresStores, "tasks">,
  filter: Partial<TaskFilter>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<{ ids: string[]; looks: number }> {
  const ids: string[] = [];
  for (let after: string | undefined, looks = 1; ; looks++) {
    const page = await tasks.find({ namespace: NAMESPACE, limit: 50, ...filter, after });
    ids.push(...page.tasks.map(({ id }) => id));
    if (page.next === null) return { ids, looks };
    if (page.tasks.length === 0 && !page.incomplete) throw new Error("An empty page goes on");
    if (looks > 10_000) throw new Error("The list does not end");
    after = page.next;
    await between();
  }
}
