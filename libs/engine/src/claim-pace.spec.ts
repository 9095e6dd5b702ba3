import { describe, expect, test } from "@jest/globals";
import { ClaimPace } from "./claim-pace.js";

/** A claim that took so long, and that came right after the one before. */
const claimed = (tookMs: number, asked: number, ended = 0) => ({ sentMonoMs: 0, repliedMonoMs: tookMs, asked, ended });
const fast = (asked: number) => claimed(5, asked);

describe("the pace of claims", () => {
  test("begins small and doubles with each full claim, up to the largest", () => {
    const pace = new ClaimPace(180);
    const sizes = [pace.size];
    for (let claim = 0; claim < 3; claim++) {
      pace.answered(fast(pace.size));
      sizes.push(pace.size);
    }
    expect(sizes).toEqual([50, 100, 180, 180]);
  });

  test("stays as it is while claims are not full", () => {
    const pace = new ClaimPace(500);
    pace.answered(fast(49));
    expect(pace.size).toBe(50);
  });

  test("halves with a claim that was slow beside the others of late, to the first size at least", () => {
    const pace = new ClaimPace(500);
    for (let claim = 0; claim < 4; claim++) pace.answered(fast(pace.size));
    const sizes: number[] = [];
    for (let claim = 0; claim < 4; claim++) {
      pace.answered(claimed(70, pace.size));
      sizes.push(pace.size);
    }
    expect(sizes).toEqual([250, 125, 62, 50]);
  });

  test("takes a store that is far away for what it is", () => {
    const pace = new ClaimPace(500);
    for (let claim = 0; claim < 4; claim++) pace.answered(claimed(150, pace.size));
    expect(pace.size).toBe(500);
  });

  test("gets used to a store that has become slow for good", () => {
    const pace = new ClaimPace(500);
    for (let claim = 0; claim < 4; claim++) pace.answered(fast(pace.size));
    for (let claim = 0; claim < 100; claim++) pace.answered(claimed(80, pace.size));
    expect(pace.size).toBe(500);
  });

  test.each([
    [
      "as many as returned meanwhile where claim follows claim",
      { sentMonoMs: 1_000, repliedMonoMs: 1_010, ended: 70 },
      70,
    ],
    [
      "fewer where claims are short beside the time between them",
      { sentMonoMs: 1_008, repliedMonoMs: 1_010, ended: 70 },
      14,
    ],
    ["no more than a claim brings", { sentMonoMs: 1_000, repliedMonoMs: 1_010, ended: 800 }, 500],
    ["hardly any where handlers are slow", { sentMonoMs: 1_990, repliedMonoMs: 2_000, ended: 100 }, 1],
  ])("counts on places that become free: %s", (_, taken, expected) => {
    const pace = new ClaimPace(500);
    pace.answered({ sentMonoMs: 990, repliedMonoMs: 1_000, asked: 1, ended: 0 });
    pace.answered({ ...taken, asked: 1 });
    expect(pace.prefetchAt(taken.repliedMonoMs)).toBe(expected);
    expect(pace.prefetchAt(taken.repliedMonoMs + 100)).toBe(0);
  });

  test("begins anew after a failure", () => {
    const pace = new ClaimPace(500);
    pace.answered(claimed(0, 1));
    pace.answered(claimed(5, 50, 50));
    expect([pace.size, pace.prefetchAt(5)]).toEqual([100, 50]);
    pace.failed();
    expect([pace.size, pace.prefetchAt(5)]).toEqual([50, 0]);
  });

  test("asks for no more than the largest, however small it is", () => {
    expect(new ClaimPace(1).size).toBe(1);
  });
});
