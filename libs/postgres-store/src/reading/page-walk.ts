import { type Clock, PAGE_BYTES, type Task, type TaskFilter, type TaskPage } from "@tickwheel/core";
import type { LookRow } from "../sql/page-sql.js";

/** The first look of a walk that may leave out rows reads so many. */
export const FIRST_ROWS = 512;
/** After each quick look the next one reads four times as many rows, at most `MAX_ROWS`. */
const MAX_ROWS = 8_192;
const QUICK_LOOK_MS = 20;

/** How many rows the look behind one of `rows` rows reads that took so long. */
export function rowsBehind(rows: number, tookMs: number): number {
  return tookMs < QUICK_LOOK_MS ? Math.min(rows * 4, MAX_ROWS) : rows;
}

/**
 * A list ends after this many rows or this much time. It answers the tasks that it found and the place to go on from.
 */
const LIST_ROWS = 200_000;
const LIST_MS = 100;

/** How the tasks of a list are found, one look after the other. */
export interface PageWalk<Place> {
  filter: Pick<TaskFilter, "limit" | "maxBytes">;
  /** Where the first look begins. */
  start: Place;
  /** How many rows it reads. */
  rows: number;
  look: (from: Place, bounds: LookBounds) => Promise<readonly LookRow<Place>[]>;
  /** Where to go on when nothing more stands behind `from`; null: the list has ended. */
  afterEnd: (from: Place) => Place | null;
  placeOf: (task: Task) => Place;
  cursorOf: (place: Place) => string | null;
  /**
   * A place between `behind` and this one that tells nothing of the task that stands at this one: it may be another
   * namespace's. Null: there is none.
   */
  hidden: (place: Place, behind: Place) => Place | null;
}

export interface LookBounds {
  /** At most this many rows are looked at. */
  rows: number;
  /** The task that reaches this sum of bytes is the last one shown. */
  maxBytes: number;
}

/**
 * Looks until the page is full or the budget of rows and time is used up. In the latter case the page is `incomplete`,
 * and its cursor is the place where the look ended, not the last task found. So a caller who goes on reaches the end,
 * even across long stretches without a fitting task.
 */
export async function walkPage<Place>(clock: Pick<Clock, "monotonicMs">, walk: PageWalk<Place>): Promise<TaskPage> {
  const { filter, look, afterEnd, placeOf, cursorOf, ...first } = walk;
  const page = new Page(filter);
  const endsMonoMs = clock.monotonicMs() + LIST_MS;
  let { start: place, rows } = first;
  for (let lookedAt = 0; ;) {
    const sentMonoMs = clock.monotonicMs();
    const found = await look(place, { rows, maxBytes: page.maxBytes });
    const extent = found[0]!;
    const isFull = page.add(found);
    lookedAt += extent.lookedAt;
    if (isFull) return page.ended((task) => cursorOf(placeOf(task)));
    const next = extent.lookedAt < rows ? afterEnd(place) : extent.last;
    if (next === null) return page.ended(() => null);
    place = next;
    const nowMonoMs = clock.monotonicMs();
    if (lookedAt >= LIST_ROWS || nowMonoMs >= endsMonoMs)
      return page.incomplete((shown) => hiddenCursor(walk, place, shown));
    rows = rowsBehind(rows, nowMonoMs - sentMonoMs);
  }
}

/** Where to go on from: behind the last task shown, so that none is shown twice, and at a place that tells nothing. */
function hiddenCursor<Place>(
  { start, placeOf, hidden, cursorOf }: PageWalk<Place>,
  place: Place,
  shown: Task | undefined,
): string | null {
  const last = shown && placeOf(shown);
  return cursorOf(hidden(place, last ?? start) ?? last ?? place);
}

/** A page without tasks, behind which there are none. */
export function emptyPage(): TaskPage {
  return { tasks: [], bytes: 0, next: null, incomplete: false };
}

/** A page that is being filled by looks. */
class Page {
  private readonly tasks: Task[] = [];
  private bytes = 0;

  constructor(private readonly filter: Pick<TaskFilter, "limit" | "maxBytes">) {}

  /** How much the next look may add. */
  get maxBytes(): number {
    return (this.filter.maxBytes ?? PAGE_BYTES) - this.bytes;
  }

  /** Adds the tasks that a look found. True: there are more than the page holds. */
  add(found: readonly LookRow<unknown>[]): boolean {
    const { fitting, bytes } = found[0]!;
    const tasks = found.flatMap(({ task }) => task ?? []);
    this.tasks.push(...tasks);
    this.bytes += bytes;
    return this.tasks.length > this.filter.limit || fitting > tasks.length;
  }

  /** The page as it is full, or as the list has ended. */
  ended(cursorOf: (last: Task) => string | null): TaskPage {
    const tasks = this.tasks.slice(0, this.filter.limit);
    const last = tasks.at(-1);
    return { tasks, bytes: this.bytes, next: last ? cursorOf(last) : null, incomplete: false };
  }

  incomplete(cursorOf: (last: Task | undefined) => string | null): TaskPage {
    return { tasks: this.tasks, bytes: this.bytes, next: cursorOf(this.tasks.at(-1)), incomplete: true };
  }
}
