import { describe, expect, test } from "@jest/globals";
import { parseDurationMs } from "./duration.js";

describe("parseDurationMs", () => {
  test.each([
    [0, 0],
    [1500, 1500],
    ["15m", 900_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    ["250ms", 250],
    ["2w1d", 15 * 86_400_000],
    ["PT15M", 900_000],
    ["P1DT2H", 93_600_000],
    ["P1W", 604_800_000],
    ["PT0.5S", 500],
  ])("reads %p as %p ms", (given, expected) => {
    expect(parseDurationMs(given)).toBe(expected);
  });

  test.each([
    [-1],
    [Number.NaN],
    [Infinity],
    [""],
    ["15"],
    ["m"],
    ["1h 30m"],
    ["1h30"],
    ["15m "],
    ["P"],
    ["PT"],
    ["P1M"],
    ["P1Y"],
    ["-5s"],
    [null],
    [{}],
    ["1x"],
  ])("refuses %p", (given) => {
    expect(parseDurationMs(given)).toBeNull();
  });
});
