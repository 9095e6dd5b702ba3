import {
  type BootId,
  type ClaimReply,
  type ClockTimer,
  type Service,
  type TaskHint,
  type TypeId,
  TickwheelError,
} from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Capacity } from "../held/capacity.js";
import { answerOf } from "./claim-answer.js";
import { ClaimPace } from "./claim-pace.js";
import { claimInMs } from "./claim-plan.js";
import type { Dispatcher } from "../running/dispatcher.js";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { Executions } from "../held/executions.js";
import type { ReadyQueue } from "../waiting/ready-queue.js";
import { type Found, PassedByRetry } from "./passed-by-retry.js";
import type { Settler } from "../ending/settler.js";

const CLAIM = "engine.claim";
/**
 * After a claim that failed or was fenced the next one waits: long enough to spare a store that is down, short beside
 * the 2 s of recovery.
 */
const PAUSE_AFTER_FAILURE_MS = 250;

interface ClaimerParts {
  membership: Pick<Membership, "bootId" | "canDispatch">;
  ready: ReadyQueue;
  feed: Pick<DueFeed, "give">;
  capacity: Capacity;
  executions: Executions;
  settler: Settler;
  dispatcher: Dispatcher;
  /** A claim got no answer: what it did is in doubt. */
  replyLost: () => void;
  /** A claim passed by these: gone, or locked just then. */
  passedBy: (hints: readonly TaskHint[]) => void;
  /** Places stayed free and nothing is ready. */
  starved: () => void;
}

/** Tasks of one claim, and which layer brought each. */
type Batch = readonly Found[];

interface SentClaim {
  batch: Batch;
  owner: BootId;
  sentMonoMs: number;
}

/**
 * Claims due tasks in batches: one claim in flight, ids that become ready meanwhile grow the next one; only as many as
 * have a place to run, or will have one when the claim is answered. Places are taken with the claim, so they are never
 * promised twice.
 *
 * At low rates claims keep a little distance, so that one statement serves several milliseconds of due times; nothing
 * that is due already waits for that. What a claim passed by is claimed once more. On failure the ids are ready again
 * and whatever the claim did is in doubt: the reconciler looks at once. What the store refuses has done nothing: the
 * batch is halved until the bad one stands alone, and is dropped.
 *
 * Which type a task has, its row says. One that this node knew as another's takes that type's place.
 */
