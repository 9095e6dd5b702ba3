import { type EpochMs, SystemClock, wait } from "@tickwheel/core";
import type { ManualClock } from "../system/manual-clock.js";
import type { StoreTraffic } from "./store-traffic.js";

/** Default of `hungMs`. */
const HUNG_MS = 30_000;
/** How many turns of the event loop are waited for at once; then a wait gives the processor away. */
const QUICK_TURNS = 200;
/** A start or a stop that needs more than this of the manual clock hangs, in milliseconds. */
const LONGEST_DRIVE_MS = 300_000;
/** The real `setImmediate`, even if a test replaces the global timers later. */
// oxlint-disable-next-line no-restricted-globals -- a turn of the real loop, in which real servers answer
const inTurn = setImmediate;

export interface TestTimeParts {
  clock: ManualClock;
  /** The database's time when the clock reads 0. */
  epochMs: EpochMs;
  traffic: StoreTraffic;
  /** How many attempts have begun and have not returned. */
  running: () => number;
  /** What runs, in words. */
  underWay: () => readonly string[];
  /** A step that does not get on for so long of real time hangs. Milliseconds; default 30,000. */
  hungMs?: number;
  /** Why the time cannot go on; null: it can. Default: it always can. */
  fault?: () => Error | null;
}

/**
 * The time of a test. It stands still until it is moved, and goes on only when the stores have answered and no handler
 * runs: so a handler takes no time, however long it really takes.
 */
export class TestTime {
  private readonly real = new SystemClock();
  private readonly hungMs: number;

  constructor(private readonly parts: TestTimeParts) {
    this.hungMs = parts.hungMs ?? HUNG_MS;
  }

  /** The database's time, in whole milliseconds. */
  get nowMs(): EpochMs {
    return Math.floor(this.parts.epochMs + this.parts.clock.monotonicMs());
  }

  /**
   * Goes on to an instant, firing what becomes due on the way.
   *
   * @param options `whileRunning`: handlers that run are not waited for
   * @throws Error when a handler or a store does not answer for 30 s of real time
   */
  async goTo(instantMs: EpochMs, { whileRunning = false }: { whileRunning?: boolean } = {}): Promise<void> {
    const { clock } = this.parts;
    const isBusy = (): boolean => this.isBusy(whileRunning);
    for (;;) {
      await this.settled(whileRunning);
      const leftMs = Math.max(0, instantMs - this.parts.epochMs - clock.monotonicMs());
      const isStopped = await clock.runUntil(isBusy, leftMs);
      if (!isStopped) return this.settled(whileRunning);
    }
  }

  /** Goes to an instant at once: no node is at work. */
  async jumpTo(instantMs: EpochMs): Promise<void> {
    const { clock, epochMs } = this.parts;
    await clock.advance(Math.max(0, instantMs - epochMs - clock.monotonicMs()));
  }

  /** Until the stores have answered and all handlers have ended, without moving the time. */
  async settled(whileRunning = false): Promise<void> {
    const sinceMonoMs = this.real.monotonicMs();
    for (let turns = 0; ; turns++) {
      await this.parts.clock.settle();
      const fault = this.parts.fault?.();
      if (fault) throw fault;
      if (!this.isBusy(whileRunning)) return;
      if (this.real.monotonicMs() - sinceMonoMs > this.hungMs) throw this.hangs();
      if (turns < QUICK_TURNS) await new Promise<void>((resolve) => inTurn(() => resolve()));
      else await wait(this.real, 1);
    }
  }

  /** Waits for work that may need timers, moving the time as far as it needs them. */
  async drive(work: () => Promise<void>): Promise<void> {
    const { clock, traffic } = this.parts;
    let isDone = false;
    const done = work().finally(() => (isDone = true));
    // It is awaited below, whatever happens until then.
    done.catch(() => undefined);
    const latestMs = clock.monotonicMs() + LONGEST_DRIVE_MS;
    while (!isDone && clock.monotonicMs() < latestMs) {
      await this.settled(true);
      await clock.runUntil(() => isDone || traffic.underWay > 0, latestMs - clock.monotonicMs());
    }
    if (!isDone) throw this.hangs();
    await done;
  }

  private isBusy(whileRunning: boolean): boolean {
    return this.parts.traffic.underWay > 0 || (!whileRunning && this.parts.running() > 0);
  }

  private hangs(): Error {
    const { traffic, running, underWay } = this.parts;
    const names = underWay().join(", ");
    const statements = `${traffic.underWay} statements have no answer`;
    const what = running() > 0 ? `a handler has not returned (${names || "its condition"})` : statements;
    return new Error(
      `The test's time does not get on: for ${this.hungMs / 1_000} s ${what}. One that waits for its time-out needs { whileRunning: true }.`,
    );
  }
}
