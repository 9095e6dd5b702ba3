import type { Breaker } from "../ports/breaker-store.js";
import type { NodeVitals } from "../ports/cluster-store.js";
import type { BootId, EpochMs, TypeId } from "../task/task.js";
import type { TypeFigures } from "../ports/figure-store.js";
import type { FlowLimit, LimitState } from "../ports/limit-store.js";
import type { Pause, Revision } from "../ports/setting-store.js";
import type { PolicyConflict } from "../ports/policy-store.js";
import type { StalledSchedules } from "../reports/stalled-schedules.js";
import type { TroubledBatches } from "../reports/troubled-batches.js";
import type { HeldSnapshot } from "../reports/held-snapshots.js";
import type { UnsafeSetting } from "../reports/unsafe-settings.js";
import type { UnseenDead } from "../reports/unseen-dead.js";
import type { TroubledOperation } from "../operations/troubled-operations.js";

/** All that the rules of findings look at: the cluster as one node sees it. */
export interface FindingScene {
  /** The estimated database time. */
  nowMs: EpochMs;
  /** The node that looks. */
  self: {
    label: string;
    /** How long it has not reached Postgres; null: it does. */
    postgresAwayForMs: number | null;
    redis: "works" | "away" | "none";
  };
  /** The leader's boot id by the newest term; null: nobody holds it. */
  leader: BootId | null;
  nodes: readonly SceneNode[];
  /** Figures of all types; null: they could not be read. */
  types: readonly TypeFigures[] | null;
  /** When these were counted: they may be older than the rest. */
  typesCountedAt: EpochMs;
  /** What people have set; null: nobody knows. */
  settings: SceneSettings | null;
  /** Breakers that are not closed. */
  breakers: readonly Breaker[];
  /** Types whose nodes announce different policies. */
  policyConflicts: readonly PolicyConflict[];
  /** Schedules that do not run, by type and reason. */
  stalledSchedules: readonly StalledSchedules[];
  /** Batches that need somebody, by trouble and namespace. */
  troubledBatches: readonly TroubledBatches[];
  /** Causes of dead tasks that nobody has looked at, by namespace. */
  unseenDead: readonly UnseenDead[];
  /** Operations that need somebody. */
  troubledOperations: readonly TroubledOperation[];
  /** Settings of Postgres and Redis that take promises away. */
  unsafeSettings: readonly UnsafeSetting[];
  /** Snapshots of Postgres that have been held for too long. */
  heldSnapshots: readonly HeldSnapshot[];
  /** The first bucket that brings more than the cluster can start; null: none, or not known. */
  overCapacity: OverCapacity | null;
  limits: SceneLimits;
}

export interface SceneSettings {
  revision: Revision;
  /** For how long this node has known the revision. */
  knownForMs: number;
  pauses: readonly Pause[];
  limits: readonly SceneLimit[];
}

/** A limit of the cluster, and how full it is. */
export interface SceneLimit extends FlowLimit, LimitState {
  /** For how long nothing more could start, but for moments; null: there is room. */
  fullForMs: number | null;
}

export interface SceneNode {
  bootId: BootId;
  label: string;
  name: string;
  version: string;
  state: "joining" | "live" | "suspect" | "draining" | "dead" | "left";
  roles: readonly string[];
  typeIds: readonly TypeId[];
  joinedAt: EpochMs;
  /** When it left, or was declared dead. */
  endedAt: EpochMs | null;
  /** How long its beat has stood still; null: none was seen. */
  beatAgeMs: number | null;
  /** As of its newest beat, also of a node that is dead by now; null: none was seen. */
  vitals: NodeVitals | null;
}

export interface OverCapacity {
  at: EpochMs;
  bucketMs: number;
  due: number;
  /** What the cluster starts in a bucket. */
  capacity: number;
  /** How late the last task will start. */
  lateMs: number;
  /** The type with most of it. */
  type: string;
  typeDue: number;
}

/** The node's options that findings tell of, in milliseconds. */
export interface SceneLimits {
  suspectAfterMs: number;
  deadAfterMs: number;
  /** How late a hint may come where Redis is away. */
  sweepMs: number;
}
