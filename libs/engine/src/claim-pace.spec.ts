import { describe, expect, test } from "@jest/globals";
import { ClaimPace } from "./claim-pace.js";

const fast = (asked: number, ended = 0) => ({ tookMs: 5, asked, ended });

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
      pace.answered({ tookMs: 70, asked: pace.size, ended: 0 });
      sizes.push(pace.size);
    }
    expect(sizes).toEqual([250, 125, 62, 50]);
  });

  test("takes a store that is far away for what it is", () => {
    const pace = new ClaimPace(500);
    for (let claim = 0; claim < 4; claim++) pace.answered({ tookMs: 150, asked: pace.size, ended: 0 });
    expect(pace.size).toBe(500);
  });

  test("gets used to a store that has become slow for good", () => {
    const pace = new ClaimPace(500);
    for (let claim = 0; claim < 4; claim++) pace.answered(fast(pace.size));
    for (let claim = 0; claim < 100; claim++) pace.answered({ tookMs: 80, asked: pace.size, ended: 0 });
    expect(pace.size).toBe(500);
  });

  test("counts on as many places as became free since the reply before, never on more than a claim brings", () => {
    const pace = new ClaimPace(500);
    const prefetches = [0, 70, 800, 3].map((ended) => {
      pace.answered(fast(50, ended));
      return pace.prefetch;
    });
    expect(prefetches).toEqual([0, 70, 500, 3]);
  });

  test("begins anew after a failure", () => {
    const pace = new ClaimPace(500);
    pace.answered(fast(50, 50));
    pace.failed();
    expect([pace.size, pace.prefetch]).toEqual([50, 0]);
  });

  test("asks for no more than the largest, however small it is", () => {
    expect(new ClaimPace(1).size).toBe(1);
  });
});
