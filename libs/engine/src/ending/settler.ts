import {
  type ClaimedTask,
  type Deferral,
  type EpochMs,
  errorText,
  type NewTask,
  type Release,
  type SettleReply,
  type Settlement,
  type TaskHint,
  type TypeId,
} from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ExecutionEntry, Executions } from "../held/executions.js";
import { AttemptFailures } from "./attempt-failures.js";
import { failureOf, type Outcome } from "./outcome.js";
import { WriteQueue } from "./write-queue.js";

interface Settling<W> {
  entry: ExecutionEntry;
  write: W;
  /** When it was sent first, by the estimate of the store's clock; absent: it was not. */
  sentAt?: EpochMs;
}

interface HowToWrite<W> {
  operation?: string;
  write(settlings: readonly Settling<W>[]): Promise<SettleReply[]>;
  refused(settling: Settling<W>, error: unknown): Settling<W> | null;
  counted?(settling: Settling<W>, reply: SettleReply): void;
  bytesOf?(settling: Settling<W>): number;
}

interface SettlerParts {
  executions: Executions;
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
  /** Whether other tasks of a type wait for the end of one, on whatever node. Default: none do. */
  isAwaited?: ((typeId: TypeId) => boolean) | undefined;
  /** A task runs here no more, and the store knows. Default: nobody asks. */
  left?: ((task: ClaimedTask) => void) | undefined;
  /** An execution has ended its task, and the store knows. Default: nobody asks. */
  ended?: (task: ClaimedTask) => void;
  /** Tasks that an execution has spawned are written. Default: nobody asks. */
  spawned?: (tasks: readonly NewTask[]) => void;
}

/** Most bytes of results and error texts in one statement: the store writes them well within its time-out. */
export const SETTLE_BATCH_BYTES = 1_048_576;
/** About what a spawned task weighs beside its payload. */
const SPAWNED_BYTES = 256;
/** Ends that weigh more than this have a queue of their own, so that small ones never wait for them. */
const HEAVY_BYTES = 65_536;

/**
 * Writes the ends of executions: settled, released, deferred, each kind in batches of its own [ends-in-batches]. An
 * execution leaves the node's memory only when its write is acknowledged; an answer that it was stale is such an
 * acknowledgement. A result that the store cannot take (a NUL in a JSON string) becomes a failure that names the
 * reason. It is not tried again, because its effects have happened.
 */
