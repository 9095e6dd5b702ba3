import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "../errors/errors.js";
import { DEFAULT_OPTIONS, resolveOptions } from "./options.js";

function faultsOf(given: Record<string, number>): string[] {
  try {
    resolveOptions(given);
  } catch (error) {
    if (error instanceof TickwheelError) return error.faults.map((fault) => fault.path).sort();
  }
  return [];
}

describe("resolveOptions", () => {
  test("the defaults satisfy every relation", () => {
    expect(resolveOptions()).toEqual(DEFAULT_OPTIONS);
  });

  test("an absent value takes the default", () => {
    expect(resolveOptions({ concurrency: undefined, horizonMs: 20_000 })).toMatchObject({
      concurrency: 100,
      horizonMs: 20_000,
    });
  });

  test("all faults are named at once", () => {
    expect(faultsOf({ concurrencyy: 5, claimBatchSize: -1, sweepPageSize: 0 })).toEqual([
      "claimBatchSize",
      "concurrencyy",
      "sweepPageSize",
    ]);
  });

  test.each([
    [{ redisKeyTtlMs: 2_999 }, ["redisKeyTtlMs"]],
    [{ redisKeyTtlMs: 5_000 }, ["selfFenceAfterBeats"]],
    [{ deadAfterBeats: 5 }, ["deadAfterBeats", "statementTimeoutMs"]],
    [{ statementTimeoutMs: 2_001 }, ["statementTimeoutMs"]],
    [{ heartbeatIntervalMs: 999 }, ["statementTimeoutMs"]],
    [{ horizonMs: 5_000 }, ["horizonMs"]],
  ])("a broken relation %p is refused", (given, expected) => {
    expect(faultsOf(given)).toEqual(expected);
  });
});
