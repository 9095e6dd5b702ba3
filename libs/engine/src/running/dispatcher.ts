import {
  type ClaimedTask,
  type ClockTimer,
  errorText,
  type ExecutionResult,
  type HostRest,
  type LatenessParts,
  type TaskType,
  type TypeDeferral,
} from "@tickwheel/core";
import type { RunningHandlers } from "@tickwheel/coordination";
import { type AbortCause, abortReason } from "../held/abort-reasons.js";
import { type Breakers, verdictOf } from "../breakers/type-breakers.js";
import type { Capacity } from "../held/capacity.js";
import { Endings } from "../ending/endings.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ClaimTimes, ExecutionEntry, Executions } from "../held/executions.js";
import type { TasksForOthers } from "../held/tasks-for-others.js";
import type { FormerOwners } from "../finding/former-owners.js";
import { LateStarts } from "./late-starts.js";
import { latenessPartsOf } from "./lateness-parts.js";
import { MinHeap } from "../waiting/min-heap.js";
import { releaseReason } from "../ending/outcome.js";
import { Quarantine } from "./quarantine.js";
import { comesFirst, QueueByType } from "../waiting/queue-by-type.js";
import type { Settler } from "../ending/settler.js";
import { startVerdict, VERIFY_AFTER_MS } from "./start-verdict.js";
import { TimeOuts } from "./time-outs.js";
import type { TypeDirectory } from "../types/type-directory.js";

/** When the right to start is checked again; a node that has lost it soon gets the order to give everything back. */
const DOUBT_RECHECK_MS = 100;
/** A claimed task of a type with a rate starts within this time, or not by this claim. */
const TOKEN_GOOD_FOR_MS = 250;

interface DispatcherParts {
  executions: Executions;
  capacity: Capacity;
  settler: Settler;
  left: Pick<TasksForOthers, "leave">;
  types: TypeDirectory;
  breakers: Pick<Breakers, "admits" | "started" | "ended">;
  runningHandlers: Pick<RunningHandlers, "started" | "ended">;
  /** Whether this node's right to work is certain now: a good beat is recent. */
  mayStart: () => boolean;
  /** A handler has returned, so another task may start. */
  placeFree: () => void;
  formerOwners: Pick<FormerOwners, "takenFrom">;
  /** A handler asks that nothing of its type starts for a while. Default: nobody listens. */
  deferType?: ((type: TaskType, deferral: TypeDeferral) => void) | undefined;
  /** A host asks to be left alone for a while. Default: nobody listens. */
  restHost?: ((type: TaskType, rest: HostRest) => void) | undefined;
}

/**
 * Starts claimed tasks and ends them. A start waits until the database's time has surely reached the due time, whatever
 * the error of the estimate [never-early]. A start long after its claim is verified first. These tasks are given back:
 * those claimed while the dispatcher refuses (a drain, a lost lease); those claimed ahead whose place is still not free
 * when their start would have to be verified, because another node may have a place; and those that this node cannot
 * run, whatever a hint said, or whose type or key is paused, or whose breaker is open.
 *
 * An execution ends once: with its handler's result, at its time-out, or when it is given back; a later result is
 * discarded. Its place is free only when the handler has returned. Bounded by the node's places. Each execution has an
 * asynchronous context of its own, which neither a caller nor another execution shares. If our own code fails after a
 * handler's end, the attempt counts as failed and its place is freed.
 */
