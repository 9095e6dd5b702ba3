import type { EpochMs } from "@tickwheel/core";
import type { Instants } from "../instants/instants.js";
import { MOST_STEPS, type SkippedStretch, type SkipReason } from "./planning.js";

/** Reasons of a skip that no run was missed by. */
const NOT_MISSED: ReadonlySet<SkipReason> = new Set(["EXCLUDED", "SCHEDULE_CHANGED"]);

/**
 * What one decision skips, noted instant by instant and told as stretches. A stretch holds instants that follow one
 * another, all skipped by this decision for one reason, so that no instant is told twice.
 */
export class SkipLedger {
  private readonly reasons = new Map<EpochMs, SkipReason>();
  private uncountedFrom: EpochMs | null = null;
  private stoodFor = 0;
  private readonly uncounted: SkippedStretch[] = [];

  constructor(private readonly instants: Instants) {}

  skip(at: EpochMs, reason: SkipReason): void {
    this.reasons.set(at, reason);
  }

  skipAll(all: readonly EpochMs[], reason: SkipReason): void {
    for (const at of all) this.skip(at, reason);
  }

  /** Notes what a late run stands for: it is told of them, and no run behind it. */
  standsFor(all: readonly EpochMs[]): void {
    this.skipAll(all, "MISSED");
    this.stoodFor = all.length;
  }

  /** Notes a stretch of excluded instants that are too many to count. */
  skipUncounted(stretch: { from: EpochMs; to: EpochMs }): void {
    this.uncounted.push({ ...stretch, count: MOST_STEPS, hasMore: true, reason: "EXCLUDED" });
  }

  /** The stretch of the oldest note begins here already: what lies between was not looked at. */
  reachesBackTo(from: EpochMs): void {
    this.uncountedFrom = from;
  }

  get hasMore(): boolean {
    return this.uncountedFrom !== null;
  }

  /** Whether more were missed than were counted. The oldest are those that a late run stands for. */
  get hasMissedMore(): boolean {
    return this.hasMore && this.stoodFor === 0;
  }

  /**
   * How many runs were missed by this: all but excluded and changed instants, but for paused ones if they are not to be
   * caught up, and but for those that a late run stands for.
   */
  missed(countsPaused: boolean): number {
    const counted = [...this.reasons.values()].filter(
      (reason) => !NOT_MISSED.has(reason) && (reason !== "PAUSED" || countsPaused),
    );
    return counted.length - this.stoodFor;
  }

  stretches(): SkippedStretch[] {
    const found: SkippedStretch[] = [];
    for (const [at, reason] of [...this.reasons].sort(([one], [other]) => one - other)) {
      const open = found.at(-1);
      if (open?.reason === reason && this.instants.next(open.to) === at) {
        open.to = at;
        open.count += 1;
      } else found.push({ from: at, to: at, count: 1, hasMore: false, reason });
    }
    const [oldest] = found;
    if (oldest && this.uncountedFrom !== null) {
      oldest.from = Math.min(oldest.from, this.uncountedFrom);
      oldest.hasMore = true;
    }
    return [...this.uncounted, ...found];
  }
}
