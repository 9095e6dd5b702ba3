import { describe, expect, test } from "@jest/globals";
import { definitionOf } from "../../test-support/definitions.js";
import type { SchedulePolicies } from "../definition/schedule.js";
import { preview } from "./preview.js";

function berlin(
  cron: string,
  policies: Partial<SchedulePolicies> = {},
  exclude: string[] = [],
): ReturnType<typeof definitionOf> {
  return definitionOf({ spec: { kind: "cron", cron }, timeZone: "Europe/Berlin", policies, exclude });
}

const told = (definition: ReturnType<typeof definitionOf>, from: number, count: number): string[] =>
  [...preview(definition, { from, count })].map(({ at, note }) => `${new Date(at).toISOString().slice(5, 16)} ${note}`);

describe("a preview", () => {
  const gap = Date.UTC(2024, 2, 30, 12);
  const fold = Date.UTC(2024, 9, 26, 12);

  test("a preview says which instant a gap shifts, and which it skips", () => {
    expect(told(berlin("30 2 * * *"), gap, 2)).toEqual(["03-31T01:00 GAP_SHIFTED", "04-01T00:30 null"]);
    expect(told(berlin("30 2 * * *", { gap: "skip" }), gap, 2)).toEqual([
      "03-31T01:00 GAP_SKIPPED",
      "04-01T00:30 null",
    ]);
  });

  test("a preview says which pass of a fold an instant is in", () => {
    expect(told(berlin("30 2 * * *"), fold, 2)).toEqual(["10-27T00:30 FOLD_FIRST", "10-28T01:30 null"]);
    expect(told(berlin("30 2 * * *", { fold: "last" }), fold, 1)).toEqual(["10-27T01:30 FOLD_SECOND"]);
    expect(told(berlin("30 * * * *"), Date.UTC(2024, 9, 27), 3)).toEqual([
      "10-27T00:30 FOLD_FIRST",
      "10-27T01:30 FOLD_SECOND",
      "10-27T02:30 null",
    ]);
  });

  test("a preview has the instant that it begins with, also one that a gap skips", () => {
    const noon = Date.UTC(2024, 9, 21, 10);
    expect(told(berlin("0 12 * * *"), noon, 2)).toEqual(["10-21T10:00 null", "10-22T10:00 null"]);
    expect(told(berlin("0 12 * * *"), noon + 1, 1)).toEqual(["10-22T10:00 null"]);
    const jump = Date.UTC(2024, 2, 31, 1);
    expect(told(berlin("30 2 * * *", { gap: "skip" }), jump, 1)).toEqual(["03-31T01:00 GAP_SKIPPED"]);
    expect(told(definitionOf({ spec: { kind: "every", everyMs: 60_000, anchorAt: 0 } }), 120_000, 2)).toEqual([
      "01-01T00:02 null",
      "01-01T00:03 null",
    ]);
  });

  test("a preview tells the wall time that was asked for", () => {
    expect([...preview(berlin("30 2 * * *"), { from: gap, count: 1 })][0]).toMatchObject({
      wallAt: Date.UTC(2024, 2, 31, 2, 30),
    });
  });

  test("a preview shows excluded days as such", () => {
    expect(told(berlin("0 12 * * *", {}, ["2024-10-28"]), Date.UTC(2024, 9, 27, 12), 2)).toEqual([
      "10-28T11:00 EXCLUDED",
      "10-29T11:00 null",
    ]);
  });

  test("a preview of a fixed delay is empty: its instants follow from ends", () => {
    expect([...preview(definitionOf({ spec: { kind: "after", afterMs: 5_000 } }), { from: 0, count: 5 })]).toEqual([]);
  });
});
