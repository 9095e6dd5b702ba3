import type { GoodBeat } from "../beats/heartbeat.js";
import type { BootId, ClusterMessage, SlotSet, TypeId, ViewNode } from "@tickwheel/core";

/**
 * What the rest of a node may know of the cluster: its own identity, whether it may start work, and which tasks it
 * should try first. Only `canDispatch` concerns safety, and the claim's lock on the node row checks even that again.
 * Ownership decides which node tries first.
 */
export interface Membership {
  /** This incarnation's identity; null before the first join and between incarnations. */
  readonly bootId: BootId | null;
  /** `ip:pid`. */
  readonly label: string;
  /** Whether new work may be claimed: joined, not fenced, not yet draining. */
  canDispatch(): boolean;
  /** Ownership by the newest view that this node knows; a new object for each view. */
  ownership(): Ownership;
  /** Notifies the listener of changes from now on; call the result to stop. A listener must not throw. */
  listen(listener: MembershipListener): () => void;
}

/** Which node tries first: rendezvous hashing over the nodes of one view that run a type. */
export interface Ownership {
  /** 0: there is no view yet. */
  readonly viewNumber: number;
  readonly nodes: readonly ViewNode[];
  /** Slots of this type that this node owns. */
  mine(typeId: TypeId): SlotSet;
  /** As `mine`, plus the slots without an owner (all, while there is no view or no node in it runs the type). */
  mineOrNobodys(typeId: TypeId): SlotSet;
  /** Null: no node in the view runs this type. */
  ownerOf(typeId: TypeId, slot: number): BootId | null;
  /** Slots that this node owns of any type, for its Redis key and `GET /cluster`. */
  ownedSlots(): SlotSet;
  /** How many these are. */
  readonly ownedCount: number;
}

export interface MembershipListener {
  /** A beat of this node was acknowledged; before `joined` and `resumed`, where it makes them possible. */
  beatGood?(good: GoodBeat): void;
  /** A newer view is known. */
  viewChanged?(ownership: Ownership): void;
  /**
   * Work must stop now: abort what runs, claim nothing. `lost`: the others hold this boot id for dead; a `joined` under
   * a new one follows.
   */
  fenced?(reason: "no_good_beat" | "lost"): void;
  /**
   * The first good beat after `no_good_beat`, same boot id: settle what ended, release what was aborted, then claim
   * again.
   */
  resumed?(): void;
  /** Joined, at the start or anew, under this boot id. */
  joined?(bootId: BootId): void;
  /** This node leads and has declared another one dead: its tasks can be taken back. */
  declaredDead?(bootId: BootId): void;
  /** A message for this node has arrived. Each node has one subscription, and the membership holds it. */
  received?(message: ClusterMessage): void;
}