export class Claimer implements Service {
  private inFlight: Promise<void> | null = null;
  private timer: ClockTimer | null = null;
  private running = false;
  private isPumping = false;
  private lastSentMonoMs = -Infinity;
  private pausedUntilMonoMs = -Infinity;
  /** Halves of what the store has refused; their places are taken. */
  private readonly halves: Batch[] = [];
  private readonly passedByRetry: PassedByRetry;
  private readonly pace: ClaimPace;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: ClaimerParts,
  ) {
    this.pace = new ClaimPace(context.options.claimBatchSize, context.options.concurrency);
    this.passedByRetry = new PassedByRetry(context.clock, ([hint, foundBy]: Found) =>
      parts.feed.give([hint], () => foundBy),
    );
  }

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
    this.passedByRetry.stop();
    for (const half of this.halves.splice(0)) this.giveBackPlaces(half);
  }

  /**
   * Claims if there is reason to; to be called whenever something became ready or a place free. Not within the call: of
   * handlers that return together each makes a place free, and one claim should serve them all.
   */
  pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    this.context.clock.soon(() => {
      this.isPumping = false;
      this.runOnce();
    });
  }

  /** One look, and the claim that it leads to. */
  runOnce(): void {
    if (!this.running) return;
    this.timer?.clear();
    this.timer = null;
    const owner = this.parts.membership.bootId;
    this.parts.capacity.prefetch = this.pace.prefetchAt(this.context.clock.monotonicMs());
    const delayMs = this.delayMs();
    if (owner === null || delayMs === null) return;
    if (delayMs > 0) this.timer = this.context.clock.setTimer(delayMs, () => this.pump());
    else this.inFlight = this.claim(owner, this.select());
  }

  /** Null: nothing is to be claimed. */
  private delayMs(): number | null {
    const { clock, dbClock, options } = this.context;
    const { membership, dispatcher, settler, ready, capacity } = this.parts;
    const situation = {
      mayWork: membership.canDispatch() && dispatcher.admits,
      isInFlight: this.inFlight !== null,
      waitingSettles: settler.backlog,
      firstDueAt: this.halves.length > 0 ? 0 : (ready.peek((typeId) => capacity.isOpen(typeId))?.dueAt ?? null),
      hasRoomAhead: capacity.hasRoomAhead,
      dbNow: dbClock.nowMs(),
      nowMonoMs: clock.monotonicMs(),
      lastSentMonoMs: this.lastSentMonoMs,
      pausedUntilMonoMs: this.pausedUntilMonoMs,
    };
    return claimInMs(situation, options);
  }

  private select(): Batch {
    const { ready, capacity } = this.parts;
    const half = this.halves.pop();
    if (half) return half;
    const batch: Found[] = [];
    const dbNow = this.context.dbClock.nowMs();
    while (batch.length < this.pace.size) {
      const hint = ready.peek((typeId) => capacity.isOpen(typeId));
      if (!hint || (hint.dueAt > dbNow && !capacity.hasRoomAhead)) break;
      batch.push([hint, ready.take(hint)]);
      capacity.take(hint.typeId);
    }
    return batch;
  }

  /** A claim tells what time it is, too. */
  private noteDbTime(sentMonoMs: number, { tasks: [first] }: ClaimReply): void {
    const { clock, dbClock } = this.context;
    if (first) dbClock.noteReading({ sentMonoMs, repliedMonoMs: clock.monotonicMs(), storeNow: first.claimedAt });
  }

  private notePace(sentMonoMs: number, batch: Batch): void {
    const repliedMonoMs = this.context.clock.monotonicMs();
    const turnover = this.parts.capacity.takeTurnover();
    this.pace.answered({ sentMonoMs, repliedMonoMs, asked: batch.length, turnover });
  }

  private async claim(owner: BootId, batch: Batch): Promise<void> {
    const { executions } = this.parts;
    const ids = batch.map(([{ id }]) => id);
    const sentMonoMs = this.context.clock.monotonicMs();
    this.lastSentMonoMs = sentMonoMs;
    executions.claimSent(batch);
    try {
      const claimAheadMs = this.context.options.claimAheadMs;
      const reply = await this.context.tasks.claim({ owner, ids, claimAheadMs });
      this.context.health.clear(CLAIM);
      this.noteDbTime(sentMonoMs, reply);
      this.notePace(sentMonoMs, batch);
      this.accept({ batch, owner, sentMonoMs }, reply);
      executions.claimOver();
    } catch (error) {
      if (error instanceof TickwheelError && error.code === "INTERNAL") this.refused(batch, error);
      else this.fail(batch, error);
    }
    this.inFlight = null;
    this.pump();
    if (this.parts.ready.size === 0) this.parts.starved();
  }

  private accept({ batch, owner, sentMonoMs }: SentClaim, reply: ClaimReply): void {
    const { dispatcher, membership, capacity } = this.parts;
    const claimed = new Map<string, TypeId>();
    for (const { id, typeId } of reply.tasks) claimed.set(id, typeId);
    const passedBy: Found[] = [];
    for (const found of batch) {
      const [{ id, typeId: promised }] = found;
      const typeId = claimed.get(id);
      if (typeId === promised) continue;
      if (typeId === undefined) passedBy.push(found);
      else capacity.take(typeId);
      capacity.giveBack(promised);
    }
    this.passedByRetry.claimAnswered(claimed.keys(), passedBy);
    this.parts.passedBy(passedBy.map(([hint]) => hint));
    const isOurs = answerOf({ sentBy: owner, bootId: membership.bootId }) === "accept";
    if (isOurs) dispatcher.accept(reply.tasks, sentMonoMs);
    else dispatcher.decline(reply.tasks, sentMonoMs);
    // The next beat will find out the same, and either rejoin or go on draining; until then there is nothing to gain.
    if (reply.fenced) this.pause();
  }

  private pause(): void {
    this.pausedUntilMonoMs = this.context.clock.monotonicMs() + PAUSE_AFTER_FAILURE_MS;
  }

  private fail(batch: Batch, error: unknown): void {
    this.raise(error);
    this.parts.executions.claimLost();
    this.pause();
    this.pace.failed();
    this.giveBackPlaces(batch);
    for (const [hint, foundBy] of batch) this.parts.ready.push(hint, foundBy);
    this.parts.replyLost();
  }

  /**
   * Nothing was claimed. Where the data are to blame the others go on at once; else it may be anything, and the store
   * is spared.
   */
  private refused(batch: Batch, error: TickwheelError): void {
    this.parts.executions.claimOver();
    if (error.details.dataRefused !== true) {
      this.raise(error);
      this.pause();
    }
    if (batch.length === 1) return this.drop(batch, error);
    const middle = batch.length >> 1;
    this.halves.push(batch.slice(middle), batch.slice(0, middle));
  }

  private raise(error: unknown): void {
    const isTried = (): boolean => this.inFlight !== null || this.halves.length > 0 || this.parts.ready.size > 0;
    this.context.health.raise({ part: CLAIM, error, isTried });
  }

  /** If it is a task after all, a sweep finds it again. */
  private drop(batch: Batch, error: TickwheelError): void {
    this.giveBackPlaces(batch);
    const [[{ id }]] = batch as [Found];
    const message = `the store refuses to claim ${id}: ${error.message}`;
    this.context.telemetry.emit({ name: "engine.claim.refused", level: "error", message, facts: { id }, error });
  }

  private giveBackPlaces(batch: Batch): void {
    for (const [{ typeId }] of batch) this.parts.capacity.giveBack(typeId);
  }
}
