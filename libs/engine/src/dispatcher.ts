import type { ClaimedTask, ClockTimer, ExecutionResult, TaskType } from "@tickwheel/core";
import { type AbortCause, abortReason } from "./abort-reasons.js";
import type { Capacity } from "./capacity.js";
import type { EngineContext } from "./engine-context.js";
import type { ExecutionEntry, Executions } from "./executions.js";
import { MinHeap } from "./min-heap.js";
import { failureOf, outcomeOf, releaseReason } from "./outcome.js";
import { mayStartBeside } from "./poison.js";
import type { Settler } from "./settler.js";
import { startVerdict } from "./start-verdict.js";
import type { TypeDirectory } from "./type-directory.js";

const VERIFY = "engine.verify";
/** When a verification that got no answer is tried again. */
const VERIFY_AGAIN_MS = 250;
/** When the right to start is looked at again; a node that has lost it is soon told to give everything back. */
const DOUBT_RECHECK_MS = 100;
/** When a task that may not start beside another is tried again. */
const SUSPECT_RETRY_MS = 1_000;

interface DispatcherParts {
  executions: Executions;
  capacity: Capacity;
  settler: Settler;
  types: TypeDirectory;
  /** Whether this node's right to work is beyond doubt just now: a good beat is recent. */
  mayStart: () => boolean;
  /** A handler has returned, so something else may start. */
  placeFree: () => void;
}

/**
 * Starts claimed tasks and ends them. A start waits until the database's time has surely reached the due time, whatever the error of
 * the estimate (I4); one that comes long after its claim is verified first. What is claimed while the dispatcher refuses (a drain, a
 * lost lease) is given back.
 *
 * An execution ends once: with its handler's result, at its time-out, or when it is given back; what a handler says later is
 * discarded. Its place is free only when the handler has returned. Bounded by the node's places.
 */
