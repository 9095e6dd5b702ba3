import { describe, expect, test } from "@jest/globals";
import { largest, percentile } from "./percentiles.js";

describe("a percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  test.each([
    [0, 1],
    [0.5, 50],
    [0.99, 99],
    [1, 100],
  ])("the percentile %d of 1 … 100 is %d", (share, value) => {
    expect(percentile(hundred, share)).toBe(value);
  });

  test("a percentile of few numbers is one of them", () => {
    expect(percentile([3, 10], 0.5)).toBe(3);
    expect(percentile([3, 10], 0.99)).toBe(10);
  });

  test("a percentile of numbers is not that of their texts", () => {
    expect(largest([9, 10])).toBe(10);
  });

  test("a percentile of nothing is nothing", () => {
    expect(percentile([], 0.5)).toBeNull();
    expect(largest([])).toBeNull();
  });
});
