import { type Random, SLOT_COUNT, type TypeId, slotOfKey } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";

/** An unkeyed task that is due this soon should stay with the node that accepted it. */
const NEAR_MS = 2_000;

/** The inputs for a new task's slot. */
export interface SlotWish {
  namespace: string;
  type: string;
  typeId: TypeId;
  key: string | null;
  delayMs: number;
}

/**
 * Chooses slots: a key's own slot; one of this node's for an unkeyed task that is due soon, so that no message is
 * needed; any slot for all others. The slots of a type are listed once per view.
 */
export class SlotChoice {
  private listedFor: Ownership | null = null;
  private readonly slotsByType = new Map<TypeId, number[]>();

  constructor(private readonly random: Random) {}

  choose(wish: SlotWish, ownership: Ownership): number {
    if (wish.key !== null) return slotOfKey(wish.namespace, wish.type, wish.key);
    const mine = wish.delayMs <= NEAR_MS ? this.mine(wish.typeId, ownership) : [];
    if (mine.length === 0) return Math.floor(this.random.next() * SLOT_COUNT);
    return mine[Math.floor(this.random.next() * mine.length)]!;
  }

  private mine(typeId: TypeId, ownership: Ownership): number[] {
    if (this.listedFor !== ownership) this.slotsByType.clear();
    this.listedFor = ownership;
    let slots = this.slotsByType.get(typeId);
    if (!slots) this.slotsByType.set(typeId, (slots = [...ownership.mine(typeId)]));
    return slots;
  }
}
