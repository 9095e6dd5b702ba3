import { type Clock, PAGE_BYTES, type Task, type TaskFilter, type TaskPage } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { countUnordered } from "../statements/read/count-unordered.js";
import {
  canGoByType,
  isPageOfTypes,
  lookForTasks,
  type TaskLook,
  type TaskLookRow,
  unorderedKinds,
} from "../statements/read/look-for-tasks.js";

/**
 * Tasks that no index has in the order of ids are all read if there are at most this many. Otherwise they are looked
 * for by id, since their type is not rare.
 */
const UNORDERED_ROWS = 10_000;
/**
 * The first look by id reads `FIRST_ROWS` rows. After each quick look the next one reads four times as many, at most
 * `MAX_ROWS`.
 */
const FIRST_ROWS = 512;
const MAX_ROWS = 8_192;
const QUICK_LOOK_MS = 20;
/**
 * A list ends after this many rows or this much time. It answers the tasks that it found and the place to go on from.
 */
const LIST_ROWS = 200_000;
const LIST_MS = 100;

/**
 * Lists tasks, newest id first. The cost is bounded, however many tasks the filter leaves out.
 *
 * Tasks of a key are read from the indexes of keys, tasks of a type from the indexes that begin with the type, all
 * other tasks by id: backwards, in short statements, until the page is full or the budget of rows and time is used up.
 * In the latter case the page is `incomplete`, and its cursor is the place where the look ended, not the last task
 * found. So a caller who goes on reaches the end, even across long stretches without a fitting task.
 *
 * Each statement has a snapshot of its own. The statements look at different ids, so no task is found twice. A task
 * that is created meanwhile is not missed, since it is newer than the page.
 */
export class TaskLists {
  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  async find(session: Session, filter: TaskFilter): Promise<TaskPage> {
    const page = new Page(filter);
    if (filter.states?.length === 0) return page.ended(false);
    return this.goBack(session, page, await wayOf(session, filter));
  }

  /** Looks backwards from the newest task, or from the cursor. */
  private async goBack(session: Session, page: Page, by: TaskLook["by"]): Promise<TaskPage> {
    const { filter } = page;
    const endsMonoMs = this.clock.monotonicMs() + LIST_MS;
    let below = filter.after ?? null;
    let rows = isPage(filter, by) ? filter.limit + 1 : FIRST_ROWS;
    for (let lookedAt = 0; ;) {
      const sentMonoMs = this.clock.monotonicMs();
      const found = await session.run(lookForTasks({ filter, by, below, rows, maxBytes: page.maxBytes }), null);
      const extent = extentOf(found);
      const isFull = page.add(found);
      lookedAt += extent.lookedAt;
      if (isFull || extent.lookedAt < rows) return page.ended(isFull);
      below = extent.lowest;
      const nowMonoMs = this.clock.monotonicMs();
      if (lookedAt >= LIST_ROWS || nowMonoMs >= endsMonoMs) return page.incomplete(below);
      if (nowMonoMs - sentMonoMs < QUICK_LOOK_MS) rows = Math.min(rows * 4, MAX_ROWS);
    }
  }
}

/** A page that is being filled by looks. */
class Page {
  private readonly tasks: Task[] = [];
  private bytes = 0;

  constructor(readonly filter: TaskFilter) {}

  /** How much the next look may add. */
  get maxBytes(): number {
    return (this.filter.maxBytes ?? PAGE_BYTES) - this.bytes;
  }

  /** Adds the tasks that a look found. True: there are more than the page holds. */
  add(found: readonly TaskLookRow[]): boolean {
    const { fitting, bytes } = extentOf(found);
    const tasks = tasksOf(found);
    this.tasks.push(...tasks);
    this.bytes += bytes;
    return this.tasks.length > this.filter.limit || fitting > tasks.length;
  }

  /** The end of the list, or the beginning of the next page. */
  ended(hasMore: boolean): TaskPage {
    const tasks = this.tasks.slice(0, this.filter.limit);
    return { tasks, bytes: this.bytes, next: hasMore ? (tasks.at(-1)?.id ?? null) : null, incomplete: false };
  }

  incomplete(next: string | null): TaskPage {
    return { tasks: this.tasks, bytes: this.bytes, next, incomplete: true };
  }
}

function tasksOf(found: readonly TaskLookRow[]): Task[] {
  return found.flatMap(({ task }) => task ?? []);
}

function extentOf(found: readonly TaskLookRow[]): TaskLookRow {
  return found[0]!;
}

/** The indexes by which the fitting tasks are found with the fewest rows. */
async function wayOf(session: Session, filter: TaskFilter): Promise<TaskLook["by"]> {
  if (filter.key !== undefined) return "key";
  return (await goesByType(session, filter)) ? "type" : "walk";
}

/** Whether the indexes by type have all fitting tasks except for a few. */
async function goesByType(session: Session, filter: TaskFilter): Promise<boolean> {
  if (!canGoByType(filter)) return false;
  const { namespace, type } = filter;
  const kinds = unorderedKinds(filter);
  if (type === undefined || !(kinds.isWaiting || kinds.isLeaving)) return true;
  const [unordered] = await session.run(countUnordered, { namespace, type, ...kinds, limit: UNORDERED_ROWS + 1 });
  return unordered! <= UNORDERED_ROWS;
}

/** Whether the first rows are the page: every row that is looked at fits, or only the namespace can exclude rows. */
function isPage(filter: TaskFilter, by: TaskLook["by"]): boolean {
  if (by === "type") return isPageOfTypes(filter);
  const { states, live, tag, scheduledFrom, scheduledTo } = filter;
  const others = by === "key" ? [] : [filter.type, filter.key];
  return [states, live, tag, scheduledFrom, scheduledTo, ...others].every((condition) => condition === undefined);
}
