import type { ClusterEventDraft, ClusterEventSink, ClusterEventStore } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

const WRITE_INTERVAL_MS = 1_000;
/** How many events wait at most; then the oldest are dropped. */
export const MAX_WAITING_EVENTS = 256;

interface Waiting {
  event: ClusterEventDraft;
  atMonoMs: number;
}

/**
 * Keeps what this node tells of the cluster until Postgres answers. The first event is written at once, what follows
 * within a second in one statement. A caller who tells an event waits for nothing. While Postgres is away the oldest
 * events are dropped, and counted. An event whose answer was lost is written twice.
 */
export class ClusterEventKeeper extends PeriodicService implements ClusterEventSink {
  private waiting: Waiting[] = [];
  private dropped = 0;
  private wroteMonoMs = -Infinity;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "telemetry">,
    private readonly store: Pick<ClusterEventStore, "append">,
  ) {
    super("events", context);
  }

  add(event: ClusterEventDraft): void {
    const atMonoMs = this.context.clock.monotonicMs();
    this.keep([...this.waiting, { event, atMonoMs }]);
    if (atMonoMs - this.wroteMonoMs >= WRITE_INTERVAL_MS) this.wake();
  }

  async runOnce(): Promise<void> {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    const nowMonoMs = (this.wroteMonoMs = this.context.clock.monotonicMs());
    try {
      await this.store.append(waiting.map(({ event, atMonoMs }) => ({ ...event, agoMs: nowMonoMs - atMonoMs })));
    } catch (error) {
      this.keep([...waiting, ...this.waiting]);
      throw error;
    }
    this.tellDropped();
  }

  /** Writes the rest, if the store answers. */
  async leave(): Promise<void> {
    await this.runOnce().catch(() => undefined);
    this.waiting = [];
  }

  protected intervalMs(): number {
    return WRITE_INTERVAL_MS;
  }

  private keep(events: Waiting[]): void {
    this.waiting = events.slice(-MAX_WAITING_EVENTS);
    this.dropped += events.length - this.waiting.length;
  }

  private tellDropped(): void {
    const { dropped } = this;
    if (dropped === 0) return;
    this.dropped = 0;
    this.context.telemetry.emit({
      name: "engine.events.dropped",
      level: "warn",
      message: `${dropped} events of the cluster were dropped while Postgres was away`,
      facts: { dropped },
    });
  }
}
