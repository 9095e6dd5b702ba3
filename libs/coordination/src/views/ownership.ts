import { type BootId, SLOT_COUNT, SlotSet, type TypeId, type View, type ViewNode } from "@tickwheel/core";
import type { Ownership } from "./membership.js";
import { ascending, hasSameTypes } from "./type-lists.js";

/**
 * The owner of each slot by one view: for each type the node with the highest hash of (boot id, slot) among those that
 * run it (rendezvous hashing; Thaler and Ravishankar, 1996). A pure function of the view, so every node comes to the
 * same answer; when a node comes or goes, only slots that it gains or loses move.
 *
 * Cost: one hash for each node and slot (10 nodes: about a millisecond), once for each distinct set of nodes that runs
 * a type. Only that is kept, whatever the number of types: the types of a node are looked up in the view's own lists,
 * and some answers are remembered. The returned slot sets are shared: do not change them.
 */
export class RendezvousOwnership implements Ownership {
  readonly viewNumber: number;
  readonly nodes: readonly ViewNode[];
  private readonly weights: (Uint32Array | undefined)[];
  private readonly divisions = new Map<string, Division>();
  /** The types that each node runs, ascending; nodes that run the same share one list. */
  private readonly runs: (readonly TypeId[])[];
  /** What was asked for lately. */
  private readonly divisionOfType = new Map<TypeId, Division | null>();
  private owned: SlotSet | null = null;
  private ownedSize: number | null = null;

  /**
   * @param view the view, or null before the first one: then no slot has an owner
   * @param self this node's boot id, or null while it has none
   * @param before the ownership by an older view: what both share is not computed again
   */
  constructor(
    view: View | null,
    private readonly self: BootId | null,
    before: RendezvousOwnership | null = null,
  ) {
    this.viewNumber = view?.number ?? 0;
    this.nodes = [...(view?.nodes ?? [])].sort(byBootId);
    this.runs = sharedLists(this.nodes);
    this.weights = this.nodes.map(({ bootId }) => before?.knownWeights(bootId));
  }

  mine(typeId: TypeId): SlotSet {
    return this.division(typeId)?.mine ?? NO_SLOTS;
  }

  mineOrNobodys(typeId: TypeId): SlotSet {
    return this.division(typeId)?.mine ?? ALL_SLOTS;
  }

  ownerOf(typeId: TypeId, slot: number): BootId | null {
    const division = this.division(typeId);
    return division === null ? null : this.nodes[division.owners[slot]!]!.bootId;
  }

  ownedSlots(): SlotSet {
    this.owned ??= this.unionOfMine();
    return this.owned;
  }

  get ownedCount(): number {
    this.ownedSize ??= this.ownedSlots().size;
    return this.ownedSize;
  }

  private unionOfMine(): SlotSet {
    let union = new SlotSet();
    const self = this.nodes.findIndex((node) => node.bootId === this.self);
    for (const typeId of this.runs[self] ?? []) this.divisionAmong(this.runnersOf(typeId));
    for (const { mine } of this.divisions.values()) union = union.union(mine);
    return union;
  }

  private division(typeId: TypeId): Division | null {
    const known = this.divisionOfType.get(typeId);
    if (known !== undefined) return known;
    const runners = this.runnersOf(typeId);
    const division = runners.length === 0 ? null : this.divisionAmong(runners);
    if (this.divisionOfType.size >= MAX_REMEMBERED) this.divisionOfType.clear();
    this.divisionOfType.set(typeId, division);
    return division;
  }

  /** Places in `nodes`. */
  private runnersOf(typeId: TypeId): number[] {
    const runners: number[] = [];
    let isRunBefore = false;
    for (const [index, list] of this.runs.entries()) {
      if (index === 0 || list !== this.runs[index - 1]) isRunBefore = includes(list, typeId);
      if (isRunBefore) runners.push(index);
    }
    return runners;
  }

  private divisionAmong(runners: readonly number[]): Division {
    const key = runners.join();
    let division = this.divisions.get(key);
    if (division === undefined) {
      division = this.divide(runners);
      this.divisions.set(key, division);
    }
    return division;
  }

  private divide(runners: readonly number[]): Division {
    const [first, ...others] = runners;
    const owners = new Uint16Array(SLOT_COUNT).fill(first!);
    const best = this.weightsOf(first!).slice();
    for (const index of others) {
      const weights = this.weightsOf(index);
      for (let slot = 0; slot < SLOT_COUNT; slot++) {
        // If weights are equal the first by boot id keeps the slot, on every node.
        if (weights[slot]! <= best[slot]!) continue;
        best[slot] = weights[slot]!;
        owners[slot] = index;
      }
    }
    return { owners, mine: this.slotsOfSelf(owners) };
  }

  private slotsOfSelf(owners: Uint16Array): SlotSet {
    const mine = new SlotSet();
    const self = this.nodes.findIndex((node) => node.bootId === this.self);
    if (self < 0) return mine;
    for (let slot = 0; slot < SLOT_COUNT; slot++) if (owners[slot] === self) mine.add(slot);
    return mine;
  }

  private weightsOf(index: number): Uint32Array {
    return (this.weights[index] ??= slotWeights(this.nodes[index]!.bootId));
  }

  private knownWeights(bootId: BootId): Uint32Array | undefined {
    return this.weights[this.nodes.findIndex((node) => node.bootId === bootId)];
  }
}

/** How the slots fall to one set of nodes: the owner's index in `nodes` for each slot. */
interface Division {
  owners: Uint16Array;
  mine: SlotSet;
}

/** At most this many types' divisions are remembered. */
const MAX_REMEMBERED = 1_024;
const NO_SLOTS = new SlotSet();
const ALL_SLOTS = SlotSet.all();

/** The nodes' types, ascending; equal lists are shared. */
function sharedLists(nodes: readonly ViewNode[]): (readonly TypeId[])[] {
  const lists: (readonly TypeId[])[] = [];
  return nodes.map(({ typeIds }) => {
    const list = ascending(typeIds);
    const known = lists.find((one) => hasSameTypes(one, list));
    if (!known) lists.push(list);
    return known ?? list;
  });
}

/** Binary search: the list is ascending. */
function includes(list: readonly TypeId[], typeId: TypeId): boolean {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle]! < typeId) from = middle + 1;
    else to = middle;
  }
  return list[from] === typeId;
}

function byBootId(left: ViewNode, right: ViewNode): number {
  return left.bootId < right.bootId ? -1 : left.bootId > right.bootId ? 1 : 0;
}

/** The weight of one node for each slot: 32 well-mixed bits of (boot id, slot). */
function slotWeights(bootId: BootId): Uint32Array {
  const low = hashText(bootId, 0x2545f491);
  const high = hashText(bootId, 0x9e3779b1);
  const weights = new Uint32Array(SLOT_COUNT);
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    weights[slot] = mix(mix(low ^ Math.imul(slot + 1, 0x9e3779b1)) ^ high);
  }
  return weights;
}

function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash);
}

/**
 * The finaliser of MurmurHash3: every bit of the input changes each bit of the result with a probability near one half.
 */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
