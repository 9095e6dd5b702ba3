import {
  type ClaimedTask,
  type ClaimReply,
  type LimitedClaimReply,
  type LimitedClaimRequest,
  type PausedKey,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { claimLimited as claimWithin, type LimitedClaimRow } from "../statements/claim/claim-limited.js";
import type { ClaimRow, ClaimTasks } from "../statements/claim/claim-parts.js";
import { claimBesidePausedKeys, claimTasks } from "../statements/claim/claim-tasks.js";
import { lockLimits } from "../statements/claim/lock-limits.js";
import { readPayloads } from "../statements/read/read-payloads.js";

/** Claims tasks. Payloads that were too large for the claim's reply are read after its commit. */
export async function claim(
  session: Session,
  request: ClaimTasks & { pausedKeys?: readonly PausedKey[] },
): Promise<ClaimReply> {
  const { pausedKeys = [] } = request;
  const rows =
    pausedKeys.length === 0
      ? await session.run(claimTasks, request)
      : await session.run(claimBesidePausedKeys, { ...request, pausedKeys });
  return replyOf(session, request, rows);
}

/** Its transaction is to be rolled back, which flushes nothing. */
class LimitTaken extends Error {}

/**
 * The same within limits, in a transaction: the limits are locked, and then the places are looked at. Rows that are
 * read beside the claim are read after the commit.
 */
export async function claimLimited(
  database: Pick<PostgresDatabase, "run" | "transaction">,
  request: LimitedClaimRequest & ClaimTasks,
): Promise<LimitedClaimReply> {
  try {
    const rows = await database.transaction((session) => lockAndClaim(session, request));
    return {
      outcome: "answered",
      places: rows[0]?.places ?? 0,
      full: rows[0]?.full ?? [],
      ...(await replyOf(database, request, rows)),
    };
  } catch (error) {
    if (error instanceof LimitTaken) return { outcome: "taken" };
    throw error;
  }
}

async function lockAndClaim(session: Session, request: LimitedClaimRequest & ClaimTasks): Promise<LimitedClaimRow[]> {
  const { owner, pausedKeys = [] } = request;
  const limitIds = [...new Set(request.limitIds)];
  const [lock] = await session.run(lockLimits, { owner, limitIds });
  if (!lock!.isLive) return [];
  if (lock!.locked < limitIds.length) throw new LimitTaken();
  return session.run(claimWithin, { ...request, pausedKeys, limitIds });
}

async function replyOf(session: Session, request: ClaimTasks, rows: readonly ClaimRow[]): Promise<ClaimReply> {
  const tasks = rows.flatMap(({ task }) => task ?? []);
  for (const task of tasks) task.owner = request.owner;
  const leftOut = rows.filter((row) => row.isPayloadLeftOut).map(({ task }) => task!.id);
  if (leftOut.length > 0) await addPayloads(session, { tasks, ids: leftOut });
  return { fenced: rows[0]?.fenced ?? true, tasks: inOrderOf(request.ids, tasks) };
}

/**
 * The tasks in the order in which their ids were asked for. Each has the very string that was asked for: the maps of
 * the node find an id that they know without comparing its letters.
 */
function inOrderOf(ids: readonly string[], tasks: readonly ClaimedTask[]): ClaimedTask[] {
  const places = new Map<string, number>();
  for (const [place, id] of ids.entries()) places.set(id, place);
  const ordered: (ClaimedTask | null)[] = ids.map(() => null);
  for (const task of tasks) {
    const place = places.get(task.id)!;
    task.id = ids[place]!;
    ordered[place] = task;
  }
  return ordered.filter((task) => task !== null);
}

/** Reads payloads that a reply has left out. */
export async function addPayloads(
  session: Pick<Session, "run">,
  { tasks, ids }: { tasks: readonly ClaimedTask[]; ids: readonly string[] },
): Promise<void> {
  const payloads = await session.run(readPayloads, { ids });
  const byId = new Map(payloads.map(({ id, payload }) => [id, payload]));
  for (const task of tasks) if (byId.has(task.id)) task.payload = byId.get(task.id)!;
}
