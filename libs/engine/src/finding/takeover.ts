import { type BootId, type FormerOwner, MAX_EVENT_NAMES, SLOT_COUNT, SlotSet } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";

/** What came to a node from nodes that are not in its view any more. */
export interface Gain {
  from: FormerOwner[];
  slots: SlotSet;
}

/**
 * What came to this node between two ownerships from nodes that left the view in between; null: nothing did. A node's
 * slots fall to those that stay, so what came to it while others left came from them.
 *
 * @param fellSilent whether a node that left the view was silent then; if not, it had asked to be left out
 */
export function gainOf(
  before: Pick<Ownership, "nodes" | "ownedSlots"> | null,
  now: Pick<Ownership, "nodes" | "ownedSlots">,
  fellSilent: (bootId: BootId) => boolean,
): Gain | null {
  if (before === null || before === now) return null;
  const present = new Set(now.nodes.map(({ bootId }) => bootId));
  const gone = before.nodes.filter(({ bootId }) => !present.has(bootId));
  if (gone.length === 0) return null;
  const slots = without(now.ownedSlots(), before.ownedSlots());
  if (slots.size === 0) return null;
  const from = gone.slice(0, MAX_EVENT_NAMES).map(({ bootId, label }): FormerOwner => ({
    bootId,
    label,
    left: fellSilent(bootId) ? "SILENT" : "ASKED",
  }));
  return { from, slots };
}

function without(slots: SlotSet, others: SlotSet): SlotSet {
  const rest = new SlotSet();
  for (let slot = 0; slot < SLOT_COUNT; slot++) if (slots.has(slot) && !others.has(slot)) rest.add(slot);
  return rest;
}
