import type { EpochMs, TaskHint, TypeId } from "../task/task.js";
import type { FlowLimit, LimitValues } from "./limit-store.js";

/**
 * A place in the order of changes of the settings. A promoted standby may have lost the last changes, so a number is of
 * one timeline of the server, and both are compared together.
 */
export interface Revision {
  readonly timeline: number;
  readonly number: number;
}

/** Before any change, and what a node obeys that has read nothing yet. */
export const NO_REVISION: Revision = { timeline: 0, number: -1 };

/** As logs and metrics tell it: `1.42`. */
export function revisionText({ timeline, number }: Revision): string {
  return `${timeline}.${number}`;
}

/** Below 0: `left` is the earlier one. */
export function compareRevisions(left: Revision, right: Revision): number {
  return left.timeline - right.timeline || left.number - right.number;
}

/** What people have set for a type, beside its policy. Null: nothing, so what there is by default. */
export interface TypeSettingValues {
  /** How many of its tasks each node runs at once, 1 to 10,000; null: what its handler says, else the node's. */
  concurrency: number | null;
  /**
   * How long its succeeded tasks are kept, in milliseconds. 0: not at all, so a completion only deletes. Null: as long
   * as all others.
   */
  keepSucceededMs: number | null;
  /**
   * How long its cancelled tasks are kept, in milliseconds. 0: not at all, so a cancel by id of one that waits only
   * deletes it. Null: as long as all others.
   */
  keepCancelledMs: number | null;
  /** How long its dead tasks are kept, in milliseconds; null: as long as all others. */
  keepDeadMs: number | null;
}

export const NO_SETTING: TypeSettingValues = {
  concurrency: null,
  keepSucceededMs: null,
  keepCancelledMs: null,
  keepDeadMs: null,
};

/** All that can be set for a type. */
export type SettableValues = TypeSettingValues & LimitValues;

export interface TypeSetting extends TypeSettingValues {
  typeId: TypeId;
  changedAt: EpochMs;
  /** Who changed it last. */
  changedBy: string;
}

/** What is paused: a key of a type, a type, or a namespace with all its types. */
export interface PauseSubject {
  namespace: string;
  /** Null: the namespace. */
  typeId: TypeId | null;
  /** Null: the whole type. */
  key: string | null;
}

/**
 * A key that may be paused, as a claim is told. A hint, for the pause's row decides: while that is in force a due task
 * of the key is not claimed but becomes paused, and `resumeEndedKeys` finds it; else it is claimed.
 */
export interface PausedKey {
  typeId: TypeId;
  key: string;
}

/** Nothing of its subject starts while it is in force: until `until`, or until somebody ends it where that is null. */
export interface Pause extends PauseSubject {
  pausedAt: EpochMs;
  until: EpochMs | null;
  reason: string | null;
  pausedBy: string;
}

/** Everything that people have set, as of one moment. */
export interface Settings {
  revision: Revision;
  types: readonly TypeSetting[];
  limits: readonly FlowLimit[];
  /** Those in force, and for a minute those whose time is over. */
  pauses: readonly Pause[];
}

/** One change; `actor`: who asks for it. */
export type SettingChange = { actor: string } & (
  | {
      kind: "pause";
      subject: PauseSubject;
      until: EpochMs | null;
      reason: string | null;
      /** One that is in force and ends no sooner stays as it is. Default: it gets this end and this reason. */
      isOnlyLater?: boolean;
    }
  | { kind: "resume"; subject: PauseSubject }
  | { kind: "type"; typeId: TypeId; values: Partial<SettableValues> }
  | { kind: "namespace"; namespace: string; values: Partial<LimitValues> }
);

/**
 * What became of a change. `unchanged`: all was so before, and the revision is the one in force. `too_many_keys`: as
 * many keys are paused as may be. `too_many_limits`: as many types of the namespace have limits as may. `no_type`:
 * there is no such type.
 */
export type SettingReply =
  | { outcome: "changed"; revision: Revision }
  | { outcome: "unchanged"; revision: Revision }
  | { outcome: "too_many_keys" }
  | { outcome: "too_many_limits" }
  | { outcome: "no_type" };

/** How many keys may be paused at once in the cluster. */
export const MAX_PAUSED_KEYS = 1_000;

/**
 * What people set at run time, and every node obeys. A change is one transaction whose first write is the revision, so
 * revisions rise in the order of the commits. A reader sees settings and revision of one moment.
 */
export interface SettingStore {
  readSettings(): Promise<Settings>;
  /** Nothing is written where nothing would change. */
  changeSettings(change: SettingChange): Promise<SettingReply>;
  /**
   * The labels of live and draining nodes that do not say yet that they obey this revision or a later one, in order.
   * Null: the revision in force is an earlier one, so a fail-over has lost the change.
   */
  nodesBehind(revision: Revision): Promise<string[] | null>;
  /**
   * Resumes tasks of keys whose pause is over: what became paused while it was in force, whether by a claim or by
   * somebody. Asked again and again: what a claim in flight pauses meanwhile, the next look resumes. It waits for
   * nobody's lock.
   *
   * @param limit most tasks of this look; where so many were resumed, there may be more
   * @returns hints of the resumed tasks
   */
  resumeEndedKeys(limit: number): Promise<TaskHint[]>;
}
