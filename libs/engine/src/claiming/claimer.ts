import {
  type BootId,
  type ClaimReply,
  type ClockTimer,
  type PausedKey,
  type Service,
  type TaskHint,
  type TypeId,
  type TickwheelError,
} from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Capacity } from "../held/capacity.js";
import { answerOf } from "./claim-answer.js";
import { ClaimPace } from "./claim-pace.js";
import { claimInMs, type ClaimSituation, isOffer } from "./claim-plan.js";
import type { Dispatcher } from "../running/dispatcher.js";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { isRefusedStatement } from "../runtime/refusal.js";
import type { Executions } from "../held/executions.js";
import type { ReadyQueue } from "../waiting/ready-queue.js";
import type { FoundTask } from "../waiting/found-task.js";
import { PassedByRetry } from "./passed-by-retry.js";
import type { Settler } from "../ending/settler.js";

const CLAIM = "engine.claim";
/**
 * After a failed or fenced claim the next one waits this long: enough to spare a store that is down, short beside the 2
 * s of recovery.
 */
const PAUSE_AFTER_FAILURE_MS = 250;

interface ClaimerParts {
  membership: Pick<Membership, "bootId" | "canDispatch">;
  ready: ReadyQueue;
  feed: Pick<DueFeed, "giveAgain">;
  capacity: Capacity;
  executions: Executions;
  settler: Settler;
  dispatcher: Dispatcher;
  /** Keys of these tasks' types that may be paused: the store makes such tasks paused in place of claiming them. */
  pausedKeys: (batch: Batch) => readonly PausedKey[];
  /** A claim got no answer: its effect is in doubt. */
  replyLost: () => void;
  /** A claim skipped these: gone, or locked at that moment. */
  passedBy: (hints: readonly TaskHint[]) => void;
  /** Places stayed free and nothing is ready. */
  starved: () => void;
}

/** Tasks of one claim. */
type Batch = readonly FoundTask[];

interface SentClaim {
  batch: Batch;
  owner: BootId;
  sentMonoMs: number;
}

/**
 * Claims due tasks in batches: one claim in flight, ids that become ready meanwhile join the next one. It claims only
 * as many as have a place to run, or will have one when the claim is answered. Places are taken with the claim, so none
 * is promised twice.
 *
 * At low rates claims keep a little distance, so that one statement serves several milliseconds of due times; tasks
 * that are already due do not wait for that. Tasks that a claim skipped are claimed once more. On failure the ids are
 * ready again and the claim's effect is in doubt: the reconciler looks at once. A refused batch had no effect: it is
 * halved until the bad task stands alone, which is dropped.
 *
 * The row decides the task's type. If this node knew the task under another type, the place moves to the real one.
 */
