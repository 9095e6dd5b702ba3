import { SLOT_COUNT, SlotSet } from "@tickwheel/core";

/**
 * Slots as people read them: ascending, neighbours joined, such as `0-12,40`. Empty: no slot.
 *
 * @example slotRanges(SlotSet.all()) // "0-4095"
 */
export function slotRanges(slots: SlotSet): string {
  const ranges: string[] = [];
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    if (!slots.has(slot)) continue;
    const first = slot;
    while (slot + 1 < SLOT_COUNT && slots.has(slot + 1)) slot++;
    ranges.push(first === slot ? String(first) : `${first}-${slot}`);
  }
  return ranges.join(",");
}
