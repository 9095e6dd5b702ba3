import { expect, test } from "@jest/globals";
import { checkNumbers, numberRule, type NumberRule } from "./number-rules.js";

const rules = { beats: numberRule("beats", 2, 9), waitMs: numberRule("duration", 0, 86_400_000) };
const defaults = { beats: 3, waitMs: 1_000 };
const check = (given: Record<string, unknown>) => checkNumbers(given, { rules, defaults });

test("a number that is absent or undefined has its default, and both bounds are allowed", () => {
  expect(check({ waitMs: undefined })).toEqual({ numbers: defaults, faults: [] });
  const bounds = (which: "least" | "most") => ({ beats: rules.beats[which], waitMs: rules.waitMs[which] });
  for (const numbers of [bounds("least"), bounds("most")]) expect(check(numbers)).toEqual({ numbers, faults: [] });
});

test.each([
  ["a fraction", ({ least }: NumberRule): unknown => least + 0.5],
  ["a negative", () => -1],
  ["no number", () => Number.NaN],
  ["without end", () => Infinity],
  ["below its bound", ({ least }: NumberRule) => least - 1],
  ["above its bound", ({ most }: NumberRule) => most + 1],
  ["a text", ({ least }: NumberRule) => String(least)],
  ["null", () => null],
])("a value that is %s is a fault that says what is wanted, and leaves the default", (_name, valueOf) => {
  const given = { beats: valueOf(rules.beats), waitMs: valueOf(rules.waitMs) };
  expect(check(given)).toEqual({
    numbers: defaults,
    faults: [
      { path: "beats", message: "must be a whole number of beats from 2 to 9" },
      { path: "waitMs", message: "must be a whole number of milliseconds from 0 to 86,400,000" },
    ],
  });
});