export class Dispatcher {
  private readonly waiting = new MinHeap<ExecutionEntry>((a, b) => comesFirst(a.task, b.task));
  /** Due, but without a place so far. */
  private readonly placeless = new QueueByType<ExecutionEntry>(({ task }) => task);
  private timer: ClockTimer | null = null;
  private patienceTimer: ClockTimer | null = null;
  private readonly lateStarts: LateStarts;
  private refusing: AbortCause | null = null;
  private readonly quarantine: Quarantine;
  private readonly endings: Endings;
  private readonly timeOuts: TimeOuts;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: DispatcherParts,
  ) {
    const { executions, capacity } = parts;
    this.endings = new Endings(context, parts);
    this.timeOuts = new TimeOuts({ clock: context.clock, timeOut: (entry) => this.timeOut(entry) });
    this.lateStarts = new LateStarts(context, {
      stillOurs: (entry) => this.runVerified(entry),
      lost: (entry) => this.giveBack(entry, "cancel"),
      answered: () => this.arm(),
      again: (entries) => this.startSoon(entries),
    });
    this.quarantine = new Quarantine(context, {
      executions,
      capacity,
      opened: () => this.parts.placeFree(),
      start: (entries) => this.startSoon(entries),
      postpone: (entry, delayMs) => this.postpone(entry, delayMs),
      giveBack: (entry) => this.giveBack(entry, null),
    });
  }

  /**
   * Takes over the tasks of a claim, whose places have been taken. A task that already waits here is not taken over
   * again: a fail-over lost the claim that brought it, and this claim got the same fence. Both would pass the
   * verification, and start.
   */
  accept(tasks: readonly ClaimedTask[], claim: ClaimTimes): void {
    const crashed: ExecutionEntry[] = [];
    for (const task of tasks) {
      if (this.parts.executions.get(task)?.state === "claimed") {
        this.parts.capacity.giveBack(task.typeId);
        continue;
      }
      const entry = this.parts.executions.add(task, this.typeOf(task), claim);
      if (this.refusing) this.giveBack(entry, this.refusing);
      else if (!this.mayRun(task)) this.giveBack(entry, null);
      else if (!this.quarantine.admits(task.typeId)) this.giveBack(entry, null);
      else if (task.crashCount > 0) crashed.push(entry);
      else this.waiting.push(entry);
    }
    if (crashed.length > 0) void this.quarantine.judge(crashed);
    this.startDue();
  }

  /** Gives back tasks of a claim: those of one that came too late, or that it should not have brought. */
  decline(tasks: readonly ClaimedTask[], claim: ClaimTimes, cause: AbortCause | null): void {
    for (const task of tasks) {
      this.giveBack(this.parts.executions.add(task, this.typeOf(task), claim), cause);
    }
  }

  /** Gives back what has not started and, until `admit`, whatever is claimed. No timer of a start is left. */
  refuse(cause: AbortCause): void {
    this.refusing = cause;
    for (const entry of this.parts.executions.in("claimed")) this.giveBack(entry, cause);
    this.waiting.clear();
    this.placeless.clear();
    this.arm();
    this.patienceTimer?.clear();
    this.patienceTimer = null;
    this.lateStarts.clear();
  }

  /** Gives back what has not started and is of a paused type or key. */
  giveBackPaused(): void {
    for (const entry of this.parts.executions.in("claimed"))
      if (this.parts.types.isTaskPaused(entry.task)) this.giveBack(entry, null);
  }

  admit(): void {
    this.refusing = null;
  }

  get admits(): boolean {
    return this.refusing === null;
  }

  /** Aborts every running handler. */
  abortRunning(cause: AbortCause): void {
    for (const entry of this.parts.executions.in("running")) this.abort(entry, cause);
  }

  /** Gives back, uncharged, aborted executions that have not returned; their late results will be discarded. */
  releaseAborted(): void {
    for (const entry of this.parts.executions.in("running")) {
      if (entry.abortCause === "lease_lost" || entry.abortCause === "drain") this.giveBack(entry, entry.abortCause);
    }
  }

  /**
   * A cancel was requested for a task that is here. If it has not started it is given back (and so cancelled); if it
   * runs it is aborted.
   */
  cancel(ref: { id: string; fence: number }): void {
    const entry = this.parts.executions.get(ref);
    if (entry?.state === "claimed") this.giveBack(entry, "cancel");
    else if (entry?.state === "running") this.abort(entry, "cancel");
  }

  /**
   * The store reports that this execution is not the task's any more: it is aborted, and its result will change
   * nothing.
   */
  lose(entry: ExecutionEntry): void {
    if (entry.state === "claimed") this.giveBack(entry, "lease_lost");
    else if (entry.state === "running") this.abort(entry, "lease_lost");
  }

  /** Undefined: this node does not know the type. */
  private typeOf(task: ClaimedTask): TaskType | undefined {
    return this.parts.types.get(task.typeId);
  }

  /** Whether this node has a handler for it, neither its type nor its key is paused, and its breaker lets it. */
  private mayRun(task: ClaimedTask): boolean {
    const { types, breakers } = this.parts;
    const { typeId } = task;
    return types.executorOf(typeId) !== undefined && !types.isTaskPaused(task) && breakers.admits(typeId);
  }

  private startSoon(entries: readonly ExecutionEntry[]): void {
    for (const entry of entries) this.waiting.push(entry);
    this.startDue();
  }

  private startDue(): void {
    const { clock, dbClock } = this.context;
    if (!this.parts.mayStart()) return this.arm(DOUBT_RECHECK_MS);
    const estimate = dbClock.estimate();
    const late: ExecutionEntry[] = [];
    for (let head = this.waiting.peek(); head; head = this.waiting.peek()) {
      const claimedForMs = clock.monotonicMs() - head.knownMonoMs;
      const verdict = startVerdict({ dueAt: head.task.dueAt, claimedForMs }, estimate);
      if (verdict === "too_early") break;
      this.waiting.pop();
      if (head.state !== "claimed") continue;
      if (verdict === "verify") late.push(head);
      else this.runOrWait(head);
    }
    if (late.length > 0) void this.lateStarts.verify(late);
    this.arm();
  }

  private runOrWait(entry: ExecutionEntry): void {
    // Its type may have been paused since it was claimed.
    if (!this.mayRun(entry.task) || this.hasOldToken(entry)) this.giveBack(entry, null);
    else if (this.parts.capacity.mayStart(entry.task.typeId)) this.run(entry);
    else this.waitForPlace(entry);
  }

  private waitForPlace(entry: ExecutionEntry): void {
    if (entry.placelessMonoMs === 0) entry.placelessMonoMs = this.context.clock.monotonicMs();
    this.placeless.push(entry);
    this.patienceTimer ??= this.context.clock.setTimer(VERIFY_AFTER_MS, () => this.losePatience());
  }

  /** A place is free: for a waiting task, or for another claim. */
  private fillPlaces(): void {
    const { capacity, mayStart, placeFree } = this.parts;
    while (mayStart()) {
      const next = this.placeless.peek((typeId) => capacity.mayStart(typeId));
      if (!next) break;
      this.placeless.take(next);
      if (next.state !== "claimed") continue;
      if (this.hasWaitedLong(next) || !this.mayRun(next.task) || this.hasOldToken(next)) this.giveBack(next, null);
      else this.run(next);
    }
    placeFree();
  }

  private hasWaitedLong(entry: ExecutionEntry): boolean {
    return this.context.clock.monotonicMs() - entry.knownMonoMs >= VERIFY_AFTER_MS;
  }

  /** A rate counts starts: one long after its claim is claimed again, and takes another token. */
  private hasOldToken({ task, way }: ExecutionEntry): boolean {
    if (this.parts.types.clusterLimitsOf(task.typeId).rated.length === 0) return false;
    const mostMs = Math.max(TOKEN_GOOD_FOR_MS, 2 * this.context.options.claimAheadMs);
    return this.context.clock.monotonicMs() - way.claim.sentMonoMs > mostMs;
  }

  private losePatience(): void {
    this.patienceTimer = null;
    const waiting = this.placeless.all();
    this.placeless.clear();
    for (const entry of waiting) {
      if (entry.state !== "claimed") continue;
      if (this.hasWaitedLong(entry)) this.giveBack(entry, null);
      else this.waitForPlace(entry);
    }
  }

  private arm(atLeastMs = 0): void {
    const head = this.waiting.peek();
    this.timer?.clear();
    this.timer = null;
    if (!head) return;
    const { clock, dbClock } = this.context;
    const delayMs = Math.max(atLeastMs, dbClock.timeUntilDueMs(head.task.dueAt));
    this.timer = clock.setTimer(delayMs, () => this.startDue());
  }

  private runVerified(entry: ExecutionEntry): void {
    const { clock, dbClock } = this.context;
    entry.verified(clock.monotonicMs());
    if (dbClock.timeUntilDueMs(entry.task.dueAt) > 0) this.waiting.push(entry);
    else this.runOrWait(entry);
  }

  private run(entry: ExecutionEntry): void {
    entry.state = "running";
    this.parts.capacity.start(entry.task.typeId);
    this.parts.breakers.started(entry);
    const startMonoMs = this.context.clock.monotonicMs();
    entry.startedAt = Math.floor(this.context.dbClock.timeAt(startMonoMs));
    entry.latenessParts = this.latenessPartsOf(entry, startMonoMs);
    this.context.tallies.started(entry.task, entry.startedAt, entry.latenessParts);
    entry.endsMonoMs = startMonoMs + entry.task.timeoutMs;
    this.timeOuts.started(entry);
    this.parts.runningHandlers.started(entry.task, entry.type.type);
    void this.handle(entry);
  }

  private latenessPartsOf(
    { task, way, placelessMonoMs, startedAt }: ExecutionEntry,
    startMonoMs: number,
  ): LatenessParts {
    const { id, typeId } = task;
    const dueAt = Math.max(task.dueAt, task.createdAt);
    const latenessMs = Math.max(0, startedAt - dueAt);
    const latenessParts = latenessPartsOf({ way, placelessMonoMs, startMonoMs, latenessMs });
    latenessParts.clockErrorUs = Math.ceil(this.context.dbClock.errorAt(startMonoMs) * 1_000);
    if (latenessParts.known > 0) {
      const knownAt = startedAt - (startMonoMs - way.found.knownMonoMs);
      const isStolen = way.found.foundBy === "steal";
      latenessParts.takenFrom = this.parts.formerOwners.takenFrom({ id, typeId, dueAt, knownAt, isStolen });
    }
    return latenessParts;
  }

  /** One promise for everything, and nothing is thrown: there are thousands of executions a second. */
  private async handle(entry: ExecutionEntry): Promise<void> {
    let result: ExecutionResult;
    try {
      const executor = this.parts.types.executorOf(entry.task.typeId)!;
      entry.context = this.context.home.fork();
      result = await entry.context.run(() => executor.run(entry));
    } catch (error) {
      result = { kind: "failed", error: errorText(error), retryable: true };
    }
    try {
      this.returned(entry, result);
    } catch (error) {
      this.endings.tellBroken(entry, error);
    }
  }

  private returned(entry: ExecutionEntry, result: ExecutionResult): void {
    this.timeOuts.returned(entry);
    const startMonoMs = entry.endsMonoMs - entry.task.timeoutMs;
    this.context.tallies.ran(entry.task.typeId, this.context.clock.monotonicMs() - startMonoMs);
    this.parts.runningHandlers.ended(entry.task);
    this.parts.breakers.ended(entry, verdictOf(result, entry.abortCause !== null));
    this.endings.end(entry, result);
    this.quarantine.left(entry);
    this.parts.capacity.end(entry.task.typeId);
    this.fillPlaces();
  }

  /** The attempt is charged and settled at once: a handler that ignores the abort must not delay its task. */
  private timeOut(entry: ExecutionEntry): void {
    this.abort(entry, "timeout");
    if (entry.abortCause !== "timeout")
      return this.endings.end(entry, { kind: "failed", error: "aborted", retryable: true });
    this.parts.breakers.ended(entry, "failed");
    this.endings.timeOut(entry);
    this.quarantine.left(entry);
  }

  private abort(entry: ExecutionEntry, cause: AbortCause): void {
    entry.abortCause ??= cause;
    entry.abort(abortReason(cause, entry.task.timeoutMs));
  }

  private postpone(entry: ExecutionEntry, delayMs: number): void {
    entry.state = "ended";
    this.quarantine.left(entry);
    this.parts.settler.write(entry, { write: "defer", delayMs, reason: "SUSPECT" });
    this.free(entry);
  }

  private giveBack(entry: ExecutionEntry, cause: AbortCause | null): void {
    const hasStarted = entry.state === "running";
    if (hasStarted) this.parts.breakers.ended(entry, null);
    const started = hasStarted ? { startedAt: entry.startedAt, latenessParts: entry.latenessParts } : {};
    entry.state = "ended";
    this.quarantine.left(entry);
    const isHeldBack = !hasStarted && !this.parts.breakers.admits(entry.task.typeId);
    const reason = releaseReason(cause, isHeldBack);
    this.parts.settler.write(entry, { write: "release", reason, ...started });
    // The place of a started execution is free when its handler has returned.
    if (!hasStarted) this.free(entry);
  }

  /** It will not start. */
  private free({ task }: ExecutionEntry): void {
    this.parts.capacity.giveBack(task.typeId);
    this.parts.placeFree();
  }
}
