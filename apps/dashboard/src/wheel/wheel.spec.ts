import { describe, expect, test } from "@jest/globals";
import type { Capacity, Forecast } from "../api/wire.js";
import { fullestOf, heatOf, horizonS, ringPath, wheelOf } from "./wheel.js";
import { perSecondText, wheelLabel, wheelSentence } from "./wheel-words.js";

const at = Date.parse("2026-11-26T00:00:00Z");
const capacity = (perSecond: number | null, measured = true): Capacity => ({ perSecond, measured });
const forecast = (dues: Readonly<Record<number, number>>, fields: Partial<Forecast> = {}): Forecast => ({
  ahead: "1m",
  type: null,
  bucketMs: 1_000,
  countedAt: new Date(at).toISOString(),
  incomplete: false,
  overdue: 0,
  overdueAtLeast: false,
  oldestOverdueMs: null,
  nextDueAt: null,
  types: [],
  otherTypes: 0,
  over: null,
  schedulesCut: false,
  buckets: Array.from({ length: 60 }, (_, second) => ({
    at: new Date(at + second * 1_000).toISOString(),
    due: dues[second] ?? 0,
    fromSchedules: 0,
  })),
  capacity: capacity(100),
  ...fields,
});

/** From where and how far out a bar reaches. */
function radiiOf(path: string): number[] {
  return path
    .split(/[ML]/)
    .slice(1)
    .map((point) => Math.hypot(...(point.split(" ").map(Number) as [number, number])));
}

describe("the wheel", () => {
  test("the wheel has a bar for each second that brings anything, and the first 15 lie in memory", () => {
    const { bars, due, dueInMemory } = wheelOf(forecast({ 0: 10, 14: 5, 15: 7, 59: 1 }));
    expect(bars.flatMap(({ path }, second) => (path === "" ? [] : [second]))).toEqual([0, 14, 15, 59]);
    expect(bars.filter(({ isInMemory }) => isInMemory)).toHaveLength(horizonS);
    expect([due, dueInMemory]).toEqual([23, 15]);
  });

  test("the wheel is linear from the rim, up to 1.35 times the capacity", () => {
    const { bars, capacityRadius } = wheelOf(forecast({ 0: 50, 1: 100 }));
    const [half, whole] = bars.map(({ path }) => radiiOf(path));
    expect(half![0]).toBeCloseTo(70, 0);
    expect(half![1]! - 70).toBeCloseTo((whole![1]! - 70) / 2, 0);
    expect(whole![1]).toBeCloseTo(70 + 52 / 1.35, 0);
    expect(capacityRadius).toBeCloseTo(70 + 52 / 1.35, 5);
  });

  test("a wheel's bar above the capacity is drawn from the circle on, and the fullest second is never cut", () => {
    const { over, bars, capacityRadius } = wheelOf(forecast({ 3: 400 }));
    const [from, until] = radiiOf(over);
    expect(from).toBeCloseTo(capacityRadius!, 0);
    expect(until).toBeCloseTo(122, 0);
    expect(radiiOf(bars[3]!.path)[1]).toBeCloseTo(capacityRadius!, 0);
  });

  test("the wheel has no circle where the capacity is a guess that no second reaches, and its bars are as long as ever", () => {
    const guess = { capacity: capacity(600, false) };
    const { bars, capacityRadius, over } = wheelOf(forecast({ 3: 30 }, guess));
    expect([capacityRadius, over]).toEqual([null, ""]);
    expect(radiiOf(bars[3]!.path)[1]).toBeCloseTo(122, 0);
    expect(wheelOf(forecast({ 3: 900 }, guess)).capacityRadius).toBeCloseTo(70 + (52 * 600) / 900, 5);
  });

  test("the wheel has no circle where the capacity is not known", () => {
    expect(wheelOf(forecast({ 0: 3 }, { capacity: capacity(null, false) }))).toMatchObject({
      capacityRadius: null,
      over: "",
    });
  });

  test("the wheel is drawn from fewer buckets than it has seconds", () => {
    expect(wheelOf({ ...forecast({}), buckets: [] })).toMatchObject({ due: 0, fullest: null });
  });
});

test("the fullest seconds of the wheel are told most first, then the nearer first, and empty ones not", () => {
  expect(fullestOf(forecast({ 5: 3, 2: 3, 9: 8 }).buckets, 5)).toEqual([
    { inS: 10, due: 8 },
    { inS: 3, due: 3 },
    { inS: 6, due: 3 },
  ]);
});

test("a ring of the wheel is as strong as its fullest part allows", () => {
  expect(
    heatOf(
      [
        { at: "", due: 5 },
        { at: "", due: 10 },
      ],
      3,
    ),
  ).toEqual([0.5, 1, 0]);
  expect(ringPath(58, 0, 60)).toMatch(/^M[\d.-]+ [\d.-]+A58 58 0 0 1/);
});

describe("the wheel in words", () => {
  const said = (one: Forecast): string => wheelSentence(wheelOf(one), one);

  test("the words of the wheel tell the first second over capacity and what it costs", () => {
    const over = {
      at: new Date(at + 38_000).toISOString(),
      due: 268,
      capacity: 200,
      lateMs: 400,
      type: "a",
      typeDue: 200,
    };
    expect(said(forecast({ 38: 268 }, { over, capacity: capacity(200) }))).toBe(
      "+38 s brings 268 at once; 200 a second is the best the nodes have shown, so the last starts about 400 ms late.",
    );
  });

  test("the words of the wheel say about where the capacity is a guess, and that it is not known where nothing has run", () => {
    expect(said(forecast({ 0: 2 }, { capacity: capacity(200, false) }))).toBe(
      "The fullest second is +1 s with 2 tasks; the cluster starts about 200 a second.",
    );
    expect(said(forecast({ 0: 2 }, { capacity: capacity(null) }))).toContain("no capacity is known");
    expect(perSecondText(capacity(null))).toBeNull();
  });

  test("the words of the wheel say that nothing is due", () => {
    expect(said(forecast({}))).toBe("Nothing is due in 60 s.");
  });

  test("the wheel's label says all that is drawn", () => {
    const one = forecast({ 0: 3, 20: 4 }, { overdue: 10_000, overdueAtLeast: true });
    expect(wheelLabel(wheelOf(one), one)).toBe(
      "Due in the next 60 seconds: 7 tasks. 3 within 15 seconds are in memory. Fullest second: +21 s with 4. Capacity: 100 a second. 10,000+ overdue.",
    );
  });
});
