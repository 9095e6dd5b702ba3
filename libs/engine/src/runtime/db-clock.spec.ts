import { describe, expect, test } from "@jest/globals";
import { type TaskStore, TickwheelError } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import fc from "fast-check";
import { Health } from "@tickwheel/coordination";
import { boundsOf, combineBounds, DbClock, driftAfter } from "./db-clock.js";

/**
 * A database whose clock is `aheadMs` ahead of the node's and drifts away from it; its answers take `tripMs` each way.
 */
function clockOf(aheadMs: number, tripMs: number, drift = 0) {
  const clock = new ManualClock(5_000);
  const database = { aheadMs, isAway: false, timeMs: () => clock.monotonicMs() * (1 + drift) + database.aheadMs };
  const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));
  const now = async (): Promise<number> => {
    await wait(tripMs);
    if (database.isAway) throw new TickwheelError("STORE_UNAVAILABLE", "away");
    const read = Math.floor(database.timeMs());
    await wait(tripMs);
    return read;
  };
  const health = new Health(clock, new RecordingTelemetry());
  const tasks = { now } as unknown as TaskStore;
  return { clock, database, dbClock: new DbClock({ clock, health, tasks, resampleMs: 10_000 }) };
}

async function started(parts: ReturnType<typeof clockOf>): Promise<void> {
  const start = parts.dbClock.start();
  await parts.clock.advance(500);
  await start;
}

describe("DbClock", () => {
  test("the true time lies within the estimate of DbClock and its error, whatever the trip and the fraction", async () => {
    const trips = fc.double({ min: 0, max: 20, noNaN: true });
    const offsets = fc.double({ min: -1e9, max: 1e12, noNaN: true });
    await fc.assert(
      fc.asyncProperty(offsets, trips, async (aheadMs, tripMs) => {
        const parts = clockOf(aheadMs, tripMs);
        await started(parts);
        const truth = parts.clock.monotonicMs() + aheadMs;
        const slack = 1e-3;
        expect(parts.dbClock.earliestMs()).toBeLessThanOrEqual(truth + slack);
        expect(Math.abs(parts.dbClock.nowMs() - truth)).toBeLessThanOrEqual(parts.dbClock.errorMs + slack);
        await parts.dbClock.stop();
      }),
      { numRuns: 50 },
    );
  });

  test("DbClock follows a step of the database's clock within a round, and keeps its offset while the store is away", async () => {
    const parts = clockOf(1_000, 1);
    await started(parts);
    parts.database.isAway = true;
    parts.database.aheadMs += 5_000;
    await parts.clock.advance(20_000);
    expect(Math.round(parts.dbClock.driftMs)).toBe(0);
    parts.database.isAway = false;
    await parts.clock.advance(10_600);
    expect(Math.round(parts.dbClock.driftMs)).toBe(5_000);
    await parts.dbClock.stop();
  });

  test("the error of DbClock grows with the age of the sample", async () => {
    const parts = clockOf(0, 1);
    await started(parts);
    await parts.clock.advance(11_000);
    const before = parts.dbClock.errorMs;
    await parts.clock.advance(8_000);
    expect(parts.dbClock.errorMs).toBeGreaterThan(before + 0.35);
    await parts.dbClock.stop();
  });

  test.each([-1_000, -500, -90, 90, 500, 1_000])(
    "DbClock with clocks that drift apart by %d parts per million never takes the future for the present",
    async (partsPerMillion) => {
      const parts = clockOf(1_000, 0.7, partsPerMillion * 1e-6);
      await started(parts);
      for (let step = 0; step < 400; step++) {
        await parts.clock.advance(113);
        const { dbClock, database } = parts;
        expect(dbClock.earliestMs()).toBeLessThanOrEqual(database.timeMs() + 1e-3);
        expect(dbClock.errorMs).toBeLessThan(step < 80 ? 3 : 18);
      }
      await parts.dbClock.stop();
    },
  );
});

test.each([-5_000, 5_000])("a statement's reply shows at once that a clock has jumped by %d ms", async (stepMs) => {
  const parts = clockOf(1_000, 1);
  await started(parts);
  const { dbClock, database, clock } = parts;
  const reading = () => {
    const monoMs = clock.monotonicMs();
    return { sentMonoMs: monoMs - 2, repliedMonoMs: monoMs, storeNow: Math.floor(database.timeMs() - 1) };
  };
  const before = dbClock.nowMs();
  dbClock.noteReading(reading());
  expect(dbClock.nowMs()).toBe(before);
  database.aheadMs += stepMs;
  dbClock.noteReading(reading());
  expect(Math.abs(dbClock.nowMs() - database.timeMs())).toBeLessThanOrEqual(dbClock.errorMs);
  expect(dbClock.earliestMs()).toBeLessThanOrEqual(database.timeMs());
  await clock.advance(200);
  expect(dbClock.errorMs).toBeLessThan(2);
  await dbClock.stop();
});

test("a statement's reply narrows an estimate of the clock that rounds over a slow store left wide", async () => {
  const parts = clockOf(1_000, 900);
  const { dbClock, database, clock } = parts;
  const isSet = dbClock.ensureSet();
  await clock.advance(15_000);
  await isSet;
  expect(dbClock.errorMs).toBeGreaterThan(800);
  const storeNow = Math.floor(database.timeMs());
  dbClock.noteReading({ sentMonoMs: clock.monotonicMs() - 2, repliedMonoMs: clock.monotonicMs(), storeNow });
  expect(dbClock.errorMs).toBeLessThan(2);
  expect(dbClock.earliestMs()).toBeLessThanOrEqual(database.timeMs());
  expect(Math.abs(dbClock.nowMs() - database.timeMs())).toBeLessThanOrEqual(dbClock.errorMs);
});

test("a round of clock samples that takes long allows for the drift since its first samples", async () => {
  for (const partsPerMillion of [-900, 900]) {
    const parts = clockOf(1_000, 700, partsPerMillion * 1e-6);
    const start = parts.dbClock.start();
    await parts.clock.advance(12_000);
    await start;
    expect(parts.dbClock.earliestMs()).toBeLessThanOrEqual(parts.database.timeMs());
    await parts.dbClock.stop();
  }
});

test("the allowed drift of a clock is the measured one plus a margin; a step does not count", () => {
  expect(driftAfter({ movedMs: 0.1, uncertainMs: 0.3, elapsedMs: 10_000 })).toBe(50e-6);
  expect(driftAfter({ movedMs: -4, uncertainMs: 0.5, elapsedMs: 10_000 })).toBeCloseTo(650e-6, 12);
  expect(driftAfter({ movedMs: 5_000, uncertainMs: 1, elapsedMs: 10_000 })).toBe(1_000e-6);
});

test("clock samples narrow each other; if they contradict, the newest decides", () => {
  const early = boundsOf({ sentMonoMs: 10, repliedMonoMs: 14, storeNow: 1_000 });
  expect(early).toEqual({ lowerMs: 986, upperMs: 991 });
  const next = boundsOf({ sentMonoMs: 14, repliedMonoMs: 15, storeNow: 1_003 });
  expect(combineBounds([early, next])).toEqual({ lowerMs: 988, upperMs: 990 });
  const stepped = boundsOf({ sentMonoMs: 20, repliedMonoMs: 21, storeNow: 2_000 });
  expect(combineBounds([early, stepped])).toEqual(stepped);
  expect(combineBounds([])).toBeNull();
});
