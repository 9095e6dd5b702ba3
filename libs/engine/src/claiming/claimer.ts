import {
  ALL_GIVEN,
  type BootId,
  type ClaimReply,
  type ClockTimer,
  type ClaimedTask,
  giveTurn,
  type PausedKey,
  type Service,
  type TaskHint,
  type TypeId,
  type TypePolicy,
  type TickwheelError,
} from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Capacity } from "../held/capacity.js";
import { answerOf } from "./claim-answer.js";
import { ClaimPace } from "./claim-pace.js";
import { claimInMs, type ClaimSituation, isOffer } from "./claim-plan.js";
import type { Batch, ClaimWay } from "./claim-way.js";
import { obeyHandler } from "./handlers-word.js";
import type { Dispatcher } from "../running/dispatcher.js";
import type { DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { isRefusedStatement } from "../runtime/refusal.js";
import type { ClaimInFlight, Executions } from "../held/executions.js";
import type { ReadyQueue } from "../waiting/ready-queue.js";
import type { FoundTask } from "../waiting/found-task.js";
import { PassedByRetry } from "./passed-by-retry.js";
import type { Settler } from "../ending/settler.js";

/**
 * After a failed or fenced claim the next one waits this long: enough to spare a store that is down, short beside the 2
 * s of recovery.
 */
const PAUSE_AFTER_FAILURE_MS = 250;
const NO_TURNOVER = { ended: 0, placeMs: 0 };

export interface ClaimerParts {
  /** What it claims, and how. */
  way: ClaimWay;
  membership: Pick<Membership, "bootId" | "canDispatch">;
  ready: ReadyQueue;
  feed: Pick<DueFeed, "giveAgain">;
  capacity: Capacity;
  executions: Executions;
  settler: Settler;
  dispatcher: Dispatcher;
  /** Whether tasks of this type are limited in the whole cluster, so that no claim may bring them by mistake. */
  isLimited: (typeId: TypeId) => boolean;
  /** Keys of these tasks' types that may be paused: the store makes such tasks paused in place of claiming them. */
  pausedKeys: (tasks: readonly FoundTask[]) => readonly PausedKey[];
  /** What the handler of a type on this node says of its tasks; undefined: it has none, or it says nothing. */
  handlersWord: (typeId: TypeId) => TypePolicy | undefined;
  /** A claim got no answer: its effect is in doubt. */
  replyLost: () => void;
  /** A claim skipped these: gone, or locked at that moment. */
  passedBy: (hints: readonly TaskHint[]) => void;
  /** Places stayed free and nothing is ready. */
  starved: () => void;
}

interface SentClaim {
  batch: Batch;
  owner: BootId;
  sentMonoMs: number;
}

interface FailedClaim {
  batch: Batch;
  inFlight: ClaimInFlight;
}

interface AnsweredClaim extends SentClaim {
  reply: ClaimReply;
  /** There was no place for these. */
  left: readonly FoundTask[];
}

/**
 * Claims due tasks in batches, in one of two ways ({@link ClaimWay}): one claim in flight, ids that become ready
 * meanwhile join the next one. That is sent before the tasks of the one before start. It claims only as many as have a
 * place to run, or will have one when the claim is answered. Places are taken with the claim, so none is promised
 * twice.
 *
 * At low rates claims keep a little distance, so that one statement serves several milliseconds of due times; tasks
 * that are already due do not wait for that. Tasks that a claim skipped are claimed once more. On failure the ids are
 * ready again and the claim's effect is in doubt: the reconciler looks at once. A refused batch had no effect: it is
 * halved until the bad task stands alone, which is dropped.
 *
 * The row decides the task's type. If this node knew the task under another type, the place moves to the real one; if
 * that is limited in the cluster, the task is given back, since no place or token of its limit was taken.
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
    for (const half of this.halves.splice(0)) this.parts.way.giveBackPlaces(half);
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
    const { way, capacity, ready } = this.parts;
    if (way.isMain) capacity.prefetch = this.pace.prefetchAt(this.context.clock.monotonicMs());
    const { options } = this.context;
    const situation = this.situation();
    const delayMs = claimInMs(situation, options);
    if (way.isMain && isOffer(situation, delayMs, options)) ready.offer(Math.round(situation.nowMonoMs));
    if (owner === null || delayMs === null) return;
    if (delayMs > 0) this.timer = this.context.clock.setTimer(delayMs, () => this.pump());
    else this.inFlight = this.claim(owner, this.halves.pop() ?? way.select(this.pace.size));
  }

  private situation(): ClaimSituation {
    const { clock, dbClock } = this.context;
    const { membership, dispatcher, settler, capacity, way } = this.parts;
    return {
      mayWork: membership.canDispatch() && dispatcher.admits,
      isInFlight: this.inFlight !== null,
      waitingSettles: settler.backlog,
      firstDueAt: this.halves.length > 0 ? 0 : (way.peek()?.dueAt ?? null),
      hasRoomAhead: capacity.hasRoomAhead,
      dbNow: dbClock.nowMs(),
      nowMonoMs: clock.monotonicMs(),
      lastSentMonoMs: this.lastSentMonoMs,
      pausedUntilMonoMs: this.pausedUntilMonoMs,
    };
  }

  /** A claim's answer also carries the database's time. */
  private noteDbTime(sentMonoMs: number, { tasks: [first] }: ClaimReply): void {
    const { clock, dbClock } = this.context;
    if (first) dbClock.noteReading({ sentMonoMs, repliedMonoMs: clock.monotonicMs(), storeNow: first.claimedAt });
  }

  private noteAnswer({ sentMonoMs, batch, reply }: AnsweredClaim): void {
    const repliedMonoMs = this.context.clock.monotonicMs();
    const asked = batch.most;
    this.context.meters.claimed({ asked, got: reply.tasks.length, tookMs: repliedMonoMs - sentMonoMs });
    const { way, capacity } = this.parts;
    const turnover = way.isMain ? capacity.takeTurnover() : NO_TURNOVER;
    this.pace.answered({ sentMonoMs, repliedMonoMs, asked, turnover });
  }

  private async claim(owner: BootId, batch: Batch): Promise<void> {
    const inFlight = this.parts.executions.claimSent(batch.tasks);
    let isAnswered = false;
    try {
      const answered = await this.send(owner, batch);
      isAnswered = true;
      this.inFlight = null;
      if (!answered.reply.fenced && this.parts.way.isMain) await this.claimNext();
      this.accept(answered);
      this.parts.executions.claimOver(inFlight);
    } catch (error) {
      if (!isAnswered) this.inFlight = null;
      this.context.meters.claimFailed();
      if (isRefusedStatement(error)) this.refused({ batch, inFlight }, error);
      else this.fail({ batch, inFlight }, error);
    }
    this.pump();
    if (this.parts.ready.size === 0) this.parts.starved();
  }

  /**
   * The store works on the next claim while this node starts the tasks of the one before. Not so where a claim names
   * more tasks than it wants: those that it leaves are older than what the next one would find.
   */
  private async claimNext(): Promise<void> {
    this.runOnce();
    // In this turn it is really sent.
    if (this.inFlight !== null) await giveTurn(this.context.clock);
  }

  private async send(owner: BootId, batch: Batch): Promise<AnsweredClaim> {
    const { way, pausedKeys } = this.parts;
    const { clock, options, health } = this.context;
    const ids = batch.tasks.map(({ id }) => id);
    const sentMonoMs = clock.monotonicMs();
    this.lastSentMonoMs = sentMonoMs;
    const request = { owner, ids, claimAheadMs: options.claimAheadMs, pausedKeys: pausedKeys(batch.tasks) };
    const { reply, left } = await way.claim(request, batch);
    health.clear(way.part);
    this.noteDbTime(sentMonoMs, reply);
    const answered = { batch, owner, sentMonoMs, reply, left };
    this.noteAnswer(answered);
    return answered;
  }

  private accept({ batch, owner, sentMonoMs, reply, left }: AnsweredClaim): void {
    const { dispatcher, membership, way } = this.parts;
    const claimed = new Map<string, TypeId>();
    for (const { id, typeId } of reply.tasks) claimed.set(id, typeId);
    this.leave(batch, claimed, left);
    way.keepPlaces(batch, claimed);
    this.obeyHandlers(reply.tasks);
    const isOurs = answerOf({ sentBy: owner, bootId: membership.bootId }) === "accept";
    const sent = { sentMonoMs, answeredMonoMs: this.context.clock.monotonicMs() };
    const mistaken = this.mistaken(batch, reply.tasks);
    if (!isOurs) dispatcher.decline(reply.tasks, sent, "lease_lost");
    else if (mistaken === null) dispatcher.accept(reply.tasks, sent);
    else {
      dispatcher.decline(mistaken, sent, null);
      dispatcher.accept(
        reply.tasks.filter((task) => !mistaken.includes(task)),
        sent,
      );
    }
    // The next beat will find out the same, and either rejoin or go on draining; until then claims are useless.
    if (reply.fenced) this.pause();
  }

  private obeyHandlers(tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) {
      if (task.given === ALL_GIVEN) continue;
      const word = this.parts.handlersWord(task.typeId);
      if (word !== undefined) obeyHandler(task, word);
    }
  }

  /** Leaves the tasks that were not claimed: some had no place, the others were gone or locked. */
  private leave({ tasks }: Batch, claimed: ReadonlyMap<string, TypeId>, left: readonly FoundTask[]): void {
    const { passedBy } = this.parts;
    const skipped = tasks.filter((task) => !claimed.has(task.id) && !left.includes(task));
    this.passedByRetry.claimAnswered(claimed.keys(), skipped);
    passedBy(skipped);
    if (left.length > 0) this.putBack(left);
  }

  /** Tasks of limited types that this node took for others; null: none, as almost always. */
  private mistaken({ tasks }: Batch, claimed: readonly ClaimedTask[]): readonly ClaimedTask[] | null {
    const limited = claimed.filter(({ typeId }) => this.parts.isLimited(typeId));
    if (limited.length === 0) return null;
    const promised = new Map(tasks.map(({ id, typeId }) => [id, typeId]));
    const found = limited.filter(({ id, typeId }) => promised.get(id) !== typeId);
    return found.length === 0 ? null : found;
  }

  private pause(): void {
    this.pausedUntilMonoMs = this.context.clock.monotonicMs() + PAUSE_AFTER_FAILURE_MS;
  }

  private fail({ batch, inFlight }: FailedClaim, error: unknown): void {
    this.raise(error);
    this.parts.executions.claimLost(inFlight);
    this.pause();
    this.pace.failed();
    this.parts.way.giveBackPlaces(batch);
    this.putBack(batch.tasks);
    this.parts.replyLost();
  }

  /**
   * Nothing was claimed. If the data are to blame, the others are claimed at once; any other cause spares the store.
   */
  private refused({ batch, inFlight }: FailedClaim, error: TickwheelError): void {
    this.parts.executions.claimOver(inFlight);
    if (error.details.dataRefused !== true) {
      this.raise(error);
      this.pause();
    }
    if (batch.tasks.length === 1) return this.drop(batch, error);
    this.halves.push(...this.parts.way.split(batch).reverse());
  }

  private putBack(tasks: readonly FoundTask[]): void {
    const nowMonoMs = Math.round(this.context.clock.monotonicMs());
    for (const task of tasks) this.parts.ready.push(task, nowMonoMs);
  }

  private raise(error: unknown): void {
    const isTried = (): boolean => this.inFlight !== null || this.halves.length > 0 || this.parts.ready.size > 0;
    this.context.health.raise({ part: this.parts.way.part, error, isTried });
  }

  /** If the task exists after all, a sweep finds it again. */
  private drop(batch: Batch, error: TickwheelError): void {
    this.parts.way.giveBackPlaces(batch);
    const { id } = batch.tasks[0]!;
    const message = `the store refuses to claim ${id}: ${error.message}`;
    this.context.telemetry.emit({ name: "engine.claim.refused", level: "error", message, facts: { id }, error });
  }
}