export class Settler {
  private readonly settles: WriteQueue<Settling<Settlement>>;
  private readonly heavySettles: WriteQueue<Settling<Settlement>>;
  private readonly releases: WriteQueue<Settling<Release>>;
  private readonly deferrals: WriteQueue<Settling<Deferral>>;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: SettlerParts,
  ) {
    const { tasks } = context;
    this.failures = new AttemptFailures(context.telemetry);
    const settle: HowToWrite<Settlement> = {
      write: (settlings) => {
        const nowMs = this.context.dbClock.nowMs();
        for (const settling of settlings) settling.sentAt ??= nowMs;
        return tasks.settle(settlings.map(settlementOf));
      },
      refused: (settling, error) => this.withoutBadData(settling, error),
      counted: (settling, reply) => this.count(settling, reply),
      bytesOf: ({ write }) => bytesOf(write),
    };
    this.settles = this.queue("settle", settle);
    this.heavySettles = this.queue("settle", { ...settle, operation: "settling large results" });
    const refused = () => null;
    this.releases = this.queue("release", {
      write: (settlings) => tasks.release(settlings.map(({ write }) => write)),
      refused,
    });
    this.deferrals = this.queue("defer", {
      write: (settlings) => tasks.defer(settlings.map(({ write }) => write)),
      refused,
    });
  }

  /** Writes that are not acknowledged yet. */
  get backlog(): number {
    return this.settles.size + this.heavySettles.size + this.releases.size + this.deferrals.size;
  }

  /** Attempts that failed here, as far as the store has acknowledged it. */
  readonly failures: AttemptFailures;

  /** Takes over an execution that has ended. */
  write(entry: ExecutionEntry, outcome: Outcome): void {
    const { id, owner, fence } = entry.task;
    const ref = { id, owner, fence };
    if (outcome.write === "settle") this.settle({ entry, write: outcome.settlement });
    else if (outcome.write === "release") {
      const { reason, startedAt, latenessParts } = outcome;
      this.releases.add({ entry, write: { ...ref, reason, startedAt, latenessParts } });
    } else {
      const { delayMs, reason } = outcome;
      this.deferrals.add({ entry, write: { ...ref, delayMs, reason } });
    }
  }

  /** Resolves when all writes are acknowledged. */
  async whenIdle(): Promise<void> {
    const queues = [this.settles, this.heavySettles, this.releases, this.deferrals];
    await Promise.all(queues.map((queue) => queue.whenIdle()));
  }

  /** Resolves when what was given back so far is acknowledged. */
  whenReleased(): Promise<void> {
    return this.releases.whenIdle();
  }

  private settle(settling: Settling<Settlement>): void {
    (bytesOf(settling.write) > HEAVY_BYTES ? this.heavySettles : this.settles).add(settling);
  }

  private queue<W>(part: string, how: HowToWrite<W>): WriteQueue<Settling<W>> {
    return new WriteQueue({
      bytesOf: () => 0,
      batchBytes: SETTLE_BATCH_BYTES,
      ...how,
      write: (settlings) => this.timed(how.write(settlings)),
      isUrgent: ({ entry }) => this.parts.isAwaited?.(entry.task.typeId) === true,
      part: `engine.${part}`,
      clock: this.context.clock,
      health: this.context.health,
      batchSize: this.context.options.claimBatchSize,
      acknowledged: (settling, reply) => {
        how.counted?.(settling, reply);
        this.acknowledged(settling, reply);
      },
      gaveUp: ({ entry }, error) => this.gaveUp(entry, error),
    });
  }

  /** Measures a batch that is acknowledged. */
  private async timed(written: Promise<SettleReply[]>): Promise<SettleReply[]> {
    const { clock, meters } = this.context;
    const sentMonoMs = clock.monotonicMs();
    const replies = await written;
    meters.settled(clock.monotonicMs() - sentMonoMs);
    return replies;
  }

  private count({ entry, write, sentAt }: Settling<Settlement>, reply: SettleReply): void {
    const { tallies, dbClock } = this.context;
    const { typeId } = entry.task;
    if (reply === null) tallies.doubt(sentAt ?? dbClock.nowMs(), dbClock.nowMs());
    else if (write.kind === "skipped") tallies.skipped(typeId, reply.finishedAt ?? dbClock.nowMs());
    else if (reply.state === "succeeded") tallies.succeeded(typeId, reply.finishedAt ?? dbClock.nowMs());
    else if (reply.state !== "cancelled" && write.kind !== "snoozed")
      tallies.failed(typeId, reply.state === "dead", "error" in write ? write.error : null);
  }

  private acknowledged<W>({ entry, write }: Settling<W>, reply: SettleReply): void {
    this.parts.executions.remove(entry.task);
    this.parts.left?.(entry.task);
    if (reply?.hint) this.parts.publish([reply.hint]);
    if (reply?.state === "succeeded") this.tellSpawned(write as Settlement);
    if (reply && reply.hint === null) this.parts.ended?.(entry.task);
    if (reply) return this.failures.note(entry, write as Settlement | Release | Deferral, reply.state);
    const { id, fence, attempt } = entry.task;
    this.context.telemetry.emit({
      name: "engine.execution.stale",
      level: "debug",
      message: "an execution was no longer the task's, so nothing changed",
      facts: { id, fence, attempt },
    });
  }

  private tellSpawned(settlement: Settlement): void {
    if (settlement.kind === "succeeded" && settlement.spawned) this.parts.spawned?.(settlement.spawned);
  }

  /** The row stays running under this node, which does not know it any more: [no-in-doubt-leak] releases it. */
  private gaveUp({ task: { id, owner, fence } }: ExecutionEntry, error: unknown): void {
    this.parts.executions.remove({ id, owner, fence });
    this.context.telemetry.emit({
      name: "engine.execution.refused",
      level: "error",
      message: `what became of task ${id} cannot be written in any form: it is released and runs again`,
      facts: { id, fence },
      error,
    });
  }

  private withoutBadData({ entry, write }: Settling<Settlement>, error: unknown): Settling<Settlement> | null {
    const text = error instanceof Error ? error.message : errorText(error);
    if (write.kind === "snoozed") return { entry, write: { ...write, delayMs: 0 } };
    if (write.kind === "skipped") return null;
    if (write.kind !== "succeeded") return { entry, write: { ...write, error: "the error text could not be stored" } };
    const failure = { error: `the result could not be stored: ${text}`, retryable: false };
    return { entry, write: failureOf(failure, entry, this.context.random) };
  }
}

/** What is kept of a success is asked when it is sent: people may change it while it waits. */
function settlementOf({ entry, write }: Settling<Settlement>): Settlement {
  const isSuccess = write.kind === "succeeded" || write.kind === "skipped";
  return isSuccess && entry.isForgotten ? { ...write, isForgotten: true } : write;
}

function bytesOf(settlement: Settlement): number {
  if (settlement.kind === "snoozed" || settlement.kind === "skipped") return 0;
  if (settlement.kind !== "succeeded") return Buffer.byteLength(settlement.error, "utf8");
  const { result, spawned } = settlement;
  const resultBytes = result === null ? 0 : Buffer.byteLength(result, "utf8");
  return spawned
    ? spawned.reduce((sum, { payload }) => sum + SPAWNED_BYTES + payload.length, resultBytes)
    : resultBytes;
}
