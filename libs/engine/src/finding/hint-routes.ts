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
  /** Tasks that are due later are left to the loader. */
  horizonAt: EpochMs;
}

/**
 * [own-changes]: who gets a hint of a task whose due time was set. If it is due within the horizon the hint goes to its
 * owner. This node keeps hints of its own tasks and of those without an owner.
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

/** [all-bounded]: whether one more hint would still change the message. */
export function hasRoom(hints: readonly TaskHint[]): boolean {
  return hints.length <= MAX_HINTS_PER_MESSAGE;
}

/** [all-bounded]: the message to one owner, for any number of hints. */
export function messageOf(hints: TaskHint[]): ClusterMessage {
  return hasRoom(hints) ? { kind: "hints", hints } : { kind: "load" };
}
