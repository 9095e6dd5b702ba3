import { describe, expect, test } from "@jest/globals";
import { ClaimPace } from "./claim-pace.js";

const PLACES = 100;
const idle = { ended: 0, placeMs: 0 };

/** A claim that took this long, right after the one before. */
const claimed = (tookMs: number, asked: number, turnover = idle) => ({
  sentMonoMs: 0,
  repliedMonoMs: tookMs,
  asked,
  turnover,
});
const fast = (asked: number) => claimed(5, asked);

describe("the pace of claims", () => {
  test("the pace of claims begins small and doubles with each full claim, up to the largest", () => {
    const pace = new ClaimPace(180, PLACES);
    const sizes = [pace.size];
    for (let claim = 0; claim < 3; claim++) {
      pace.answered(fast(pace.size));
      sizes.push(pace.size);
    }
    expect(sizes).toEqual([50, 100, 180, 180]);
  });

  test("the pace of claims stays as it is while claims are not full", () => {
    const pace = new ClaimPace(500, PLACES);
    pace.answered(fast(49));
    expect(pace.size).toBe(50);
  });

  test("the pace of claims halves with a claim that was slow compared with recent claims, down to the first size", () => {
    const pace = new ClaimPace(500, PLACES);
    for (let claim = 0; claim < 4; claim++) pace.answered(fast(pace.size));
    const sizes: number[] = [];
    for (let claim = 0; claim < 4; claim++) {
      pace.answered(claimed(70, pace.size));
      sizes.push(pace.size);
    }
    expect(sizes).toEqual([250, 125, 62, 50]);
  });

  test("the pace of claims does not take a distant store for a slow one", () => {
    const pace = new ClaimPace(500, PLACES);
    for (let claim = 0; claim < 4; claim++) pace.answered(claimed(150, pace.size));
    expect(pace.size).toBe(500);
  });

  test("the pace of claims adapts to a store that has become slow for good", () => {
    const pace = new ClaimPace(500, PLACES);
    for (let claim = 0; claim < 4; claim++) pace.answered(fast(pace.size));
    for (let claim = 0; claim < 100; claim++) pace.answered(claimed(80, pace.size));
    expect(pace.size).toBe(500);
  });

  test.each([
    ["as many as all places bring forth meanwhile", { ended: 70, placeMs: 700 }, 100],
    ["however few had something to run", { ended: 7, placeMs: 70 }, 100],
    ["no more than two claims bring", { ended: 70, placeMs: 0 }, 1_000],
    ["hardly any where handlers are slow", { ended: 100, placeMs: 100_000 }, 1],
    ["none where handlers hang", { ended: 0, placeMs: 1_000 }, 0],
  ])("the pace of claims counts on places that become free: %s", (_, turnover, expected) => {
    const pace = new ClaimPace(500, PLACES);
    pace.answered(claimed(10, 1, turnover));
    expect([pace.prefetchAt(10), pace.prefetchAt(110)]).toEqual([expected, 0]);
  });

  test("the pace of claims changes little with a reply before any handler returned, and much with many such replies", () => {
    const pace = new ClaimPace(500, PLACES);
    const counted: number[] = [];
    pace.answered(claimed(1, 1, { ended: 100, placeMs: 1_000 }));
    for (const placeMs of [100, 1_000, 10_000]) {
      pace.answered(claimed(1, 1, { ended: 0, placeMs }));
      counted.push(pace.prefetchAt(1));
    }
    expect(counted).toEqual([8, 2, 0]);
  });

  test("the pace of claims begins anew after a failure", () => {
    const pace = new ClaimPace(500, PLACES);
    pace.answered(claimed(5, 50, { ended: 50, placeMs: 500 }));
    expect([pace.size, pace.prefetchAt(5)]).toEqual([100, 50]);
    pace.failed();
    expect([pace.size, pace.prefetchAt(5)]).toEqual([50, 0]);
  });

  test("the pace of claims never asks for more than the largest, however small it is", () => {
    expect(new ClaimPace(1, PLACES).size).toBe(1);
  });
});
