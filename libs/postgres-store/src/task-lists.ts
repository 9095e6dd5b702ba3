import type { Clock, Task, TaskFilter, TaskPage } from "@tickwheel/core";
import type { Session } from "./session.js";
import { canNarrow, lookForTasks, type TaskLookRow } from "./statements/look-for-tasks.js";

/** A list whose filter has an index is read by it while it holds at most so many rows; else by id, as it is no rare one. */
const NARROW_ROWS = 200_000;
/** One look by id takes so many rows at first, four times as many next time while that is quick, and at most so many. */
const FIRST_ROWS = 512;
const MAX_ROWS = 8_192;
const QUICK_LOOK_MS = 20;
/** A list ends after so many rows and so much time: it answers what it found, and where to go on. */
const LIST_ROWS = 200_000;
const LIST_MS = 100;

/**
 * Lists of tasks, newest id first, at a bounded cost whatever the filter leaves out.
 *
 * What has an index is answered from it. All else is looked at by id, backwards, in short statements, until the page is full or the budget
 * of rows and time is used up; then the page is `incomplete` and its cursor is the place where the look ended, not the last task found. So
 * whoever goes on comes to the end, also where nothing fits for long.
 *
 * Each statement has a snapshot of its own: they look at different ids, so no task is found twice; one that was created meanwhile is not
 * missed, since it is newer than the page.
 */
export class TaskLists {
  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  async find(session: Session, filter: TaskFilter): Promise<TaskPage> {
    if (filter.states?.length === 0) return { tasks: [], next: null, incomplete: false };
    if (canNarrow(filter)) {
      const look = lookForTasks({ filter, by: "narrow", below: filter.after ?? null, rows: NARROW_ROWS });
      const found = await session.run(look, null);
      if (extentOf(found).lookedAt < NARROW_ROWS) return pageOf(filter, tasksOf(found));
    }
    return this.walk(session, filter);
  }

  private async walk(session: Session, filter: TaskFilter): Promise<TaskPage> {
    const endsMonoMs = this.clock.monotonicMs() + LIST_MS;
    const tasks: Task[] = [];
    let below = filter.after ?? null;
    let rows = isUnfiltered(filter) ? filter.limit + 1 : FIRST_ROWS;
    for (let lookedAt = 0; ;) {
      const sentMonoMs = this.clock.monotonicMs();
      const found = await session.run(lookForTasks({ filter, by: "walk", below, rows }), null);
      const extent = extentOf(found);
      tasks.push(...tasksOf(found));
      lookedAt += extent.lookedAt;
      if (tasks.length > filter.limit || extent.lookedAt < rows) return pageOf(filter, tasks);
      below = extent.lowest;
      const nowMonoMs = this.clock.monotonicMs();
      if (lookedAt >= LIST_ROWS || nowMonoMs >= endsMonoMs) return { tasks, next: below, incomplete: true };
      if (nowMonoMs - sentMonoMs < QUICK_LOOK_MS) rows = Math.min(rows * 4, MAX_ROWS);
    }
  }
}

/** @param tasks those of the page and, if there are more, at least one more */
function pageOf({ limit }: TaskFilter, tasks: Task[]): TaskPage {
  const page = tasks.slice(0, limit);
  return { tasks: page, next: tasks.length > limit ? (page.at(-1)?.id ?? null) : null, incomplete: false };
}

function tasksOf(found: readonly TaskLookRow[]): Task[] {
  return found.flatMap(({ task }) => task ?? []);
}

function extentOf(found: readonly TaskLookRow[]): TaskLookRow {
  return found[0]!;
}

/** Only the namespace can leave rows out. */
function isUnfiltered({ type, states, key, live, scheduledFrom, scheduledTo }: TaskFilter): boolean {
  return [type, states, key, live, scheduledFrom, scheduledTo].every((condition) => condition === undefined);
}
