import { describe, expect, test } from "@jest/globals";
import { backoffMs } from "./backoff.js";
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

  test("jitter stays within its share on both sides", () => {
    expect(backoffMs(exponential, 1, drawing(0))).toBe(800);
    expect(backoffMs(exponential, 1, drawing(0.999999))).toBe(1_200);
  });
});
