import {
  bytesOf,
  comparePlaces,
  fits,
  isInTab,
  PAGE_BYTES,
  readTabCursor,
  type TabPlace,
  tabCursor,
  tabPlaceOf,
  type Task,
  type TaskFilter,
  type TaskPage,
  type TaskTab,
} from "@tickwheel/core";
import type { StatementScope } from "../database/statement-scope.js";
import { type TaskRow, taskOf } from "../database/task-row.js";

/** Live and finished tasks in the order that the filter asks for. Looks at all, so it is never incomplete. */
export function find(scope: StatementScope, filter: TaskFilter): TaskPage {
  const order = orderOf(filter.tab);
  const start = filter.after === undefined ? undefined : order.read(filter.after);
  const rows =
    start === null
      ? []
      : allRows(scope)
          .filter((row) => matches(scope, row, filter))
          .filter((row) => start === undefined || order.compare(start, order.placeOf(row)) < 0)
          .sort((one, other) => order.compare(order.placeOf(one), order.placeOf(other)));
  const { limit, maxBytes = PAGE_BYTES } = filter;
  const tasks: Task[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    if (bytes >= maxBytes) break;
    const task = taskOf(row, scope);
    tasks.push(task);
    bytes += bytesOf(task);
  }
  const last = rows.length > tasks.length ? tasks.at(-1) : undefined;
  return { tasks, bytes, next: last ? order.cursorOf(order.placeOf(last)) : null, incomplete: false };
}

/** The rows of the live table and of history. */
export function allRows(scope: StatementScope): TaskRow[] {
  return [...scope.tasks.values(), ...scope.history.values()];
}

interface Order {
  /** Null: not a cursor of this order. */
  read(cursor: string): TabPlace | null;
  placeOf(row: TaskRow | Task): TabPlace;
  compare(one: TabPlace, other: TabPlace): number;
  cursorOf(place: TabPlace): string;
}

const NEWEST_FIRST: Order = {
  read: (id) => ({ at: 0, id }),
  placeOf: ({ id }) => ({ at: 0, id }),
  compare: (one, other) => comparePlaces("dead", one, other),
  cursorOf: ({ id }) => id,
};

function orderOf(tab: TaskTab | undefined): Order {
  if (tab === undefined) return NEWEST_FIRST;
  return {
    read: (cursor) => readTabCursor(tab, cursor),
    placeOf: (row) => tabPlaceOf(tab, row),
    compare: (one, other) => comparePlaces(tab, one, other),
    cursorOf: (place) => tabCursor(tab, place),
  };
}

function matches(scope: StatementScope, row: TaskRow, filter: TaskFilter): boolean {
  return (
    row.namespace === filter.namespace &&
    (filter.tab === undefined || isInTab(filter.tab, row, scope.now)) &&
    fits({ ...row, ...namesOf(scope, row, filter), outcomes: NO_OUTCOMES }, filter, scope.now)
  );
}

/** In memory there are no operations. */
const NO_OUTCOMES = new Map<string, never>();

/** The names, which are not in the row, and are only looked for where they are asked for. */
function namesOf(
  scope: StatementScope,
  row: TaskRow,
  filter: TaskFilter,
): { lastNode: string | null; schedule: string | null } {
  const asked = [filter, ...(filter.also ? [filter.also] : [])];
  const asksForNode = asked.some(({ node, not }) => node !== undefined || not?.node !== undefined);
  const asksForSchedule = asked.some(({ schedule }) => schedule !== undefined);
  return {
    lastNode: asksForNode ? nodeOf(scope, row) : null,
    schedule: asksForSchedule ? scheduleOf(scope, row) : null,
  };
}

/** The name of the schedule of which the task is a run that is kept. */
function scheduleOf(scope: StatementScope, { id }: TaskRow): string | null {
  for (const run of scope.scheduleRuns.values())
    if ("occurrence" in run && run.occurrence.taskId === id)
      return scope.schedules.get(run.scheduleId)?.schedule?.name ?? null;
  return null;
}

/** The label of the node that runs the task or ran it last. A task that waits tells it by its journal alone. */
function nodeOf(scope: StatementScope, row: TaskRow): string | null {
  return row.owner === null ? lastLabelOf(scope, row) : scope.label(row.owner);
}

function lastLabelOf({ journals }: StatementScope, { id }: TaskRow): string | null {
  const entries = journals.get(id)?.entries ?? [];
  return entries.findLast(({ node }) => node !== null)?.node ?? null;
}
