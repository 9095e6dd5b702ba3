import type { NodeBeat } from "./cluster-store.js";
import type { LimitId } from "./limit-store.js";
import type { UnsafeSetting } from "../reports/unsafe-settings.js";
import type { BootId, EpochMs, TaskHint, TypeId } from "../task/task.js";

/**
 * What the cluster shares beside Postgres: who is there, wake-up messages, a damped election. All of it is a hint:
 * every method may fail, lie or be late, and nothing is lost, only later. Implemented over Redis (`RedisCoordination`),
 * over Postgres' NOTIFY (`PostgresCoordination`) and in memory by the testing library.
 */
export interface Coordination {
  /** Where messages and beats go, as `GET /cluster` names it. */
  readonly kind: "redis" | "postgres";
  /** Whether it works just now; `detail` says why not. */
  health(): { available: boolean; detail: string | null };
  start(): Promise<void>;
  stop(): Promise<void>;

  /**
   * Receives what is sent to this node (or to all) from now on; takes the place of an earlier subscription. Anybody may
   * have sent it, so it is whatever its text holds (undefined: nothing that can be read), to be checked by
   * `readMessage`. `receive` must not throw.
   */
  subscribe(bootId: BootId, receive: (message: unknown) => void): Promise<void>;
  /** Sends to one node, or to all. False: it reached nobody. Never throws, never waits longer than 250 ms. */
  send(to: BootId | "all", message: ClusterMessage): Promise<boolean>;

  /** The beats that this medium holds, or null where it has none (then the store's are read). Never throws. */
  readBeats(): Promise<NodeBeat[] | null>;
  /** Renews the keys of this node (`node:<ip:pid>`, `owned:<ip:pid>`). Never throws. */
  announce(announcement: NodeAnnouncement): Promise<void>;
  /** Removes the keys of this node. Never throws. */
  withdraw(label: string): Promise<void>;

  /**
   * Tries to hold the election's lock for `ttlMs`. `unavailable` where this medium has no lock: the candidate then
   * waits twice as long.
   */
  campaign(bootId: BootId, ttlMs: number): Promise<"held" | "refused" | "unavailable">;
  /** Gives the lock back, if held. Never throws. */
  yieldLeadership(): Promise<void>;

  /**
   * The setting of the medium's server that takes a promise away; null: there is none. Undefined: it is not known.
   * Never throws. Absent: the medium has no server of its own.
   */
  unsafeSetting?(): Promise<UnsafeSetting | null | undefined>;
}

/** A node's keys: its beat and the slots it owns of any type. */
export interface NodeAnnouncement extends NodeBeat {
  /** 512 bytes, bit per slot, as in SlotSet. */
  ownedSlots: Uint8Array;
}

/** What nodes tell each other. A lost one costs lateness only. */
export type ClusterMessage =
  /** Tasks of yours became due soon. */
  | { kind: "hints"; hints: TaskHint[] }
  /** More than fits: look for yourself. */
  | { kind: "load" }
  /** There is a new view. */
  | { kind: "view"; number: number }
  /** The settings have changed: read them. */
  | { kind: "settings" }
  /** A breaker has opened or closed: read them. */
  | { kind: "breakers" }
  /** Tasks have left places of these limits, at which you found none. */
  | { kind: "room"; limitIds: LimitId[] }
  /** Consumers wait here for tasks of these types; at most `MAX_TYPES_PER_MESSAGE`, of more: of any type. */
  | { kind: "waiting"; typeIds: TypeId[] | "any" }
  /** Tasks of these types that consumers fetch are due, or will be, the first of them at `dueAt`. */
  | { kind: "pull"; typeIds: TypeId[]; dueAt: EpochMs }
  /** Somebody asked to cancel what you run. */
  | { kind: "cancel"; id: string; fence: number };
