import type { BootId, ClaimReply, ClockTimer, Service, TaskHint } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Capacity } from "./capacity.js";
import type { Dispatcher } from "./dispatcher.js";
import type { EngineContext } from "./engine-context.js";
import type { Executions } from "./executions.js";
import type { ReadyQueue } from "./ready-queue.js";
import type { Settler } from "./settler.js";

/** After a claim that failed or was fenced the next one waits: long enough to spare a store that is down, short beside the 2 s of recovery. */
const PAUSE_AFTER_FAILURE_MS = 250;

interface ClaimerParts {
  membership: Pick<Membership, "bootId" | "canDispatch">;
  ready: ReadyQueue;
  capacity: Capacity;
  executions: Executions;
  settler: Settler;
  dispatcher: Dispatcher;
  /** A claim got no answer: what it did is in doubt. */
  replyLost: () => void;
  /** Places stayed free and nothing is ready. */
  starved: () => void;
}

interface SentClaim {
  batch: readonly TaskHint[];
  owner: BootId;
  sentMonoMs: number;
}

/**
 * Claims due tasks in batches: one claim in flight, ids that become ready meanwhile grow the next one; only as many as have a place
 * to run. Places are taken with the claim, so they are never promised twice.
 *
 * At low rates claims keep a little distance, so that one statement serves several milliseconds of due times; nothing that is due
 * already waits for that. On failure the ids are ready again and whatever the claim did is in doubt: the reconciler looks at once.
 */
export class Claimer implements Service {
  private inFlight: Promise<void> | null = null;
  private timer: ClockTimer | null = null;
  private running = false;
  private isPumping = false;
  private lastSentMonoMs = -Infinity;
  private pausedUntilMonoMs = -Infinity;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: ClaimerParts,
  ) {}

  start(): Promise<void> {
    this.running = true;
    this.pump();
    return Promise.resolve();
  }

  /** Resolves when no claim is in flight. */
  async stop(): Promise<void> {
    this.running = false;
    this.timer?.clear();
    this.timer = null;
    await this.inFlight;
  }

  /**
   * Claims if there is reason to; to be called whenever something became ready or a place free. Not within the call: of handlers that
   * return together each makes a place free, and one claim should serve them all.
   */
  pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    queueMicrotask(() => {
      this.isPumping = false;
      this.runOnce();
    });
  }

  /** One look, and the claim that it leads to. */
  runOnce(): void {
    if (!this.running || this.inFlight) return;
    this.timer?.clear();
    this.timer = null;
    const { membership } = this.parts;
    const owner = membership.bootId;
    if (owner === null || !membership.canDispatch() || !this.parts.dispatcher.admits || this.settlesWait()) return;
    const first = this.parts.ready.peek((typeId) => this.parts.capacity.isOpen(typeId));
    if (!first) return;
    const delayMs = this.delayMs(first);
    if (delayMs > 0) this.timer = this.context.clock.setTimer(delayMs, () => this.pump());
    else this.inFlight = this.claim(owner, this.select());
  }

  private settlesWait(): boolean {
    return this.parts.settler.backlog > this.context.options.settleBacklogSize;
  }

  private delayMs(first: TaskHint): number {
    const { clock, dbClock, options } = this.context;
    const nowMonoMs = clock.monotonicMs();
    const isDue = first.dueAt <= dbClock.nowMs();
    const distanceMs = isDue ? 0 : options.claimAheadMs / 2;
    return Math.ceil(Math.max(this.lastSentMonoMs + distanceMs, this.pausedUntilMonoMs) - nowMonoMs);
  }

  private select(): TaskHint[] {
    const { ready, capacity } = this.parts;
    const batch: TaskHint[] = [];
    while (batch.length < this.context.options.claimBatchSize) {
      const hint = ready.pop((typeId) => capacity.isOpen(typeId));
      if (!hint) break;
      capacity.take(hint.typeId);
      batch.push(hint);
    }
    return batch;
  }

  private async claim(owner: BootId, batch: readonly TaskHint[]): Promise<void> {
    const { executions } = this.parts;
    const ids = batch.map(({ id }) => id);
    const sentMonoMs = this.context.clock.monotonicMs();
    this.lastSentMonoMs = sentMonoMs;
    executions.claimSent(ids);
    try {
      const claimAheadMs = this.context.options.claimAheadMs;
      const reply = await this.context.tasks.claim({ owner, ids, claimAheadMs });
      this.context.conditions.works("claim");
      this.accept({ batch, owner, sentMonoMs }, reply);
    } catch (error) {
      this.context.conditions.failed("claim", error);
      this.fail(batch);
    } finally {
      executions.claimOver(ids);
      this.inFlight = null;
    }
    this.pump();
    if (this.parts.ready.size === 0) this.parts.starved();
  }

  private accept({ batch, owner, sentMonoMs }: SentClaim, reply: ClaimReply): void {
    const { dispatcher, membership } = this.parts;
    const claimed = new Set(reply.tasks.map(({ id }) => id));
    for (const { id, typeId } of batch) if (!claimed.has(id)) this.parts.capacity.giveBack(typeId);
    // This node has rejoined meanwhile: what it claimed under its old boot id is reaped, if it is not given back before.
    if (membership.bootId === owner) dispatcher.accept(reply.tasks, sentMonoMs);
    else dispatcher.decline(reply.tasks, sentMonoMs);
    // The next beat will find out the same, and either rejoin or go on draining; until then there is nothing to gain.
    if (reply.fenced) this.pause();
  }

  private pause(): void {
    this.pausedUntilMonoMs = this.context.clock.monotonicMs() + PAUSE_AFTER_FAILURE_MS;
  }

  private fail(batch: readonly TaskHint[]): void {
    this.pause();
    for (const hint of batch) {
      this.parts.capacity.giveBack(hint.typeId);
      this.parts.ready.push(hint);
    }
    this.parts.replyLost();
  }
}
