import {
  type BootId,
  type ClusterMessage,
  type EpochMs,
  MAX_HINTS_PER_MESSAGE,
  slotOfId,
  type TaskHint,
} from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";

interface RouteInput {
  ownership: Pick<Ownership, "ownerOf">;
  /** Null: this node is no member. */
  self: BootId | null;
  /** What is due later is the loader's. */
  horizonAt: EpochMs;
}

/**
 * [own-changes]: who is told of a task whose due time was set. What is due within the horizon goes to its owner; what
 * is this node's own, or nobody's, it keeps.
 */
export function routeHints(
  hints: readonly TaskHint[],
  { ownership, self, horizonAt }: RouteInput,
): { own: TaskHint[]; others: Map<BootId, TaskHint[]> } {
  const own: TaskHint[] = [];
  const others = new Map<BootId, TaskHint[]>();
  for (const hint of hints) {
    if (hint.dueAt > horizonAt) continue;
    const owner = ownership.ownerOf(hint.typeId, slotOfId(hint.id));
    if (owner === null || owner === self) own.push(hint);
    else if (!others.get(owner)?.push(hint)) others.set(owner, [hint]);
  }
  return { own, others };
}

/** [all-bounded]: whether one more of them would still make a difference to the message. */
export function hasRoom(hints: readonly TaskHint[]): boolean {
  return hints.length <= MAX_HINTS_PER_MESSAGE;
}

/** [all-bounded]: what one owner is told, whatever their number. */
export function messageOf(hints: TaskHint[]): ClusterMessage {
  return hasRoom(hints) ? { kind: "hints", hints } : { kind: "load" };
}
