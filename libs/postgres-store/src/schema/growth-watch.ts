import { type Clock, SystemContext } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { grownTables, sizeUp } from "../statements/upkeep/grown-tables.js";

/** A look is worth while once this node has written this many rows. */
const ROWS_PER_LOOK = 500;
/** The pause after a look that found something: a table that grows fast is looked at again soon. */
const PAUSE_MS = 100;
/** The pause after a look that found nothing. */
const LONG_PAUSE_MS = 1_000;

/**
 * Has plans made anew when a table has grown that was nearly empty when they were made.
 *
 * For a table without blocks every plan costs the same, so the server takes any: it reads the whole index for each task
 * of a claim or, in a caller's session, the whole table. It keeps such a plan until it analyses the table by itself, a
 * minute later or more. Until then each statement reads as much as the table holds (at 20,000 rows a claim read 18,000
 * blocks, a look-up by id 466). This happens often: a queue is drained and vacuumed each night, and full soon after. So
 * the node that fills the table looks: once for some hundred rows that it wrote, at most once a second, or ten times a
 * second while tables have grown. An idle node never looks.
 *
 * A failure costs only the better plan; the next look tries again. A role that does not own the tables (from Postgres
 * 17 on: lacks MAINTAIN) must wait for the server's own analysis.
 */
export class GrowthWatch {
  private rows = 0;
  private nextLookMonoMs = -Infinity;
  private isLooking = false;
  private readonly home = new SystemContext();

  constructor(
    private readonly session: Session,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {}

  /** This many tasks were written just now. */
  wrote(rows: number): void {
    this.rows += rows;
    if (this.rows < ROWS_PER_LOOK || this.isLooking) return;
    if (this.clock.monotonicMs() < this.nextLookMonoMs) return;
    void this.home.run(() => this.look());
  }

  private async look(): Promise<void> {
    this.rows = 0;
    this.isLooking = true;
    let pauseMs = PAUSE_MS;
    try {
      const grown = await this.session.run(grownTables, null);
      for (const name of grown) await this.session.run(sizeUp(name), null);
      if (grown.length === 0) pauseMs = LONG_PAUSE_MS;
    } catch {
      // The next look tries again.
    }
    this.nextLookMonoMs = this.clock.monotonicMs() + pauseMs;
    this.isLooking = false;
  }
}
