import {
  type Clock,
  type EpochMs,
  isTaskId,
  type JoinedConditions,
  oneTypeOf,
  possibleStates,
  type TaskFilter,
  type TaskPage,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { hasConditions } from "../sql/task-filter-sql.js";
import { ID_MARGIN_MS, lastIdOf } from "../sql/id-bounds.js";
import { countUnordered } from "../statements/read/count-unordered.js";
import { countTagged } from "../statements/read/count-tagged.js";
import { isPageOfTypes, lookForTasks, type TaskLook, unorderedKinds } from "../statements/read/look-for-tasks.js";
import { MOST_TYPES } from "./few-types.js";
import { hiddenId } from "./hidden-places.js";
import { emptyPage, FIRST_ROWS, type PageWalk, walkPage } from "./page-walk.js";
import { tabWalk } from "./tab-walk.js";

/**
 * Tasks that no index has in the order of ids are all read if there are at most this many. Otherwise they are looked
 * for by id, since their type is not rare.
 */
const UNORDERED_ROWS = 10_000;

/**
 * Lists tasks, newest id first or in the order of a tab. The cost is bounded, however many tasks the filter leaves out,
 * see {@link walkPage}.
 *
 * Tasks with given ids are read by these, those of a key from the indexes of keys, members of a batch from the indexes
 * of members, tasks of a tag that few have from the indexes of tags, dead tasks of a print from the index of dead
 * tasks, tasks of a type or of a namespace that has not much scheduled from the indexes that begin with the type, all
 * other tasks by id: backwards, in short statements, past the tasks of other namespaces, and only past ids of the time
 * in which they were created. A cursor tells nothing of those, see {@link hiddenId}. How the tasks of a tab are read is
 * told at `lookInTab`.
 *
 * Each statement has a snapshot of its own. The statements look at different places of the order, so no task whose
 * place stays is found twice or missed. A task that is created meanwhile is newer than a page by id.
 */
export class TaskLists {
  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** @param reading `asOf`: the instant that tests pass for now */
  async find(filter: TaskFilter, reading: { session: Session; asOf: EpochMs | null }): Promise<TaskPage> {
    if (filter.states?.length === 0) return emptyPage();
    if (filter.tab !== undefined) {
      const walk = await tabWalk({ ...filter, tab: filter.tab }, reading);
      return walk ? walkPage(this.clock, walk) : emptyPage();
    }
    if (filter.after !== undefined && !isTaskId(filter.after)) return emptyPage();
    return walkPage(this.clock, walkBack(filter, reading, await wayOf(reading.session, filter)));
  }
}

/** Backwards from the newest task, or from the cursor. */
function walkBack(
  filter: TaskFilter,
  { session, asOf }: { session: Session; asOf: EpochMs | null },
  by: TaskLook["by"],
): PageWalk<string | null> {
  return {
    filter,
    start: by === "walk" ? startOfWalk(filter) : (filter.after ?? null),
    rows: isPage(filter, by) ? filter.limit + 1 : FIRST_ROWS,
    look: (below, bounds) => session.run(lookForTasks({ filter, by, below, asOf, ...bounds }), null),
    afterEnd: () => null,
    placeOf: ({ id }) => id,
    cursorOf: (id) => id,
    hidden: (id, behind) => (id === null ? null : hiddenId(id, behind)),
  };
}

/** A walk begins no later than with the ids of what the filter lets in. */
export function startOfWalk({ after, createdTo }: Pick<TaskFilter, "after" | "createdTo">): string | null {
  if (createdTo === undefined) return after ?? null;
  const newest = lastIdOf(createdTo + ID_MARGIN_MS);
  return after !== undefined && after.toLowerCase() < newest ? after : newest;
}

/** Tasks of a namespace. */
type LookedFor = JoinedConditions & Pick<TaskFilter, "namespace">;

/** The indexes by which the fitting tasks are found with the fewest rows. */
export async function wayOf(session: Session, filter: LookedFor): Promise<TaskLook["by"]> {
  if (filter.id !== undefined) return "id";
  if (filter.key !== undefined) return "key";
  if (filter.operation !== undefined) return "operation";
  if (filter.batch !== undefined) return "batch";
  if (filter.schedule !== undefined) return "schedule";
  if (filter.fingerprint !== undefined && isOfDead(filter)) return "print";
  if (filter.tag !== undefined && (await isRareTag(session, filter))) return "tag";
  return (await goesByType(session, filter)) ? "type" : "walk";
}

function isOfDead(filter: LookedFor): boolean {
  return possibleStates(filter).every((state) => state === "dead");
}

/** Whether so few tasks have the tags that all of them may be read. */
async function isRareTag(session: Session, filter: LookedFor): Promise<boolean> {
  const [tagged] = await session.run(countTagged({ filter, limit: UNORDERED_ROWS + 1 }), null);
  return tagged! <= UNORDERED_ROWS;
}

/** Whether the indexes by type have all fitting tasks except for a few. */
async function goesByType(session: Session, filter: LookedFor): Promise<boolean> {
  const { namespace } = filter;
  const type = oneTypeOf(filter);
  const kinds = unorderedKinds(filter);
  if (!(kinds.isWaiting || kinds.isLeaving)) return true;
  const limit = UNORDERED_ROWS + 1;
  const { dueFrom, dueTo } = filter;
  const asked = { namespace, type, mostTypes: MOST_TYPES, ...kinds, limit, dueFrom, dueTo };
  const [unordered] = await session.run(countUnordered, asked);
  return unordered! <= UNORDERED_ROWS;
}

/** Whether the first rows are the page: every row that is looked at fits, or only the namespace can exclude rows. */
function isPage(filter: TaskFilter, by: TaskLook["by"]): boolean {
  if (by === "type") return isPageOfTypes(filter);
  if (by === "print") return isPageOfTypes({ ...filter, fingerprint: undefined });
  return !hasConditions(by === "key" ? { ...filter, key: undefined, type: undefined } : filter);
}
