import { type Execution, TickwheelError } from "@tickwheel/core";
import { lossOf, requireKept } from "./lost-attempt.js";

/** The calls of a context that leave something behind. */
export type EffectCall = "transaction" | "once" | "walk" | "checkpoint" | "spawn" | "snooze";

interface CallUnderWay {
  readonly call: EffectCall;
  /** What the handler holds of the call. */
  promise: Promise<unknown> | null;
}

/**
 * The effect calls of one execution, so that no attempt succeeds without an effect that its handler has asked for:
 *
 * - `ctx.transaction` completes the task, so it stands alone. It does not begin while another call is under way, and
 *   until it has ended only `ctx.spawn` may begin, whose tasks it writes. A call that is refused has done nothing, and
 *   the attempt fails with the refusal, whatever the handler makes of it: a transaction under way is rolled back.
 * - Once the attempt was aborted none begins, and one under way answers `LEASE_LOST`, unless the handler's own work in
 *   it has thrown.
 * - An attempt ends after the calls that it has begun, awaited or not, and fails where one of those fails.
 *
 * Other calls may be under way side by side: each is a write of its own.
 */
export class ExecutionCalls {
  private readonly underWay = new Set<CallUnderWay>();
  private stage: "open" | "completing" | "completed" | "ended" = "open";
  private refused: TickwheelError | null = null;
  /** What the handler's own work has thrown within a call: it is told as it is. */
  private readonly thrownByWork = new Set<unknown>();

  constructor(private readonly execution: Pick<Execution, "signal">) {}

  get isCompleted(): boolean {
    return this.stage === "completed";
  }

  /** The handler's work within a call. What it throws reaches the caller as it is, also after an abort. */
  async ofHandler<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.thrownByWork.add(error);
      throw error;
    }
  }

  /** Does a call, unless it is refused. */
  run<T>(call: EffectCall, work: () => Promise<T>): Promise<T> {
    const entry: CallUnderWay = { call, promise: null };
    const running = this.doCall(entry, work);
    entry.promise = running;
    // The attempt fails with the refusal; that the handler does not wait for this call must not end the process.
    if (this.refused) running.catch(() => undefined);
    return running;
  }

  /** @throws TickwheelError when the call must not begin now */
  requireFree(call: EffectCall): void {
    if (this.stage === "ended") throw hasEnded(call);
    if (this.stage === "completed")
      throw new TickwheelError("TRANSACTION_ALREADY_COMMITTED", "This execution has completed already.");
    requireKept(this.execution, call);
    const other = this.inTheWayOf(call);
    if (other) throw this.refusal(refusalOf(call, other));
  }

  /** Notes that a call is refused for another call's sake: the attempt fails with the first refusal. Answers it. */
  refusal(error: TickwheelError): TickwheelError {
    this.refused ??= error;
    return error;
  }

  /**
   * Ends a transaction whose work is done: resolves once what it spawns is known. Nothing may begin from then on.
   *
   * @throws what a spawn throws; TickwheelError `LEASE_LOST` when the handler has thrown meanwhile: the attempt failed
   */
  async complete(): Promise<void> {
    await this.endOf(({ call }) => call === "spawn");
    if (this.stage === "ended") throw hasEnded("transaction");
    this.stage = "completing";
  }

  /** @throws TickwheelError the refusal of a call that came while this transaction was under way */
  requireNoRefusal(): void {
    if (this.refused) throw this.refused;
  }

  /** The transaction has committed. */
  completed(): void {
    this.stage = "completed";
  }

  /** The transaction was rolled back. */
  reopen(): void {
    if (this.stage === "completing") this.stage = "open";
  }

  /**
   * Resolves once all calls have ended, also those that the handler has not waited for. No call may begin after that.
   *
   * @throws what the first of them throws, or the refusal of a call; not once the task is completed
   */
  async end(): Promise<void> {
    try {
      await this.endOf(() => true);
      if (!this.isCompleted) this.requireNoRefusal();
    } finally {
      this.close();
    }
  }

  /** No call may begin from now on. Those under way go on; that they fail then must not end the process. */
  close(): void {
    if (!this.isCompleted) this.stage = "ended";
    for (const { promise } of this.underWay) promise?.catch(() => undefined);
  }

  private async doCall<T>(entry: CallUnderWay, work: () => Promise<T>): Promise<T> {
    this.requireFree(entry.call);
    this.underWay.add(entry);
    try {
      return await work();
    } catch (error) {
      throw this.toldAs(error, entry.call);
    } finally {
      this.underWay.delete(entry);
    }
  }

  /** A failure of the transaction itself, such as one that the server has ended, comes of the abort. */
  private toldAs(error: unknown, call: EffectCall): unknown {
    // Where the answer to a checkpoint is lost, it is not known whether the checkpoint is stored.
    if (call === "checkpoint" || this.thrownByWork.has(error)) return error;
    const loss = lossOf(this.execution, call);
    const isTold = error instanceof TickwheelError && !STORE_FAULTS.has(error.code);
    return loss === null || isTold ? error : loss;
  }

  /** A call may begin others before it has ended, so they are looked for again. */
  private async endOf(isMeant: (entry: CallUnderWay) => boolean): Promise<void> {
    for (;;) {
      const calls = [...this.underWay].filter(isMeant);
      if (calls.length === 0) return;
      const ends = await Promise.allSettled(calls.map(({ promise }) => promise!));
      const failure = ends.find((end) => end.status === "rejected");
      if (failure && !this.isCompleted) throw failure.reason;
    }
  }

  private inTheWayOf(call: EffectCall): EffectCall | undefined {
    const others = [...this.underWay].map((entry) => entry.call);
    if (call === "transaction") return others.find((other) => other !== "spawn");
    if (call === "walk" && others.includes("checkpoint")) return "checkpoint";
    const mayJoin = call === "spawn" && this.stage === "open";
    return mayJoin ? undefined : others.find((other) => other === "transaction");
  }
}

/** What a store or a transaction says that was ended under its caller. */
const STORE_FAULTS: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "TRANSACTION_UNAVAILABLE", "INTERNAL"]);

/** The calls of an attempt that has ended. */
export function endedCalls(): ExecutionCalls {
  const calls = new ExecutionCalls({ signal: NEVER_ABORTED });
  calls.close();
  return calls;
}

const NEVER_ABORTED = new AbortController().signal;

function hasEnded(call: EffectCall): TickwheelError {
  return new TickwheelError("LEASE_LOST", `The attempt has ended: ctx.${call} does nothing any more.`);
}

export function snoozedAndCompleted(): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", "ctx.snooze puts the task off, and ctx.transaction completes it.");
}

function refusalOf(call: EffectCall, other: EffectCall): TickwheelError {
  if (call === "snooze") return snoozedAndCompleted();
  if (other === "checkpoint" && call === "walk")
    return new TickwheelError(
      "VALIDATION_FAILED",
      "ctx.walk keeps its place in the checkpoint, and ctx.checkpoint is under way: a handler uses one of them.",
    );
  return new TickwheelError(
    "TRANSACTION_UNDER_WAY",
    `ctx.${call} was called while ctx.${other} was under way. ctx.transaction completes the task, so it stands alone: ` +
      "the attempt fails, and the transaction is rolled back. Await one call before the next, with ctx.transaction last.",
  );
}
