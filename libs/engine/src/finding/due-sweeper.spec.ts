import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type DueScope, SlotSet, type TaskHint } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { DueSweeper } from "./due-sweeper.js";
import type { EngineContext } from "../runtime/engine-context.js";

const LONG_MS = DEFAULT_OPTIONS.sweepLookbackMs;
const SHORT_MS = LONG_MS / 12;

/** A sweeper whose looks take this long. Shows how far each looked back; null: all the way. */
function sweeperOf(takesMs: number, wholeFailsAfterMs: number | null = null) {
  const clock = new ManualClock();
  let fullSweeps = 0;
  const looks: (number | null)[] = [];
  const findDue = async ({ scopes: [scope] }: { scopes: DueScope[] }) => {
    const now = clock.monotonicMs();
    looks.push(scope!.notBefore === null ? null : now - scope!.notBefore);
    const fails = wholeFailsAfterMs !== null && scope!.notBefore === null;
    await new Promise<void>((resolve) => clock.setTimer(fails ? wholeFailsAfterMs : takesMs, resolve));
    if (fails) throw new Error("no answer in time");
    return { now, hints: [], shortTypes: [1] };
  };
  const health = { isPostgresAway: false };
  const context = {
    clock,
    health,
    options: DEFAULT_OPTIONS,
    dbClock: { nowMs: () => clock.monotonicMs() },
    tasks: { findDue, expire: async () => [] },
  } as unknown as EngineContext;
  const sweeper = new DueSweeper(context, {
    membership: { ownership: () => ({ mineOrNobodys: () => SlotSet.all() }) },
    types: { runnable: async () => [1], pulled: () => [], known: async () => [1] },
    feed: { give: () => true },
    sweepFully: () => void fullSweeps++,
  } as unknown as ConstructorParameters<typeof DueSweeper>[1]);
  const sweep = async (times: number): Promise<(number | null)[]> => {
    looks.length = 0;
    for (let time = 0; time < times; time++) {
      const run = sweeper.runOnce().catch(() => {});
      await clock.advance(1_000);
      await run;
    }
    // By whole seconds: the bound is where the last sweep began.
    return looks.map((ms) => (ms === null ? null : Math.floor((ms - 1_000) / 1_000) * 1_000));
  };
  return { clock, health, sweeper, sweep, fullSweeps: () => fullSweeps };
}

const dueAgo = (clock: ManualClock, ms: number) => [{ dueAt: clock.monotonicMs() - ms } as TaskHint];

test("a sweep looks all the way back each time while that is fast", async () => {
  expect(await sweeperOf(5).sweep(4)).toEqual([null, LONG_MS, LONG_MS, LONG_MS]);
});

test("a sweep looks all the way back seldom while that is slow", async () => {
  const looks = await sweeperOf(60).sweep(8);
  expect(looks).toEqual([null, SHORT_MS, SHORT_MS, SHORT_MS, LONG_MS, SHORT_MS, SHORT_MS, SHORT_MS]);
});

test("a sweep looks back as far as the tasks that a claim skipped", async () => {
  const { clock, sweeper, sweep } = sweeperOf(60);
  await sweep(3);
  sweeper.passedBy(dueAgo(clock, SHORT_MS / 2));
  expect(await sweep(1)).toEqual([SHORT_MS]);
  sweeper.passedBy(dueAgo(clock, LONG_MS / 2));
  expect(await sweep(1)).toEqual([LONG_MS]);
  sweeper.passedBy(dueAgo(clock, LONG_MS / 2 + 1));
  expect(await sweep(1)).toEqual([null]);
});

test("without skipped tasks a sweep does not look for any", async () => {
  const { sweeper, sweep } = sweeperOf(60);
  await sweep(1);
  sweeper.passedBy([]);
  expect(await sweep(1)).toEqual([SHORT_MS]);
});

test("a look without a bound that fails slowly is left to the full sweep, and the next sweeps have bounds", async () => {
  const { sweep, fullSweeps } = sweeperOf(5, 900);
  const looks = await sweep(3);
  expect(looks.map((ms) => ms === null)).toEqual([true, false, false]);
  expect(looks.filter((ms) => ms !== null).every((ms) => ms <= LONG_MS)).toBe(true);
  expect(fullSweeps()).toBe(1);
});

test("looks without a bound are left to the full sweep for five times as long as the one that failed took", async () => {
  const { sweeper, sweep, fullSweeps } = sweeperOf(5, 900);
  await sweep(1);
  sweeper.lookFromStart();
  expect((await sweep(5)).includes(null)).toBe(false);
  expect(fullSweeps()).toBe(2);
  sweeper.lookFromStart();
  expect(await sweep(1)).toEqual([null]);
});

test("a look without a bound that fails at once is made again at once", async () => {
  const { sweep, fullSweeps } = sweeperOf(5, 1);
  expect(await sweep(3)).toEqual([null, null, null]);
  expect(fullSweeps()).toBe(0);
});

test("a look without a bound that fails slowly is made again at once while Postgres is away", async () => {
  const { health, sweep, fullSweeps } = sweeperOf(5, 900);
  health.isPostgresAway = true;
  expect(await sweep(2)).toEqual([null, null]);
  expect(fullSweeps()).toBe(0);
});
