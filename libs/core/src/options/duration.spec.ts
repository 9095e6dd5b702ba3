import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "../errors/errors.js";
import { duration, type Duration, parseDurationMs } from "./duration.js";

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
  ])("parseDurationMs reads %p as %p ms", (given, expected) => {
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
  ])("parseDurationMs refuses %p", (given) => {
    expect(parseDurationMs(given)).toBeNull();
  });
});

const MINUTES: Duration[] = ["90m", "1.5h", "1h30m", "PT90M", "PT1H30M", "5400s", "5400000ms"];

test.each(MINUTES)("a text that the compiler takes for a duration is a duration: %p", (text) => {
  expect(parseDurationMs(text)).toBe(5_400_000);
});

describe("duration", () => {
  test.each(["15m", "1w2d3h4m5s6ms", "P1DT2H3M"])("duration takes %p, as it is", (text) => {
    expect(duration(text)).toBe(text);
  });

  test.each(["15 minutes", "", "-5s", "5", "x".repeat(200)])("duration refuses %p, and says what is taken", (text) => {
    expect(() => duration(text)).toThrow(TickwheelError);
    expect(() => duration(text)).toThrow(/is no duration: it must be a text such as "15m"/);
  });

  test("duration refuses what is no text, by its type", () => {
    expect(() => duration(undefined as never)).toThrow("a value of type undefined is no duration");
  });
});
