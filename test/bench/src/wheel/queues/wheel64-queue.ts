import { WheelQueue } from "./wheel-queue.js";

/**
 * `wheel64`: the same wheel with levels of 64 slots, as other wheels have them. Seven of them cover 2 ** 42 ticks, and
 * a slot of the top level is 2 ** 36 ticks wide in both wheels, so that the load `one-top-slot` is as bad for one as
 * for the other.
 */
export function createWheel64(): WheelQueue {
  return new WheelQueue({ slotBits: 6, levels: 7 });
}
