import { SLOT_COUNT, type SlotOwners, type TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";

/** How many divisions are told at most: 256 KiB. */
export const MAX_DIVISIONS = 32;

/**
 * Who owns each slot of each type, as figures need it: types that the same nodes run share one division. A pure
 * function of the view; owners are places in `ownership.nodes`.
 *
 * Cost: 4,096 look-ups for each division, and one for each type of each node.
 */
export function slotOwnersOf(ownership: Pick<Ownership, "viewNumber" | "nodes" | "ownerOf">): SlotOwners {
  const runners = new Map<TypeId, number[]>();
  for (const [place, { typeIds }] of ownership.nodes.entries()) {
    for (const typeId of typeIds) runners.set(typeId, [...(runners.get(typeId) ?? []), place]);
  }
  const places = new Map(ownership.nodes.map(({ bootId }, place) => [bootId, place]));
  const known = new Map<string, number>();
  const divisions: Uint16Array[] = [];
  const types: { typeId: TypeId; division: number }[] = [];
  for (const [typeId, nodes] of runners) {
    const key = nodes.join();
    if (!known.has(key)) {
      if (divisions.length === MAX_DIVISIONS) continue;
      known.set(key, divisions.length);
      divisions.push(
        Uint16Array.from({ length: SLOT_COUNT }, (_, slot) => places.get(ownership.ownerOf(typeId, slot)!)!),
      );
    }
    types.push({ typeId, division: known.get(key)! });
  }
  return { viewNumber: ownership.viewNumber, types, divisions, isWhole: types.length === runners.size };
}

/** Keeps the owners of the newest view that was asked for. */
export class SlotOwnersKeeper {
  private known: { ownership: Ownership; owners: SlotOwners } | null = null;

  of(ownership: Ownership): SlotOwners {
    if (this.known?.ownership !== ownership) this.known = { ownership, owners: slotOwnersOf(ownership) };
    return this.known.owners;
  }
}
