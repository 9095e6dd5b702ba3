import { keyNameOf } from "@tickwheel/core";
import type { CreateAcknowledged, RowChanged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, type Rules } from "../history/rule.js";

/** Keys name one thing. */
export const keyRules = {
  "one-id-per-idempotency-key": oneIdPerIdempotencyKey,
  "one-live-task-per-key": oneLiveTaskPerKey,
} satisfies Rules;

/** How long an idempotency key is remembered: [idempotent-day]. */
const IDEMPOTENCY_MEMORY_MS = 24 * 60 * 60 * 1_000;

/** [idempotent-day]: every create with an idempotency key is answered with the same ids for 24 hours. */
function oneIdPerIdempotencyKey({ events }: IndexedRun): Finding[] {
  const first = new Map<string, CreateAcknowledged>();
  return events.flatMap((event) => {
    if (event.kind !== "create-acknowledged" || event.idempotencyKey === null) return [];
    const known = first.get(event.idempotencyKey);
    if (!known || event.at - known.at >= IDEMPOTENCY_MEMORY_MS) {
      first.set(event.idempotencyKey, event);
      return [];
    }
    const isSame = known.taskIds.join() === event.taskIds.join();
    const message = `idempotency key ${event.idempotencyKey} was answered with other ids`;
    return isSame ? [] : finding(event.taskIds[0] ?? null, message, [known, event]);
  });
}

/** [one-live-key]: after each commit at most one task holds a (namespace, type, key). */
function oneLiveTaskPerKey({ changes }: IndexedRun): Finding[] {
  const holders = new Map<string, Map<string, RowChanged>>();
  return changes.flatMap((change, place) => {
    moveKey(holders, change);
    const next = changes[place + 1];
    const isWholeCommit = change.commit === null || next?.commit !== change.commit;
    return isWholeCommit ? sharedKeys(holders, commitUpTo(changes, place)) : [];
  });
}

/** The changes of the commit that ends here. */
function commitUpTo(changes: readonly RowChanged[], place: number): RowChanged[] {
  const { commit } = changes[place]!;
  let first = place;
  while (commit !== null && first > 0 && changes[first - 1]!.commit === commit) first -= 1;
  return changes.slice(first, place + 1);
}

function moveKey(holders: Map<string, Map<string, RowChanged>>, change: RowChanged): void {
  const { before, after } = change;
  if (before?.keyLive) holders.get(keyNameOf(before))?.delete(before.id);
  if (!after?.keyLive) return;
  const ids = holders.get(keyNameOf(after)) ?? new Map<string, RowChanged>();
  holders.set(keyNameOf(after), ids.set(after.id, change));
}

function sharedKeys(holders: ReadonlyMap<string, Map<string, RowChanged>>, commit: readonly RowChanged[]): Finding[] {
  return commit.flatMap(({ before, after, statement }) => {
    if (!after?.keyLive || before?.keyLive) return [];
    const live = [...(holders.get(keyNameOf(after)) ?? new Map<string, RowChanged>()).values()];
    if (live.length < 2) return [];
    return finding(after.id, `after ${statement} key ${after.key} has ${live.length} live tasks`, live);
  });
}
