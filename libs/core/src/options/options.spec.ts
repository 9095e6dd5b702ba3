import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "../errors/errors.js";
import { DEFAULT_OPTIONS, OPTION_RULES, resolveOptions } from "./options.js";
import type { SchedulerOptions } from "./scheduler-options.js";

function faultsOf(given: Record<string, unknown>): string[] {
  try {
    resolveOptions(given as Partial<SchedulerOptions>);
  } catch (error) {
    if (error instanceof TickwheelError) return error.faults.map((fault) => fault.path).sort();
  }
  return [];
}

describe("resolveOptions", () => {
  test("the default options satisfy every relation", () => {
    expect(resolveOptions()).toEqual(DEFAULT_OPTIONS);
  });

  test("an absent option takes the default", () => {
    expect(resolveOptions({ concurrency: undefined, horizonMs: 20_000 })).toMatchObject({
      concurrency: 100,
      horizonMs: 20_000,
    });
  });

  test("all faults of options are named at once", () => {
    expect(faultsOf({ concurrencyy: 5, claimBatchSize: -1, sweepPageSize: 0 })).toEqual([
      "claimBatchSize",
      "concurrencyy",
      "sweepPageSize",
    ]);
  });

  test("every option has its kind and its bounds, which its default keeps", () => {
    expect(Object.keys(OPTION_RULES)).toEqual(Object.keys(DEFAULT_OPTIONS));
    const kinds = { Ms: "duration", Bytes: "bytes", Days: "days", Beats: "beats" } as Record<string, string>;
    for (const [name, { kind, least, most }] of Object.entries(OPTION_RULES)) {
      expect([name, kind]).toEqual([name, kinds[/(Ms|Bytes|Days|Beats)$/.exec(name)?.[0] ?? ""] ?? "count"]);
      expect([least, most].every(Number.isInteger)).toBe(true);
      expect(least).toBeGreaterThanOrEqual(0);
      // The longest timer of Node; the columns of Postgres hold it, too.
      expect(most).toBeLessThan(2 ** 31);
      const value = DEFAULT_OPTIONS[name as keyof SchedulerOptions];
      expect(value >= least && value <= most).toBe(true);
    }
  });

  test("a bad value of any option is refused, all of them at once", () => {
    const given = Object.keys(OPTION_RULES).map((name) => [name, -1]);
    expect(faultsOf(Object.fromEntries(given))).toEqual(Object.keys(OPTION_RULES).sort());
  });

  test("the message about a refused option says what is wanted", () => {
    expect(() => resolveOptions({ concurrency: 3.5, historyRetentionDays: 9_999_999 })).toThrow(
      "concurrency must be a whole number from 1 to 100,000; " +
        "historyRetentionDays must be a whole number of days from 1 to 36,500",
    );
  });

  test.each([
    [{ redisKeyTtlMs: 2_999 }, ["redisKeyTtlMs"]],
    [{ redisKeyTtlMs: 5_000 }, ["selfFenceAfterBeats"]],
    [{ deadAfterBeats: 5 }, ["deadAfterBeats", "statementTimeoutMs"]],
    [{ statementTimeoutMs: 2_001 }, ["statementTimeoutMs"]],
    [{ heartbeatIntervalMs: 999 }, ["statementTimeoutMs"]],
    [{ horizonMs: 5_000 }, ["horizonMs"]],
    [{ lockTimeoutMs: 2_000 }, ["lockTimeoutMs"]],
    [
      { lockTimeoutMs: 5_000, selfFenceAfterBeats: 5, deadAfterBeats: 20, statementTimeoutMs: 9_000 },
      ["lockTimeoutMs"],
    ],
  ])("a broken relation of options %p is refused", (given, expected) => {
    expect(faultsOf(given)).toEqual(expected);
  });
});
