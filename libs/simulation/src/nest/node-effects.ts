import { type DurationInput, parseDurationMs, type Random, TickwheelError, wait } from "@tickwheel/core";
import { findMemoryTransaction, type MemoryTransaction } from "@tickwheel/testing";
import type { SimulatedNodeClock } from "../time/simulated-node-clock.js";
import type { VirtualTime } from "../time/virtual-time.js";
import type { Moment } from "./fault-draw.js";
import type { RunJournal } from "./run-journal.js";

/** Shortest and longest way of a call to what is outside, in milliseconds. */
const WAY_MS = [5, 80] as const;

export interface EffectParts {
  node: number;
  clock: SimulatedNodeClock;
  time: VirtualTime;
  journal: RunJournal;
  /** The task whose handler runs just now; null: none's. */
  taskId: () => string | null;
  /** A fault may strike; what awaits it goes on as the node does. */
  reach: (moment: Moment) => Promise<void>;
  /** The same outside of the node: nobody waits. */
  pass: (moment: Moment) => void;
}

/**
 * What the fakes of one node tell of the effects of its handlers. It knows whether the node lives: what a dead one
 * would do is not done, and what it waits for never comes.
 */
export class NodeEffects {
  private readonly random: Random;

  constructor(private readonly parts: EffectParts) {
    this.random = parts.time.random;
  }

  /**
   * Does an effect outside of the database, such as a charge: the call travels, is done there, and its answer travels
   * back. A call that is under way is done although the node dies.
   *
   * @param options `idempotencyKey`: the other side does what carries the same key only once. Default: each call is an
   *   effect
   * @example charge = (id: string, idempotencyKey: string) => effects.call("charge", id, { idempotencyKey });
   */
  async call(name: string, key: string, options: { idempotencyKey?: string } = {}): Promise<void> {
    const { node, journal, time, clock, reach, pass } = this.parts;
    const taskId = this.parts.taskId();
    await reach("calls");
    await new Promise<void>((answered) =>
      time.setTimer(this.wayMs(), () => {
        journal.effect({ name, key, taskId, node }, options.idempotencyKey);
        pass("is answered");
        time.setTimer(this.wayMs(), () => clock.deliver(answered));
      }),
    );
  }

  /**
   * Does an effect within a handler's transaction: it counts when that commits, and never if it is rolled back.
   *
   * @param manager what `ctx.transaction`, `ctx.once` or `ctx.walk` has handed over
   * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: it is none of these
   * @example markPaid = async (manager: EntityManager, id: string) => effects.within(manager, "paid", id);
   */
  within(manager: object, name: string, key: string): void {
    const transaction = manager instanceof SimulatedTransaction ? manager.transaction : findMemoryTransaction(manager);
    if (transaction === null)
      throw new TickwheelError("TRANSACTION_UNAVAILABLE", "The manager is none of a transaction of this cluster");
    this.transaction(transaction).effect(name, key);
  }

  /**
   * Lets the node's time pass, in the place of `setTimeout`, which no simulation knows.
   *
   * @param delay milliseconds, or a text such as `"2s"`
   * @throws TickwheelError `VALIDATION_FAILED`: the delay is none
   */
  async wait(delay: DurationInput): Promise<void> {
    const delayMs = parseDurationMs(delay);
    if (delayMs === null) throw new TickwheelError("VALIDATION_FAILED", `${JSON.stringify(delay)} is no duration`);
    await wait(this.parts.clock, delayMs);
  }

  /** For the node: what handlers get of a transaction. */
  transaction(transaction: MemoryTransaction): SimulatedTransaction {
    const { node, journal, taskId } = this.parts;
    return new SimulatedTransaction(transaction, (name, key) => {
      const done = { name, key, node, taskId: taskId() };
      transaction.onCommit(() => journal.effect(done));
    });
  }

  private wayMs(): number {
    const [leastMs, mostMs] = WAY_MS;
    return leastMs + this.random.next() * (mostMs - leastMs);
  }
}

/** A handler's transaction in a simulated cluster. */
export class SimulatedTransaction {
  constructor(
    readonly transaction: MemoryTransaction,
    private readonly add: (name: string, key: string) => void,
  ) {}

  /** An effect that counts when the transaction commits, and never if it is rolled back. */
  effect(name: string, key: string): void {
    this.add(name, key);
  }

  /** Does `work` when the transaction commits: what a fake of the application's tables keeps, say. */
  onCommit(work: () => void): void {
    this.transaction.onCommit(work);
  }
}
