import { describe, expect, test } from "@jest/globals";
import { heldFigures, isBack, joined, type Stretch, stretchFigures } from "./held-figures.js";

function stretch(lateMs: number[], changes: Partial<Stretch> = {}): Stretch {
  return {
    seconds: 2,
    nodeSeconds: 1,
    postgresSeconds: 0.5,
    deadRows: 10,
    tableBytes: 2_097_152,
    createMs: [],
    viewMs: [],
    beatAgeMs: 0,
    lateMs: Float64Array.from(lateMs),
    ...changes,
  };
}

describe("the figures of a held snapshot", () => {
  test("the figures of a stretch are by the second, and have no lateness where nothing started", () => {
    expect(stretchFigures(stretch([1, 2, 3, 4]))).toEqual({
      perSecond: 2,
      p50Ms: 2,
      p99Ms: 4,
      maxMs: 4,
      nodeCores: 0.5,
      postgresCores: 0.25,
      deadRows: 10,
      tableMebibytes: 2,
    });
    expect(stretchFigures(stretch([], { createMs: [3, 1], viewMs: [7], beatAgeMs: 900 }))).toEqual({
      createP99Ms: 3,
      viewP99Ms: 7,
      beatAgeMs: 900,
      perSecond: 0,
      nodeCores: 0.5,
      postgresCores: 0.25,
      deadRows: 10,
      tableMebibytes: 2,
    });
  });

  test("the figures of stretches that follow each other are added up, and end as the last one ends", () => {
    const first = stretch([1, 9], { createMs: [2], beatAgeMs: 800 });
    const all = joined([first, stretch([5], { deadRows: 30, seconds: 3, createMs: [4], viewMs: [6], beatAgeMs: 700 })]);
    expect(all).toMatchObject({ seconds: 5, nodeSeconds: 2, postgresSeconds: 1, deadRows: 30 });
    expect(all).toMatchObject({ createMs: [2, 4], viewMs: [6], beatAgeMs: 800 });
    expect([...all.lateMs]).toEqual([1, 5, 9]);
    expect(joined([])).toMatchObject({ seconds: 0, deadRows: 0 });
  });

  test("the figures of a held snapshot compare the whole hold and its last stretch with the time before", () => {
    const held = [stretch([2, 2, 2, 2]), stretch([6, 6], { nodeSeconds: 2, postgresSeconds: 2, deadRows: 90 })];
    expect(heldFigures(stretch([2, 2, 2, 2]), held)).toEqual({
      throughputHeld: 0.75,
      throughputLast: 0.5,
      p99Held: 3,
      p99Last: 3,
      createP99Last: 0,
      nodeCpuLast: 2,
      postgresCpuLast: 4,
      deadRows: 90,
    });
    expect(heldFigures(stretch([]), [stretch([1])])).toMatchObject({ throughputHeld: 0, p99Held: 0 });
    const was = { createMs: [2], viewMs: [5], beatAgeMs: 600 };
    const then = { createMs: [3], viewMs: [20], beatAgeMs: 900 };
    expect(heldFigures(stretch([1], was), [stretch([1], then)])).toMatchObject({
      createP99Last: 1.5,
      viewP99Last: 4,
      beatAgeMs: 900,
    });
  });

  test("the figures of a held snapshot say that p99 is back at half as much more, or ten milliseconds more", () => {
    const p99 = (ms: number) => ({ p50: 1, p95: 1, p99: ms, max: ms });
    expect([isBack(p99(100), p99(150)), isBack(p99(100), p99(151))]).toEqual([true, false]);
    expect([isBack(p99(2), p99(12)), isBack(p99(2), p99(12.1))]).toEqual([true, false]);
    expect([isBack(null, p99(1)), isBack(p99(1), null)]).toEqual([false, false]);
  });
});
