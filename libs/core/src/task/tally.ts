import type { LatenessPartsMs } from "./lateness.js";
import type { EpochMs, TypeId } from "./task.js";

/** What one node counted of one type within a second. Numbers alone; none of them decides anything. */
export interface Tally {
  /** The beginning of the second, by the node's estimate of the store's clock. */
  at: EpochMs;
  typeId: TypeId;
  /** Tasks that it wrote; also those of a caller's transaction that was rolled back later. */
  created: number;
  /** Attempts that it began. */
  started: number;
  /** Attempts that failed, whatever became of the task. */
  failed: number;
  /** How many of these attempts were the last one of their task. */
  dead: number;
  succeeded: number;
  /** How many of these had a condition that said no. */
  skipped: number;
  /** Cancelled in the statement that moved them to history; other cancelled tasks are counted by what moves them. */
  cancelled: number;
  /** The largest lateness, in milliseconds; null: nothing started. */
  latestMs: number | null;
  /**
   * Upper bounds of lateness in milliseconds, rising, and how many starts were as late and later than the bound before.
   */
  latenessMs: readonly number[];
  latenessCounts: readonly number[];
  /** The lateness of all starts in parts, each part added up. */
  latenessPartsMs: LatenessPartsMs;
  /** Milliseconds for which handlers held places, all added up: divided by the time, the places in use. */
  placeMs: number;
  /** The newest error of a failed attempt, at most {@link MAX_TALLY_ERROR} characters; null: none failed. */
  lastError: string | null;
}

/** Longer errors are cut in tallies; a task keeps its own whole. */
export const MAX_TALLY_ERROR = 200;

export interface TallyRequest {
  /** Names who counts, as long as it does: a random positive 63-bit integer in decimal. */
  writer: string;
  /** Its `ip:pid`. */
  label: string;
  tallies: readonly Tally[];
  /**
   * Instants about which this node cannot tell what its writes did, since replies were lost: their minutes are to be
   * counted from the rows.
   */
  doubts: readonly EpochMs[];
  /** The writer counts no more, and has told all. */
  isLast: boolean;
}

/** What is kept of the counters, and for how long, is the store's; see `TaskStats` for what is told of them. */
export interface TallyStore {
  /** Adds what a node counted, in a transaction of its own. */
  tally(request: TallyRequest): Promise<void>;
  /**
   * Folds old counters into longer spans, and counts from the rows what dead writers and lost replies left in doubt.
   * One process at a time; a no-op for others. Answers how many spans were counted from the rows.
   */
  foldTallies(): Promise<number>;
}