export class Dispatcher {
  private readonly waiting = new MinHeap<ExecutionEntry>((a, b) => comesFirst(a.task, b.task));
  private timer: ClockTimer | null = null;
  /** What a verification that got no answer has left in doubt. */
  private unverified: ExecutionEntry[] = [];
  private verifyTimer: ClockTimer | null = null;
  private refusing: AbortCause | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: DispatcherParts,
  ) {}

  /** Takes over what a claim brought; its places have been taken. */
  accept(tasks: readonly ClaimedTask[], claimedMonoMs: number): void {
    for (const task of tasks) {
      const mayStart = mayStartBeside(task, this.parts.executions.unfinished());
      const entry = this.parts.executions.add(task, this.typeOf(task), claimedMonoMs);
      if (this.refusing) this.giveBack(entry, this.refusing);
      else if (mayStart) this.waiting.push(entry);
      else this.postpone(entry);
    }
    this.startDue();
  }

  /** Gives back what a claim brought too late. */
  decline(tasks: readonly ClaimedTask[], claimedMonoMs: number): void {
    for (const task of tasks) {
      this.giveBack(this.parts.executions.add(task, this.typeOf(task), claimedMonoMs), "lease_lost");
    }
  }

  /** Gives back what has not started and, until `admit`, whatever is claimed. No timer of a start is left. */
  refuse(cause: AbortCause): void {
    this.refusing = cause;
    for (const entry of this.parts.executions.in("claimed")) this.giveBack(entry, cause);
    this.waiting.clear();
    this.arm();
    this.unverified = [];
    this.verifyTimer?.clear();
    this.verifyTimer = null;
  }

  admit(): void {
    this.refusing = null;
  }

  get admits(): boolean {
    return this.refusing === null;
  }

  /** Tells every running handler to stop. */
  abortRunning(cause: AbortCause): void {
    for (const entry of this.parts.executions.in("running")) this.abort(entry, cause);
  }

  /** Gives back, uncharged, what was aborted and has not returned; its late result will be discarded. */
  releaseAborted(): void {
    for (const entry of this.parts.executions.in("running")) {
      if (entry.abortCause === "lease_lost" || entry.abortCause === "drain") this.giveBack(entry, entry.abortCause);
    }
  }

  /** Somebody asked to cancel a task that is here: not started, it is given back (and so cancelled); running, it is told to stop. */
  cancel(ref: { id: string; fence: number }): void {
    const entry = this.parts.executions.get(ref);
    if (entry?.state === "claimed") this.giveBack(entry, "cancel");
    else if (entry?.state === "running") this.abort(entry, "cancel");
  }

  /** The store says that this execution is not the task's any more: it stops, and its result will change nothing. */
  lose(entry: ExecutionEntry): void {
    if (entry.state === "claimed") this.giveBack(entry, "lease_lost");
    else if (entry.state === "running") this.abort(entry, "lease_lost");
  }

  private typeOf(task: ClaimedTask): TaskType {
    return this.parts.types.get(task.typeId)!;
  }

  private startDue(): void {
    const { clock, dbClock } = this.context;
    if (!this.parts.mayStart()) return this.arm(DOUBT_RECHECK_MS);
    const estimate = dbClock.estimate();
    const late: ExecutionEntry[] = [];
    for (let head = this.waiting.peek(); head; head = this.waiting.peek()) {
      const claimedForMs = clock.monotonicMs() - head.claimedMonoMs;
      const verdict = startVerdict({ dueAt: head.task.dueAt, claimedForMs }, estimate);
      if (verdict === "too_early") break;
      this.waiting.pop();
      if (head.state !== "claimed") continue;
      if (verdict === "verify") late.push(head);
      else this.run(head);
    }
    if (late.length > 0) void this.verifyAndRun(late);
    this.arm();
  }

  private arm(atLeastMs = 0): void {
    const head = this.waiting.peek();
    this.timer?.clear();
    this.timer = null;
    if (!head) return;
    const { clock, dbClock } = this.context;
    const delayMs = Math.max(atLeastMs, dbClock.untilSureMs(head.task.dueAt));
    this.timer = clock.setTimer(delayMs, () => this.startDue());
  }

  /**
   * A slow claim's tasks start only if they are still ours and nobody asked to cancel them; while the store is away they wait. What seems
   * slow may be a clock that jumped ahead since, so the time is read again, too.
   */
  private async verifyAndRun(late: ExecutionEntry[]): Promise<void> {
    const { context } = this;
    const refs = late.map(({ task: { id, owner, fence } }) => ({ id, owner, fence }));
    try {
      const [valid] = await Promise.all([context.tasks.verifyStart(refs), context.dbClock.readAgain()]);
      context.conditions.clear(VERIFY);
      const names = new Set(valid.map(({ id }) => id));
      for (const entry of late) {
        if (entry.state !== "claimed") continue;
        if (!names.has(entry.task.id)) this.giveBack(entry, "cancel");
        else if (context.dbClock.untilSureMs(entry.task.dueAt) > 0) this.waiting.push(entry);
        else this.run(entry);
      }
      this.arm();
    } catch (error) {
      context.conditions.raise({ part: VERIFY, error });
      this.verifyLater(late.filter(({ state }) => state === "claimed"));
    }
  }

  private verifyLater(late: readonly ExecutionEntry[]): void {
    if (late.length === 0) return;
    this.unverified.push(...late);
    this.verifyTimer ??= this.context.clock.setTimer(VERIFY_AGAIN_MS, () => {
      this.verifyTimer = null;
      for (const entry of this.unverified.splice(0)) this.waiting.push(entry);
      this.startDue();
    });
  }

  private run(entry: ExecutionEntry): void {
    entry.state = "running";
    entry.startedAt = Math.floor(this.context.dbClock.nowMs());
    const watch = this.watchTimeout(entry);
    void this.call(entry).then((result) => {
      watch.clear();
      this.end(entry, result);
      this.freePlace(entry);
    });
  }

  private async call(entry: ExecutionEntry): Promise<ExecutionResult> {
    const { task, type, startedAt, foundBy, abort } = entry;
    try {
      const executor = this.parts.types.executorOf(task.typeId)!;
      return await executor.run({
        task,
        type,
        startedAt,
        foundBy,
        // A signal costs more than the rest of an execution; few handlers look at theirs.
        get signal() {
          return abort.signal;
        },
        committed: () => this.endCommitted(entry),
      });
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { kind: "failed", error: text, retryable: true };
    }
  }

  private watchTimeout(entry: ExecutionEntry): ClockTimer {
    const { clock } = this.context;
    const endsMonoMs = clock.monotonicMs() + entry.task.timeoutMs;
    const check = (): void => {
      const leftMs = endsMonoMs - clock.monotonicMs();
      if (leftMs > 0) timer = clock.setTimer(Math.ceil(leftMs), check);
      else this.timeOut(entry);
    };
    let timer = clock.setTimer(entry.task.timeoutMs, check);
    return { clear: () => timer.clear() };
  }

  /** The attempt is charged and settled here and now: a handler that ignores the abort must not hold its task up. */
  private timeOut(entry: ExecutionEntry): void {
    if (entry.state !== "running") return;
    this.abort(entry, "timeout");
    if (entry.abortCause !== "timeout") return this.end(entry, { kind: "failed", error: "aborted", retryable: true });
    const error = `timed out after ${entry.task.timeoutMs} ms`;
    entry.state = "ended";
    const settlement = failureOf({ error, retryable: true }, entry, this.context.random);
    this.parts.settler.write(entry, { write: "settle", settlement });
  }

  private abort(entry: ExecutionEntry, cause: AbortCause): void {
    entry.abortCause ??= cause;
    entry.abort.abort(abortReason(cause, entry.task.timeoutMs));
  }

  private end(entry: ExecutionEntry, result: ExecutionResult): void {
    if (entry.state === "ended") return;
    entry.state = "ended";
    this.parts.settler.write(entry, outcomeOf(result, entry, this.context.random));
  }

  private endCommitted(entry: ExecutionEntry): void {
    if (entry.state === "ended") return;
    entry.state = "ended";
    this.parts.executions.remove(entry.task);
  }

  /** Not held here meanwhile: a crash would be charged to it, too. */
  private postpone(entry: ExecutionEntry): void {
    entry.state = "ended";
    this.parts.settler.write(entry, { write: "defer", delayMs: SUSPECT_RETRY_MS });
    this.freePlace(entry);
  }

  private giveBack(entry: ExecutionEntry, cause: AbortCause): void {
    const hasStarted = entry.state === "running";
    const startedAt = hasStarted ? entry.startedAt : undefined;
    entry.state = "ended";
    this.parts.settler.write(entry, { write: "release", reason: releaseReason(cause), startedAt });
    // Of one that has started the place is free when its handler has returned.
    if (!hasStarted) this.freePlace(entry);
  }

  private freePlace({ task }: ExecutionEntry): void {
    this.parts.capacity.giveBack(task.typeId);
    this.parts.placeFree();
  }
}

function comesFirst(a: ClaimedTask, b: ClaimedTask): boolean {
  return a.dueAt === b.dueAt ? a.priority < b.priority : a.dueAt < b.dueAt;
}
