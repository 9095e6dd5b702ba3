import { describe, expect, test } from "@jest/globals";
import { entry, parts, T0, taskOf } from "../../test-support/task-scene.js";
import { dueOf, latenessOf, runsOf } from "./runs.js";

const claim = (at: number, fence: number, node = "n1") =>
  entry(at, { from: "scheduled", to: "running", fence, attempt: Math.ceil(fence / 2), node });

describe("the runs of a journal", () => {
  test("the runs of a journal are its claims, each with the end that followed it", () => {
    const split = parts({ placeMs: 40, startMs: 2 });
    const runs = runsOf([
      entry(0, { from: null, to: "scheduled" }),
      claim(100, 1),
      entry(300, {
        from: "running",
        to: "scheduled",
        fence: 1,
        reason: "FAILED",
        error: "boom",
        startedAt: 150,
        latenessParts: split,
      }),
      entry(300, { from: "scheduled", to: "scheduled", reason: "RESCHEDULED" }),
      claim(500, 3, "n2"),
      entry(520, { from: "running", to: "running", fence: 3, reason: "CANCEL_REQUESTED" }),
      entry(700, { from: "running", to: "succeeded", fence: 3, startedAt: 510 }),
    ]);
    expect(runs).toMatchObject([
      {
        attempt: 1,
        fence: "1",
        node: "n1",
        claimedAt: T0 + 100,
        startedAt: T0 + 150,
        endedAt: T0 + 300,
        end: "failed",
        error: "boom",
        parts: split,
      },
      {
        attempt: 2,
        fence: "3",
        node: "n2",
        claimedAt: T0 + 500,
        startedAt: T0 + 510,
        endedAt: T0 + 700,
        end: "succeeded",
        error: null,
      },
    ]);
  });

  test.each([
    ["scheduled", "SNOOZED", "put off"],
    ["scheduled", "CRASHED", "crashed"],
    ["scheduled", "LOOP_BLOCKED", "crashed"],
    ["scheduled", "DRAIN", "given back"],
    ["dead", "CRASHES", "crashed"],
    ["dead", "ATTEMPTS", "dead"],
    ["succeeded", "SKIPPED", "skipped"],
    ["cancelled", "REQUESTED", "cancelled"],
  ] as const)("a run that ends in %s for %s is told as %s", (to, reason, end) => {
    expect(runsOf([claim(0, 1), entry(1, { from: "running", to, reason })])).toMatchObject([{ end }]);
  });

  test("a run under way has no end, and a claim whose end is not kept does not swallow the next one", () => {
    expect(runsOf([claim(0, 1), claim(50, 3)])).toMatchObject([
      { endedAt: null, end: "running" },
      { endedAt: null, end: "running" },
    ]);
  });
});

test("a task's run was due at its start without its lateness, or as the task tells", () => {
  const split = parts({ knownMs: 10, claimMs: 5 });
  const [measured] = runsOf([
    claim(100, 1),
    entry(200, { from: "running", to: "succeeded", startedAt: 115, latenessParts: split }),
  ]);
  const [unknown] = runsOf([claim(100, 1)]);
  expect(latenessOf(split)).toBe(15);
  expect(dueOf(measured!, taskOf(), true)).toBe(T0 + 100);
  expect(dueOf(unknown!, taskOf({ scheduledAt: T0 + 40 }), true)).toBe(T0 + 40);
  expect(dueOf(unknown!, taskOf({ scheduledAt: T0 + 40 }), false)).toBe(T0 + 100);
});
