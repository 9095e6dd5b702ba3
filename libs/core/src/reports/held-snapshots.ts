import type { EpochMs } from "../task/task.js";

/**
 * A snapshot is told when it has been held for so long, in milliseconds. Reports and dumps of some minutes are usual,
 * and vacuum catches up with what they leave. After ten minutes at 1,000 tasks per second about two million dead rows
 * lie in the tables.
 */
export const SNAPSHOT_HELD_AFTER_MS = 600_000;
/**
 * How many holders are told, those that hold most first: a holder that holds less costs nothing before these are gone.
 */
export const MOST_SNAPSHOTS_TOLD = 5;

/** Somebody because of whom Postgres keeps rows of this database that are dead. */
export interface SnapshotHolder {
  /**
   * `session`: a transaction of this database. `prepared`: a transaction that waits for its second phase. `slot`: a
   * replication slot that keeps rows for a standby. `standby`: one that has its rows kept without a slot
   * (`hot_standby_feedback`).
   */
  kind: "session" | "prepared" | "slot" | "standby";
  /** The pid of a session or of what sends to a standby, the name of a slot, the identifier of a prepared one. */
  name: string;
  /** The oldest transaction whose rows are kept. */
  horizon: string;
  /** How many transactions began since. */
  transactions: number;
  /** Since when, where Postgres tells it. */
  since: EpochMs | null;
  /** What the session or the standby calls itself; null: nothing. */
  application: string | null;
  /** The role of a session or of a prepared transaction; null: not known. */
  user: string | null;
  /** The state of a session as `pg_stat_activity` has it; null: this role may not see it. */
  state: string | null;
  /** The beginning of a session's last statement; null: this role may not see it. */
  query: string | null;
  /** Whether somebody uses the slot; null: it is none. */
  isActive: boolean | null;
}

export interface SnapshotReading {
  /** By the store's clock. */
  at: EpochMs;
  /** In the tables of the tasks: what statistics of Postgres estimate. */
  deadRows: number;
  /** Those that hold most first. */
  holders: SnapshotHolder[];
}

/** A snapshot that has been held for too long. */
export interface HeldSnapshot extends SnapshotHolder {
  since: EpochMs;
  deadRows: number;
}

/** Since when holders have been seen to hold what they hold, by {@link holdOf}. */
export type SeenHolds = ReadonlyMap<string, EpochMs>;

/**
 * What of a reading is to be told, and what to remember for the next one. A snapshot is held since Postgres says so, or
 * since it was first seen if that is earlier: of some holders Postgres tells no time, or not to every role. Pure.
 */
export function snapshotsHeld(
  { at, deadRows, holders }: SnapshotReading,
  seen: SeenHolds = new Map(),
): { held: HeldSnapshot[]; seen: SeenHolds } {
  const since = new Map(
    holders.map((holder) => [holdOf(holder), Math.min(holder.since ?? at, seen.get(holdOf(holder)) ?? at)]),
  );
  const held = holders
    .map((holder) => ({ ...holder, since: since.get(holdOf(holder))!, deadRows }))
    .filter((holder) => at - holder.since >= SNAPSHOT_HELD_AFTER_MS);
  return { held: held.slice(0, MOST_SNAPSHOTS_TOLD), seen: since };
}

/** A holder that holds something else by now has begun anew. */
function holdOf({ kind, name, horizon }: SnapshotHolder): string {
  return JSON.stringify([kind, name, horizon]);
}
