import { createHash } from "node:crypto";
import type { Random } from "../system/random.js";
import type { EpochMs } from "../task/task.js";

/** Slots that tasks are spread over, for ever; a node owns some of them per type. */
export const SLOT_COUNT = 4_096;

/**
 * A UUIDv7 (RFC 9562) whose `rand_a` is the task's slot, so an id finds its place for ever.
 *
 * @param at the estimated database time, in epoch milliseconds
 * @param slot 0 … 4,095; {@link slotOfKey} for a keyed task
 */
export function newTaskId(at: EpochMs, slot: number, random: Random): string {
  const tail = random.bytes(8);
  const variant = HEX[(tail[0]! & 0x3f) | 0x80];
  let node = "";
  for (let place = 2; place < 8; place++) node += HEX[tail[place]!];
  return `${timeHalf(Math.max(0, Math.floor(at)))}-7${hex(slot, 3)}-${variant}${HEX[tail[1]!]}-${node}`;
}

let lastTime = Number.NaN;
let lastTimeHalf = "";

/** The first 48 bits. Ids of a batch are of one millisecond: it is written once. */
function timeHalf(at: EpochMs): string {
  if (at !== lastTime) {
    const time = hex(at, 12);
    lastTimeHalf = `${time.slice(0, 8)}-${time.slice(8)}`;
    lastTime = at;
  }
  return lastTimeHalf;
}

/** The slot of an id that {@link newTaskId} made. */
export function slotOfId(id: string): number {
  return Number.parseInt(id.slice(15, 18), 16);
}

/** The slot of a keyed task: the first 12 bits of SHA-256 over namespace, NUL, type, NUL, key in UTF-8. */
export function slotOfKey(namespace: string, type: string, key: string): number {
  const digest = createHash("sha256").update(`${namespace}\0${type}\0${key}`, "utf8").digest();
  return (digest[0]! << 4) | (digest[1]! >> 4);
}

/** The two hex digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => hex(byte, 2));

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}
