import { describe, expect, test } from "@jest/globals";
import { createWorkload, lastTickOf, type LoadName, loadNames, loads } from "./loads.js";
import { expectedTicks, NEVER, nextTime } from "./workload.js";

const COUNT = 2_000;

describe("each load", () => {
  test.each(loadNames)("the load %s is the same for the same seed, and differs for another", (load: LoadName) => {
    expect(createWorkload(load, COUNT, 1)).toEqual(createWorkload(load, COUNT, 1));
    expect(createWorkload(load, COUNT, 1)).not.toEqual(createWorkload(load, COUNT, 2));
  });

  test.each(loadNames)("the load %s draws whole ticks within its bounds", (load: LoadName) => {
    const { deadlineTicks, moves } = createWorkload(load, COUNT, 1);
    const isGood = (tick: number): boolean =>
      Number.isInteger(tick) && tick >= loads[load].from && tick <= lastTickOf(load);
    expect([...deadlineTicks, ...moves.deadlineTicks].filter((tick) => !isGood(tick))).toEqual([]);
  });

  test.each(loadNames)("the load %s moves or cancels each place at most once", (load: LoadName) => {
    const { moves, cancels } = createWorkload(load, COUNT, 1);
    const places = [...moves.places, ...cancels];
    expect(new Set(places).size).toBe(places.length);
    expect(places.filter((place) => place < 0 || place >= COUNT)).toEqual([]);
  });
});

describe("the loads", () => {
  test.each(loadNames)(
    "the load %s can be repeated after itself: the same load again, later than all of the first",
    (load: LoadName) => {
      const first = createWorkload(load, COUNT, 1);
      const second = nextTime(first);
      expect(second.startTick).toBeGreaterThan(first.lastTick);
      expect(second.startTick % 2 ** 24).toBe(0);
      expect(second.deadlineTicks.map((tick) => tick - second.startTick)).toEqual(first.deadlineTicks);
      expect(second.moves.deadlineTicks.map((tick) => tick - second.startTick)).toEqual(first.moves.deadlineTicks);
      expect(second.lastTick - second.startTick).toBe(first.lastTick);
    },
  );

  test("the load uniform-1h moves a quarter, cancels another, and spreads over the hour", () => {
    const { deadlineTicks, moves, cancels } = createWorkload("uniform-1h", COUNT, 1);
    expect([moves.places.length, cancels.length]).toEqual([COUNT / 4, COUNT / 4]);
    const mean = deadlineTicks.reduce((sum, tick) => sum + tick, 0) / COUNT;
    expect(Math.abs(mean - 1_800_000)).toBeLessThan(100_000);
  });

  test("the load orders cancels nine of ten, in about the order of insertion", () => {
    const { cancels } = createWorkload("orders", 20_000, 1);
    expect(cancels.length / 20_000).toBeCloseTo(0.9, 1);
    const displaced = cancels.map((place, i) => Math.abs(place * 0.9 - i));
    expect(Math.max(...displaced)).toBeLessThan(2_000);
    expect([...cancels]).not.toEqual([...cancels].sort((a, b) => a - b));
  });

  test("the load one-top-slot lies in the second slot of the top level", () => {
    const { deadlineTicks } = createWorkload("one-top-slot", COUNT, 1);
    expect(new Set(deadlineTicks.map((tick) => Math.floor(tick / 2 ** 36)))).toEqual(new Set([1]));
  });

  test("the load churn leaves as many timers to fire as there are places, the last of each", () => {
    const workload = createWorkload("churn", COUNT, 1);
    const expected = expectedTicks(workload);
    expect(expected).toHaveLength(3 * COUNT);
    expect(expected.findIndex((tick) => tick !== NEVER)).toBe(2 * COUNT);
    expect(expected.slice(2 * COUNT)).toEqual(workload.deadlineTicks.slice(2 * COUNT));
  });
});

test("a moved timer fires at its new time, and a cancelled one never", () => {
  const workload = {
    startTick: 0,
    lastTick: 30,
    count: 3,
    deadlineTicks: Float64Array.of(10, 20, 30),
    moves: { places: Int32Array.of(1), deadlineTicks: Float64Array.of(25) },
    swaps: { rounds: 0, order: new Int32Array(0) },
    cancels: Int32Array.of(0),
  };
  expect([...expectedTicks(workload)]).toEqual([NEVER, 25, 30]);
});
