import { ACTION_RULES, type Clock, type EpochMs, type OperationPlan } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { statesWithin } from "../sql/task-filter-sql.js";
import { lookForFound } from "../statements/operations/look-for-found.js";
import { FIRST_ROWS, rowsBehind } from "./page-walk.js";
import { startOfWalk, wayOf } from "./task-lists.js";

/** The look for a page ends after this many rows, or after this much time. */
const FOUND_ROWS = 200_000;
const FOUND_MS = 500;

/** What a page of an operation looks for. */
export interface WantedTasks {
  plan: OperationPlan;
  /** Only tasks that were created before. */
  createdBefore: EpochMs;
  /** The position to go on from; null: the newest. */
  below: string | null;
  /** Most tasks. */
  limit: number;
}

export interface FoundTasks {
  /** Newest first. */
  ids: string[];
  /** Where the next page goes on; null: nowhere, there are no more. */
  below: string | null;
}

interface Finding {
  session: Session;
  clock: Pick<Clock, "monotonicMs">;
  asOf: EpochMs | null;
}

/**
 * Finds the next tasks that fit filter and action of an operation, newest id first, by the same indexes as a list of
 * tasks. It looks several times until the page is full or the budget is used up; then it goes on below the last row
 * that was looked at, not the last task that was found. Actions on live tasks never read history.
 */
export async function findForPage({ session, clock, asOf }: Finding, wanted: WantedTasks): Promise<FoundTasks> {
  const plan = narrowed(wanted.plan, wanted.createdBefore);
  const { filter, namespace } = plan;
  if (filter.states!.length === 0) return { ids: [], below: null };
  const by = await wayOf(session, { ...filter, namespace });
  const ids: string[] = [];
  const endsMonoMs = clock.monotonicMs() + FOUND_MS;
  let below = by === "walk" ? startOfWalk({ ...filter, after: wanted.below ?? undefined }) : wanted.below;
  let rows = FIRST_ROWS;
  for (let lookedAt = 0; ;) {
    const sentMonoMs = clock.monotonicMs();
    const look = { plan, by, below, rows, limit: wanted.limit - ids.length, asOf };
    const found = (await session.run(lookForFound(look), null))[0]!;
    ids.push(...found.ids);
    lookedAt += found.lookedAt;
    if (ids.length >= wanted.limit) return { ids, below: ids.at(-1)! };
    if (found.lookedAt < rows || found.last === null) return { ids, below: null };
    below = found.last;
    const nowMonoMs = clock.monotonicMs();
    if (lookedAt >= FOUND_ROWS || nowMonoMs >= endsMonoMs) return { ids, below };
    rows = rowsBehind(rows, nowMonoMs - sentMonoMs);
  }
}

/**
 * The plan for the look: only states of the action are looked for, and no task that is newer than the operation.
 *
 * @param createdBefore when it was started; null: it is not yet
 */
export function narrowed(plan: OperationPlan, createdBefore: EpochMs | null): OperationPlan {
  const { filter, action } = plan;
  const states = statesWithin(filter, ACTION_RULES[action].states);
  if (createdBefore === null) return { ...plan, filter: { ...filter, states } };
  const createdTo = Math.min(filter.createdTo ?? Infinity, createdBefore);
  return { ...plan, filter: { ...filter, states, createdTo } };
}
