import {
  MAX_SHARDED_BYTES,
  newTaskId,
  type NewTask,
  type Random,
  SLOT_COUNT,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
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
 * @throws TickwheelError `VALIDATION_FAILED`: the payloads of all shards come to more than {@link MAX_SHARDED_BYTES}
 */
export function shardMembers(template: NewTask, count: number | "nodes", parts: ShardParts): NewTask[] {
  const slots = count === "nodes" ? slotsOfNodes(template.typeId, parts.ownership()) : spreadSlots(count, parts.random);
  requireBounded(template, slots.length);
  const now = parts.nowMs();
  return slots.map((slot, index) => ({
    ...template,
    id: newTaskId(now, slot, parts.random),
    shard: { index, total: slots.length },
  }));
}

function requireBounded({ payload }: NewTask, shards: number): void {
  const bytes = Buffer.byteLength(payload);
  if (bytes * shards <= MAX_SHARDED_BYTES) return;
  const message =
    `is ${bytes} bytes long; with ${shards} shards that comes to more than ${MAX_SHARDED_BYTES} bytes: ` +
    "give it a reference, or make fewer shards";
  const fault = { path: "tasks[0].payload", message };
  throw new TickwheelError("VALIDATION_FAILED", `${fault.path} ${message}`, { faults: [fault] });
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
