import type { Viewer } from "./viewer.js";

/** One topic for all viewers of the same rights: what it says, and how that is found. */
export class TopicCell {
  readonly viewers = new Set<Viewer>();
  /** The newest, ready to be written; null: not computed yet. */
  event: Buffer | null = null;
  private isComputing = false;
  private computedMonoMs = Number.NEGATIVE_INFINITY;

  /** @param compute answers the event; it must not fail */
  constructor(private readonly compute: () => Promise<Buffer>) {}

  /**
   * Computes anew, unless that was begun less than `everyMs` ago or goes on. True: there is something to show.
   *
   * An equal event stays the same buffer, so that an old one is not kept for those who were sent it.
   */
  async refresh(nowMonoMs: number, everyMs: number): Promise<boolean> {
    if (this.isComputing || nowMonoMs - this.computedMonoMs < everyMs) return false;
    this.isComputing = true;
    this.computedMonoMs = nowMonoMs;
    const event = await this.compute();
    this.isComputing = false;
    if (!this.event?.equals(event)) this.event = event;
    return true;
  }
}
