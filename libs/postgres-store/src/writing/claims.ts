import type { ClaimedTask, ClaimReply, PausedKey } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { claimBesidePausedKeys, type ClaimTasks, claimTasks } from "../statements/claim/claim-tasks.js";
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
  const tasks = rows.flatMap(({ task }) => task ?? []);
  for (const task of tasks) task.owner = request.owner;
  const leftOut = rows.filter((row) => row.isPayloadLeftOut).map(({ task }) => task!.id);
  if (leftOut.length > 0) await addPayloads(session, { tasks, ids: leftOut });
  const places = new Map(request.ids.map((id, place) => [id, place]));
  tasks.sort((one, other) => places.get(one.id)! - places.get(other.id)!);
  return { fenced: rows[0]?.fenced ?? true, tasks };
}

async function addPayloads(
  session: Session,
  { tasks, ids }: { tasks: readonly ClaimedTask[]; ids: readonly string[] },
): Promise<void> {
  const payloads = await session.run(readPayloads, { ids });
  const byId = new Map(payloads.map(({ id, payload }) => [id, payload]));
  for (const task of tasks) if (byId.has(task.id)) task.payload = byId.get(task.id)!;
}
