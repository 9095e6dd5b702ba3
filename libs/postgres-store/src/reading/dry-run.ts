import {
  added,
  type Clock,
  DRY_RUN_SAMPLE,
  DRY_RUN_TYPES,
  type DryRun,
  type EpochMs,
  MOST_COUNTED,
  type OperationPlan,
  type Task,
  type TaskState,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { countFound, type FoundCounts } from "../statements/operations/count-found.js";
import { findTasksById } from "../statements/read/find-tasks-by-id.js";
import { narrowed } from "./found-walk.js";
import { FIRST_ROWS, rowsBehind } from "./page-walk.js";
import { startOfWalk, wayOf } from "./task-lists.js";

/** A dry run ends after this many rows, or after this much time. */
const DRY_RUN_ROWS = 200_000;
const DRY_RUN_MS = 1_000;

interface Trying {
  session: Session;
  clock: Pick<Clock, "monotonicMs">;
  asOf: EpochMs | null;
}

/** The counts of a dry run until now, without its sample's tasks. */
interface Counted extends Omit<FoundCounts, "types" | "last"> {
  types: ReadonlyMap<string, number>;
}

/**
 * Counts what an operation would change now, by the same indexes as its pages, in short statements. Each has a snapshot
 * of its own, at another place of the order of ids: no task is counted twice.
 */
export async function tryDry(trying: Trying, plan: OperationPlan): Promise<DryRun> {
  const { session, clock, asOf } = trying;
  const wanted = narrowed(plan, null);
  const { filter, namespace } = wanted;
  const by = filter.states!.length === 0 ? "walk" : await wayOf(session, { ...filter, namespace });
  const endsMonoMs = clock.monotonicMs() + DRY_RUN_MS;
  let below = by === "walk" ? startOfWalk(filter) : null;
  let counted: Counted | null = null;
  for (let rows = FIRST_ROWS; ;) {
    const sentMonoMs = clock.monotonicMs();
    const limit = MOST_COUNTED + 1 - (counted?.count ?? 0);
    const found: FoundCounts = (
      await session.run(countFound({ plan: wanted, by, below, rows, limit, asOf }), null)
    )[0]!;
    counted = withCounts(counted, found);
    const isAtLeast = counted.count > MOST_COUNTED;
    const isOver = found.lookedAt < rows || found.last === null;
    const nowMonoMs = clock.monotonicMs();
    const isSpent = counted.lookedAt >= DRY_RUN_ROWS || nowMonoMs >= endsMonoMs;
    if (isAtLeast || isOver || isSpent)
      return dryRunOf(session, counted, { namespace, isAtLeast, incomplete: !isAtLeast && !isOver });
    below = found.last;
    rows = rowsBehind(rows, nowMonoMs - sentMonoMs);
  }
}

function withCounts(before: Counted | null, { types, last: _last, ...found }: FoundCounts): Counted {
  const byType = new Map(types.map(({ type, count }) => [type, count]));
  if (before === null) return { ...found, types: byType };
  for (const [type, count] of before.types) byType.set(type, (byType.get(type) ?? 0) + count);
  const sum = (name: "count" | "running" | "occurrences" | "members" | "keysTaken" | "overdue" | "dueSoon"): number =>
    before[name] + found[name];
  return {
    now: before.now,
    count: sum("count"),
    running: sum("running"),
    occurrences: sum("occurrences"),
    members: sum("members"),
    keysTaken: sum("keysTaken"),
    overdue: sum("overdue"),
    dueSoon: sum("dueSoon"),
    states: added<TaskState>(before.states, found.states),
    types: byType,
    dueFrom: ofBoth(Math.min, before.dueFrom, found.dueFrom),
    dueTo: ofBoth(Math.max, before.dueTo, found.dueTo),
    sample: [...before.sample, ...found.sample].slice(0, DRY_RUN_SAMPLE),
    lookedAt: before.lookedAt + found.lookedAt,
  };
}

function ofBoth(choose: (...of: number[]) => number, one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return choose(one, other);
}

async function dryRunOf(
  session: Session,
  { types, sample, now, count, ...counted }: Counted,
  { namespace, ...ends }: { namespace: string; isAtLeast: boolean; incomplete: boolean },
): Promise<DryRun> {
  const shown = [...types].map(([type, of]) => ({ type, count: of })).sort((a, b) => b.count - a.count);
  return {
    ...counted,
    ...ends,
    count: Math.min(count, MOST_COUNTED),
    createdBefore: now,
    types: shown.slice(0, DRY_RUN_TYPES),
    sample: await sampleOf(session, namespace, sample),
  };
}

/** Tasks of a sample; who is gone meanwhile is left out. */
async function sampleOf(session: Session, namespace: string, ids: readonly string[]): Promise<Task[]> {
  if (ids.length === 0) return [];
  const found = await session.run(findTasksById, { namespace, ids });
  return ids.flatMap((id) => found.find((task) => task.id === id) ?? []);
}
