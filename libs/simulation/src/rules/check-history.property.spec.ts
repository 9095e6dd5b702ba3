import { describe, expect, test } from "@jest/globals";
import { checkHistory } from "./check-history.js";
import type { HistoryEvent } from "../history/history-event.js";
import { randomLife } from "../../test-support/random-life.js";
import type { RuleName } from "../history/rule.js";

/** All before a release: `run-tests.mjs --whole`. */
const SEEDS = process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 500 : 200;

describe("lives of tasks in a cluster that does everything as it should", () => {
  test(`lives of tasks in a cluster that does everything as it should break no rule (${SEEDS} seeds)`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const violations = checkHistory(randomLife({ seed, tasks: 30 })).map(({ rule, message }) => ({
        seed,
        rule,
        message,
      }));
      expect(violations).toEqual([]);
    }
  });

  test("lives of tasks break no rule as real processes show them, without the changes of their rows", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { events, options } = randomLife({ seed, tasks: 30 });
      const seen = events.filter(({ kind }) => kind !== "row-changed");
      expect(checkHistory({ events: seen, options })).toEqual([]);
    }
  });

  test("lives of tasks in a simulated history come to every way that a task's life can take", () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 20; seed++)
      for (const event of randomLife({ seed, tasks: 30 }).events)
        kinds.add(event.kind === "row-changed" ? `${event.statement} ${event.after?.state}` : event.kind);
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        "create scheduled",
        "cancel cancelled",
        "edit scheduled",
        "claim running",
        "retry scheduled",
        "reap scheduled",
        "settle succeeded",
        "settle dead",
        "settle scheduled",
        "release scheduled",
        "timed-out",
        "drain-aborted",
      ]),
    );
  });

  /** For each life, some events are missing, and the checker knows. */
  test.each<[string, RuleName, (event: HistoryEvent) => boolean]>([
    ["its starts", "ended-has-started", ({ kind }) => kind === "started"],
    ["its effects", "effect-iff-succeeded", ({ kind }) => kind === "effect"],
    ["its crash", "declared-dead-with-cause", ({ kind }) => kind === "fault-began"],
    ["its time-outs", "one-execution-at-a-time", ({ kind }) => kind === "timed-out"],
    ["its reaps", "orphan-reaped", (event) => event.kind === "row-changed" && event.statement === "reap"],
  ])("the history of a cluster without %s breaks the rule %s", (_what, rule, isMissing) => {
    const { events, options } = randomLife({ seed: 1, tasks: 100 });
    const rules = checkHistory({ events: events.filter((event) => !isMissing(event)), options }).map(
      (each) => each.rule,
    );
    expect(rules).toContain(rule);
  });
});