export class Claimer implements Service {
  private inFlight: Promise<void> | null = null;
  private timer: ClockTimer | null = null;
  private running = false;
  private isPumping = false;
  private lastSentMonoMs = -Infinity;
  private pausedUntilMonoMs = -Infinity;
  /** Halves of refused batches; their places are taken. */
  private readonly halves: Batch[] = [];
  private readonly passedByRetry: PassedByRetry;
  private readonly pace: ClaimPace;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: ClaimerParts,
  ) {
    this.pace = new ClaimPace(context.options.claimBatchSize, context.options.concurrency);
    this.passedByRetry = new PassedByRetry(context.clock, (task) => parts.feed.giveAgain([task]));
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

  /** Resolves when the claim that is in flight now, if there is one, is answered or lost. */
  async whenAnswered(): Promise<void> {
    await this.inFlight;
  }

  /**
   * Claims if there is reason to; called whenever a task became ready or a place free. It does not claim within the
   * call: when handlers return together each frees a place, and one claim should serve them all.
   */
  pump(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    this.context.clock.soon(() => {
      this.isPumping = false;
      this.runOnce();
    });
  }

  /** One decision, and the claim that follows from it. */
  runOnce(): void {
    if (!this.running) return;
    this.timer?.clear();
    this.timer = null;
    const owner = this.parts.membership.bootId;
    this.parts.capacity.prefetch = this.pace.prefetchAt(this.context.clock.monotonicMs());
    const { options } = this.context;
    const situation = this.situation();
    const delayMs = claimInMs(situation, options);
    if (isOffer(situation, delayMs, options)) this.parts.ready.offer(Math.round(situation.nowMonoMs));
    if (owner === null || delayMs === null) return;
    if (delayMs > 0) this.timer = this.context.clock.setTimer(delayMs, () => this.pump());
    else this.inFlight = this.claim(owner, this.select());
  }

  private situation(): ClaimSituation {
    const { clock, dbClock } = this.context;
    const { membership, dispatcher, settler, ready, capacity } = this.parts;
    return {
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
  }

  private select(): Batch {
    const { ready, capacity } = this.parts;
    const half = this.halves.pop();
    if (half) return half;
    const batch: FoundTask[] = [];
    const dbNow = this.context.dbClock.nowMs();
    while (batch.length < this.pace.size) {
      const task = ready.peek((typeId) => capacity.isOpen(typeId));
      if (!task || (task.dueAt > dbNow && !capacity.hasRoomAhead)) break;
      ready.take(task);
      batch.push(task);
      capacity.take(task.typeId);
    }
    return batch;
  }

  /** A claim's answer also carries the database's time. */
  private noteDbTime(sentMonoMs: number, { tasks: [first] }: ClaimReply): void {
    const { clock, dbClock } = this.context;
    if (first) dbClock.noteReading({ sentMonoMs, repliedMonoMs: clock.monotonicMs(), storeNow: first.claimedAt });
  }

  private noteAnswer(sentMonoMs: number, batch: Batch, got: number): void {
    const repliedMonoMs = this.context.clock.monotonicMs();
    this.context.meters.claimed({ asked: batch.length, got, tookMs: repliedMonoMs - sentMonoMs });
    const turnover = this.parts.capacity.takeTurnover();
    this.pace.answered({ sentMonoMs, repliedMonoMs, asked: batch.length, turnover });
  }

  private async claim(owner: BootId, batch: Batch): Promise<void> {
    const { executions } = this.parts;
    const ids = batch.map(({ id }) => id);
    const sentMonoMs = this.context.clock.monotonicMs();
    this.lastSentMonoMs = sentMonoMs;
    executions.claimSent(batch);
    try {
      const claimAheadMs = this.context.options.claimAheadMs;
      const pausedKeys = this.parts.pausedKeys(batch);
      const reply = await this.context.tasks.claim({ owner, ids, claimAheadMs, pausedKeys });
      this.context.health.clear(CLAIM);
      this.noteDbTime(sentMonoMs, reply);
      this.noteAnswer(sentMonoMs, batch, reply.tasks.length);
      this.accept({ batch, owner, sentMonoMs }, reply);
      executions.claimOver();
    } catch (error) {
      this.context.meters.claimFailed();
      if (isRefusedStatement(error)) this.refused(batch, error);
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
    const passedBy: FoundTask[] = [];
    for (const found of batch) {
      const { id, typeId: promised } = found;
      const typeId = claimed.get(id);
      if (typeId === promised) continue;
      if (typeId === undefined) passedBy.push(found);
      else capacity.take(typeId);
      capacity.giveBack(promised);
    }
    this.passedByRetry.claimAnswered(claimed.keys(), passedBy);
    this.parts.passedBy(passedBy);
    const isOurs = answerOf({ sentBy: owner, bootId: membership.bootId }) === "accept";
    const sent = { sentMonoMs, answeredMonoMs: this.context.clock.monotonicMs() };
    if (isOurs) dispatcher.accept(reply.tasks, sent);
    else dispatcher.decline(reply.tasks, sent);
    // The next beat will find out the same, and either rejoin or go on draining; until then claims are useless.
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
    const nowMonoMs = Math.round(this.context.clock.monotonicMs());
    for (const task of batch) this.parts.ready.push(task, nowMonoMs);
    this.parts.replyLost();
  }

  /**
   * Nothing was claimed. If the data are to blame, the others are claimed at once; any other cause spares the store.
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

  /** If the task exists after all, a sweep finds it again. */
  private drop(batch: Batch, error: TickwheelError): void {
    this.giveBackPlaces(batch);
    const [{ id }] = batch as [FoundTask];
    const message = `the store refuses to claim ${id}: ${error.message}`;
    this.context.telemetry.emit({ name: "engine.claim.refused", level: "error", message, facts: { id }, error });
  }

  private giveBackPlaces(batch: Batch): void {
    for (const { typeId } of batch) this.parts.capacity.giveBack(typeId);
  }
}
