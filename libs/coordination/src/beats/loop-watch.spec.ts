import { describe, expect, test } from "@jest/globals";
import { type NodeVitals, SlotSet } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import type { HeartbeatSnapshot } from "./heartbeat.js";
import { LoopWatch } from "./loop-watch.js";
import { RunningHandlers } from "./running-handlers.js";

const VITALS: NodeVitals = {
  leaving: false,
  view: 3,
  term: 2,
  loopLagMs: 3,
  clockOffsetMs: 0,
  ownedSlots: 0,
  wheelSize: 0,
  inFlight: 1,
};
const SNAPSHOT: HeartbeatSnapshot = { vitals: VITALS, ownedSlots: new SlotSet().bytes };
const TASK = "00000000-0000-7000-8000-000000000001";

function watchOf() {
  const clock = new ManualClock();
  let pausedMs = 0;
  const pausable = {
    monotonicMs: () => clock.monotonicMs() + pausedMs,
    setTimer: (delayMs: number, callback: () => void) => clock.setTimer(delayMs, callback),
    soon: (callback: () => void) => clock.soon(callback),
    nextTurn: (callback: () => void) => clock.nextTurn(callback),
  };
  /** Time passes, and what was due meanwhile happens afterwards. */
  const pauseFor = (forMs: number): Promise<void> => {
    pausedMs += forMs;
    return clock.advance(250);
  };
  const runningHandlers = new RunningHandlers();
  const told: string[] = [];
  const listener = {
    changed: () => told.push(`changed at ${clock.monotonicMs()}`),
    turnsAgain: ({ forMs }: { forMs: number }) => told.push(`turns again after ${forMs}`),
    fenced: ({ forMs }: { forMs: number }) => told.push(`fenced after ${forMs}`),
  };
  const watch = new LoopWatch(
    { clock: pausable, runningHandlers, listener },
    { loopBlockedFenceMs: 5_000, first: SNAPSHOT },
  );
  watch.start();
  /** The loop turns normally for this long. */
  const turns = async (forMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < forMs; passedMs += 250) {
      watch.heard(SNAPSHOT);
      await clock.advance(250);
    }
  };
  return { clock, runningHandlers, watch, told, turns, pauseFor };
}

describe("the watch over a loop", () => {
  test("the watch over a loop reports the loop's own snapshot while the loop turns", async () => {
    const { watch, told, turns } = watchOf();
    await turns(20_000);
    expect([watch.snapshot(), watch.mayBeat, told]).toEqual([SNAPSHOT, true, []]);
    watch.stop();
  });

  test("the watch over a loop reports how long it has been silent after a second, and what runs in it", async () => {
    const { clock, runningHandlers, watch, told, turns } = watchOf();
    await turns(1_000);
    runningHandlers.started({ id: TASK, typeId: 1 }, "resize");
    await clock.advance(1_000);
    expect(told).toEqual(["changed at 1750"]);
    await clock.advance(2_000);
    const { vitals } = watch.snapshot();
    expect(vitals).toEqual({
      ...VITALS,
      loopLagMs: 3_250,
      blocked: { forMs: 3_250, running: [{ type: "resize", count: 1 }], lastStarted: TASK },
    });
    watch.stop();
  });

  test("the watch over a loop reports when the loop turns again", async () => {
    const { clock, watch, told } = watchOf();
    await clock.advance(2_000);
    watch.heard(SNAPSHOT);
    expect(told).toEqual(["changed at 1000", "turns again after 2000", "changed at 2000"]);
    expect(watch.snapshot()).toEqual(SNAPSHOT);
    watch.stop();
  });

  test("the watch over a loop stops the beats once, after the fence, until the loop turns again", async () => {
    const { clock, watch, told } = watchOf();
    await clock.advance(4_999);
    expect(watch.mayBeat).toBe(true);
    await clock.advance(5_000);
    expect([watch.mayBeat, told.at(-1)]).toEqual([false, "fenced after 5000"]);
    watch.heard(SNAPSHOT);
    expect(watch.mayBeat).toBe(true);
    watch.stop();
  });

  test("the watch over a loop does not take a paused process for a blocked loop", async () => {
    const { pauseFor, watch, told, turns } = watchOf();
    await turns(1_000);
    await pauseFor(60_000);
    await turns(1_000);
    expect([watch.mayBeat, told]).toEqual([true, []]);
    watch.stop();
  });
});
