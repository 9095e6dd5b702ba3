import type { Random } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { type NodeClockOptions, SimulatedNodeClock } from "./simulated-node-clock.js";
import type { HeapTimer } from "@tickwheel/testing";
import type { TraceHash } from "./trace-hash.js";

export interface VirtualTimeOptions {
  /** Draws the order of timers of one instant, here and on every node, and how late a slow loop is. */
  random: Random;
  /** The first reading, milliseconds; default 0. */
  startMs?: number;
  /** Gets the instant and the number of every timer that fires. */
  trace?: TraceHash;
}

/**
 * The time of a simulation and its scheduler: a {@link ManualClock} that fires timers of one instant in an order drawn
 * from the seed. It never goes back, and nothing in it depends on the machine. Nodes have clocks of their own over it,
 * which run fast or slow, are paused, blocked or halted; the models of Postgres and Redis and the faults set their
 * timers on this one.
 *
 * A timer that throws, and timers that re-arm themselves for ever at one instant, reject what advances the time.
 *
 * @example
 * const time = new VirtualTime({ random: new SeededRandom(7) });
 * const clock = time.node({ rate: 1.00002 });
 * time.setTimer(5_000, () => clock.pause());
 * time.setTimer(9_000, () => clock.resume());
 * await time.advance(60_000);
 */
export class VirtualTime extends ManualClock {
  readonly random: Random;
  private readonly trace: TraceHash | null;

  constructor({ random, startMs = 0, trace }: VirtualTimeOptions) {
    super(startMs, random);
    this.random = random;
    this.trace = trace ?? null;
  }

  /** The clock of one more node, or of one more start of it. */
  node(options: NodeClockOptions = {}): SimulatedNodeClock {
    return new SimulatedNodeClock(this, options);
  }

  protected override beforeFiring({ atMs, order }: HeapTimer): void {
    this.trace?.add(atMs).add(order);
  }
}
