import { type Clock, SystemContext } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { grownTables, sizeUp } from "../statements/upkeep/grown-tables.js";

/** After so many rows of this node's a look is worth while. */
const ROWS_PER_LOOK = 500;
/** After a look that found something; what grows fast is seen again soon. */
const PAUSE_MS = 100;
/** After one that found nothing. */
const LONG_PAUSE_MS = 1_000;

/**
 * Has plans made anew when a table has grown that was as good as empty when they were made.
 *
 * Of a table of no blocks every plan costs the same, so the server takes any: the whole index for each task of a claim,
 * in a caller's session the whole table. Such a plan is kept until the server looks at the table by itself, a minute
 * later or more, and each statement costs what the table holds until then (at 20,000 rows a claim read 18,000 blocks, a
 * lookup by id 466). A queue is drained and vacuumed each night, and full soon after. So who fills it looks: once for
 * some hundred rows that it wrote, once a second at most, ten times while there is something to do; idle, never.
 *
 * On failure nothing is lost but the better plan; the next look tries again. Whoever does not own the tables (from
 * Postgres 17 on: lacks MAINTAIN) waits for the server, as before.
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
