import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
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
  test("apiLimitsOf takes the default where an option is absent or undefined", () => {
    const given = Object.keys(DEFAULT_API_NUMBERS).map((name) => [name, undefined]);
    expect(apiLimitsOf(Object.fromEntries(given))).toEqual(apiLimitsOf({}));
    expect(apiLimitsOf({ streamsPerKey: 7, sessionMs: 5_000 })).toMatchObject({
      sessions: { sessionMs: 5_000, sessionsPerKey: 20 },
      streams: { perKey: 7, perNode: 1_000 },
    });
  });

  test("the defaults of the API's limits keep the bounds", () => {
    expect(Object.keys(API_NUMBER_RULES)).toEqual(Object.keys(DEFAULT_API_NUMBERS));
    expect(faultsOf(DEFAULT_API_NUMBERS)).toEqual([]);
  });

  test("every fault of the API's limits is told at once, under its option's name", () => {
    const given = Object.keys(API_NUMBER_RULES).map((name) => [name, -1]);
    expect(faultsOf(Object.fromEntries(given))).toEqual(Object.keys(API_NUMBER_RULES));
  });
});
