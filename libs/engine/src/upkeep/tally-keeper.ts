import { type EpochMs, newBootId, type Tally, type TypeId } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

const WRITE_INTERVAL_MS = 1_000;
/** An idle node reports less often that it is alive; it is not held for dead within a minute. */
const IDLE_INTERVAL_MS = 10_000;
/**
 * Counts that could not be written are kept up to this many rows; beyond that they are in doubt, and counted from the
 * rows.
 */
const MAX_KEPT_ROWS = 50_000;
const FOLD_INTERVAL_MS = 10_000;
const MINUTE_MS = 60_000;

type Context = Pick<EngineContext, "clock" | "health" | "tasks" | "dbClock" | "random" | "tallies">;

/**
 * Writes what this node counted, once a second, in a transaction of its own. A write without an acknowledgement is not
 * sent again, since it may have been written: its minutes are in doubt. An orderly stop writes everything. A node that
 * dies loses its last second, which the folding node counts from the rows.
 */
export class TallyKeeper extends PeriodicService {
  private readonly writer: string;
  private toldMonoMs = -Infinity;
  private kept: Tally[] = [];
  private doubts: EpochMs[] = [];

  constructor(
    private readonly context: Context,
    private readonly label: string,
    /** How long handlers of each type held places since it was asked last, in milliseconds. */
    private readonly takePlaceMs: () => Iterable<[TypeId, number]>,
  ) {
    super("tally", context);
    this.writer = newBootId(context.random);
  }

  async runOnce(): Promise<void> {
    this.collect();
    const isIdle = this.kept.length === 0 && this.doubts.length === 0;
    if (isIdle && this.context.clock.monotonicMs() < this.toldMonoMs + IDLE_INTERVAL_MS) return;
    await this.write(false);
  }

  /** Writes the rest and the node's end, if the store answers. */
  async leave(): Promise<void> {
    this.collect();
    await this.write(true).catch(() => undefined);
    this.toldMonoMs = -Infinity;
  }

  protected intervalMs(): number {
    return WRITE_INTERVAL_MS;
  }

  private collect(): void {
    for (const [typeId, placeMs] of this.takePlaceMs()) this.context.tallies.held(typeId, placeMs);
    const { tallies, doubts } = this.context.tallies.take(this.context.dbClock.nowMs());
    this.kept.push(...tallies);
    this.doubts.push(...doubts);
    if (this.kept.length > MAX_KEPT_ROWS) this.doubtAll();
  }

  private async write(isLast: boolean): Promise<void> {
    const { writer, label } = this;
    try {
      const request = { writer, label, tallies: this.kept, doubts: this.doubts, isLast };
      await this.context.tasks.tally(request);
      this.kept = [];
      this.doubts = [];
      this.toldMonoMs = this.context.clock.monotonicMs();
    } catch (error) {
      this.doubtAll();
      throw error;
    }
  }

  /** It is unknown whether these were written, or they are too many: the rows decide. */
  private doubtAll(): void {
    const minutes = this.kept.map(({ at }) => Math.floor(at / MINUTE_MS) * MINUTE_MS);
    this.doubts = [...new Set([...this.doubts, ...minutes])];
    this.kept = [];
  }
}

/**
 * Keeps the counters of all nodes few, and counts from the rows what is in doubt; one node at a time does it, the
 * others skip.
 */
export class TallyFolder extends PeriodicService {
  constructor(private readonly context: Pick<EngineContext, "clock" | "health" | "tasks">) {
    super("tallies", context);
  }

  async runOnce(): Promise<void> {
    await this.context.tasks.foldTallies();
  }

  protected intervalMs(): number {
    return FOLD_INTERVAL_MS;
  }

  protected override firstDelayMs(): number {
    return FOLD_INTERVAL_MS;
  }
}
