import { describe, expect, test } from "@jest/globals";
import { BACKOFF_PRESETS, backoffMs, defaultAttempts } from "./backoff.js";
import type { Random } from "../system/random.js";

const drawing = (value: number): Random => ({ next: () => value, bytes: (count) => new Uint8Array(count) });
const exponential = { kind: "exponential", initialMs: 1_000, maxMs: 10_000, jitter: 0.2 } as const;

describe("backoffMs", () => {
  test("a fixed backoff is the same after every attempt", () => {
    expect([1, 2, 9].map((attempt) => backoffMs({ kind: "fixed", delayMs: 300 }, attempt, drawing(0.9)))).toEqual([
      300, 300, 300,
    ]);
  });

  test("an exponential backoff doubles from its initial wait up to its maximum", () => {
    expect([1, 2, 3, 4, 5, 5000].map((attempt) => backoffMs(exponential, attempt, drawing(0.5)))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  test("a backoff's jitter stays within its share on both sides", () => {
    expect(backoffMs(exponential, 1, drawing(0))).toBe(800);
    expect(backoffMs(exponential, 1, drawing(0.999999))).toBe(1_200);
  });

  test("a backoff's ladder has a rung for each attempt that failed, and repeats its last rung", () => {
    const ladder = { kind: "ladder", delaysMs: [300, 500, 500, 9_000] } as const;
    const waits = [1, 2, 3, 4, 5, 99].map((attempt) => backoffMs(ladder, attempt, drawing(0.9)));
    expect(waits).toEqual([300, 500, 500, 9_000, 9_000, 9_000]);
    expect(backoffMs({ kind: "ladder", delaysMs: [] }, 1, drawing(0))).toBe(0);
  });
});

describe("the presets", () => {
  const minutes = (name: keyof typeof BACKOFF_PRESETS): number[] =>
    BACKOFF_PRESETS[name].delaysMs.map((delayMs) => delayMs / 60_000);

  test("the backoff presets are the ladders that people know", () => {
    expect(minutes("alipay")).toEqual([4, 10, 10, 60, 120, 360, 900]);
    expect(minutes("rocketmq")).toEqual([1 / 6, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 60, 120]);
  });

  test("backoff presets give a task an attempt more than their rungs; without a ladder a task has three", () => {
    expect(defaultAttempts(BACKOFF_PRESETS.alipay)).toBe(8);
    expect(defaultAttempts(exponential)).toBe(3);
  });
});
