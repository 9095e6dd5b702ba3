import { describe, expect, test } from "@jest/globals";
import { type NumberRule, TickwheelError } from "@tickwheel/core";
import { API_NUMBER_RULES, apiLimitsOf, DEFAULT_API_NUMBERS } from "./api-limits.js";

function faultsOf(options: Record<string, unknown>): string[] {
  try {
    apiLimitsOf(options as Parameters<typeof apiLimitsOf>[0]);
  } catch (error) {
    if (error instanceof TickwheelError) return error.faults.map(({ path }) => path);
  }
  return [];
}

describe("apiLimitsOf", () => {
  test("takes the default where an option is absent or undefined", () => {
    const given = Object.keys(DEFAULT_API_NUMBERS).map((name) => [name, undefined]);
    expect(apiLimitsOf(Object.fromEntries(given))).toEqual(apiLimitsOf({}));
    expect(apiLimitsOf({ streamsPerKey: 7, sessionMs: 5_000 })).toMatchObject({
      sessions: { sessionMs: 5_000, sessionsPerKey: 20 },
      streams: { perKey: 7, perNode: 1_000 },
    });
  });

  test("the defaults keep the bounds", () => {
    expect(Object.keys(API_NUMBER_RULES)).toEqual(Object.keys(DEFAULT_API_NUMBERS));
    expect(faultsOf(DEFAULT_API_NUMBERS)).toEqual([]);
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
  ])("a value that is %s is refused for every option, all of them at once", (_name, valueOf) => {
    const given = Object.entries(API_NUMBER_RULES).map(([name, rule]) => [name, valueOf(rule)]);
    expect(faultsOf(Object.fromEntries(given))).toEqual(Object.keys(API_NUMBER_RULES));
  });
});
