import { type ClaimedTask, CONSUMER, type PulledTask, type PullReply } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { lockQueue } from "../statements/pull/lock-queue.js";
import { type PullRow, type PullTasks, pullTasks } from "../statements/pull/pull-tasks.js";
import { addPayloads } from "./claims.js";

/**
 * Pulls tasks: the queue is locked, and then looked at by a younger snapshot. Payloads that were too large for the
 * reply are read after the commit.
 */
export async function pull(
  database: Pick<PostgresDatabase, "run" | "transaction">,
  request: Omit<PullTasks, "limitIds">,
): Promise<PullReply> {
  const rows = await database.transaction((session) => lockAndPull(session, request));
  const claimed = rows.flatMap(({ task }) => task ?? []).sort(byDue);
  const tasks = claimed.map((task, place): PulledTask => {
    return { ...task, owner: CONSUMER, leaseUntil: task.claimedAt + request.places[place]!.leaseMs };
  });
  const leftOut = rows.flatMap(({ task, isPayloadLeftOut }) => (task !== null && isPayloadLeftOut ? [task.id] : []));
  if (leftOut.length > 0) await addPayloads(database, { tasks, ids: leftOut });
  const { isPaused, isFull, found, nextDueAt } = rows[0]!;
  // What became paused has taken the place of others.
  const mayBeMore = found >= request.places.length || found > tasks.length;
  return { tasks, isPaused, isFull, mayBeMore, nextDueAt };
}

function byDue(one: ClaimedTask, other: ClaimedTask): number {
  return one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);
}

/** A limit that was made while the lock of the type was waited for is missing once. From then on there can be none. */
async function lockAndPull(session: Session, request: Omit<PullTasks, "limitIds">): Promise<PullRow[]> {
  for (;;) {
    const [limitIds = []] = await session.run(lockQueue, request);
    const rows = await session.run(pullTasks, { ...request, limitIds });
    if (!rows[0]!.isLimitMissing) return rows;
  }
}
