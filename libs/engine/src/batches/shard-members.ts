import { newTaskId, type NewTask, type Random, SLOT_COUNT, type TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";

export interface ShardParts {
  ownership(): Ownership;
  random: Random;
  nowMs(): number;
}

/**
 * Splits a batch's task into shards: one member for each, equal but for its place.
 *
 * @param count how many; `nodes`: one for each live node that runs the type, whose slot that node looks after, so that
 *   it takes it first. Where none runs it: one
 */
export function shardMembers(template: NewTask, count: number | "nodes", parts: ShardParts): NewTask[] {
  const slots = count === "nodes" ? slotsOfNodes(template.typeId, parts.ownership()) : spreadSlots(count, parts.random);
  const now = parts.nowMs();
  return slots.map((slot, index) => ({
    ...template,
    id: newTaskId(now, slot, parts.random),
    shard: { index, total: slots.length },
  }));
}

/** A slot of each node that runs the type. */
function slotsOfNodes(typeId: TypeId, ownership: Ownership): number[] {
  const slots = new Map<string, number>();
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    const owner = ownership.ownerOf(typeId, slot);
    if (owner !== null && !slots.has(owner)) slots.set(owner, slot);
  }
  return slots.size === 0 ? [0] : [...slots.values()];
}

/** Slots as far from each other as they can be, from a random one on. */
function spreadSlots(count: number, random: Random): number[] {
  const first = Math.floor(random.next() * SLOT_COUNT);
  return Array.from({ length: count }, (_, index) => (first + Math.floor((index * SLOT_COUNT) / count)) % SLOT_COUNT);
}
