import { describe, expect, test } from "@jest/globals";
import { faultsOf, outcomesOf, type RunRow, type ScheduleEvidence } from "./schedule-accounts.js";
import { instantsOf, minuteOf, rulesOf, secondsOf } from "./schedule-definitions.js";

const run = (at: number, change: Partial<RunRow> = {}): RunRow => ({
  kind: "spec",
  at,
  until: null,
  missed: 0,
  hasMissedMore: false,
  stoodFor: null,
  taskId: `t${at}`,
  state: "succeeded",
  reason: null,
  isConcluded: true,
  ...change,
});
const skip = ([at, until]: [number, number], missed: number, reason: string | null = "MISSED"): RunRow =>
  run(at, { kind: "skip", until, missed, reason, taskId: null, state: null });
const occurred = (instant: number, change = {}) => ({
  taskId: `t${instant}`,
  schedule: "s",
  instant,
  missed: 0,
  version: "1",
  ...change,
});
const start = (at: number, change = {}) => ({
  taskId: `t${at}`,
  type: "order",
  node: "1",
  fence: 1,
  attempt: 1,
  atMs: at + 5,
  dueAtMs: at,
  createdAtMs: at - 900,
  ...change,
});

/** Each second; 3 s and 4 s were missed, and the definition changed at 4,500 ms. */
const clean: ScheduleEvidence = {
  name: "s",
  stretches: [
    { version: "1", after: 500, instants: [1_000, 2_000, 3_000, 4_000] },
    { version: "2", after: 4_500, instants: [5_000, 6_000] },
  ],
  rows: [
    run(1_000),
    run(2_000),
    skip([3_000, 4_000], 2),
    run(5_000),
    run(6_000, { state: "cancelled", reason: "OVERLAP" }),
  ],
  occurred: [occurred(1_000), occurred(2_000), occurred(5_000, { version: "2" })],
  starts: [start(1_000, { createdAtMs: 500 }), start(2_000), start(5_000, { createdAtMs: 4_500 })],
};

describe("the account of a schedule", () => {
  test("the account of a schedule has no fault if each instant is run, or skipped with a reason, once", () => {
    expect(faultsOf(clean)).toEqual([]);
    expect(outcomesOf(clean)).toEqual({ run: 3, MISSED: 2, OVERLAP: 1 });
  });

  test.each<[string, Partial<ScheduleEvidence>, RegExp]>([
    [
      "a lost instant",
      { rows: clean.rows.slice(1), occurred: clean.occurred.slice(1) },
      /:01.000Z is accounted for 0 t/,
    ],
    ["a run of a skipped instant", { rows: [...clean.rows, run(3_000)] }, /:03.000Z is accounted for 2 times/],
    ["a run of no instant", { rows: [...clean.rows, run(1_500)] }, /there is no instant .*:01.500Z, and yet/],
    [
      "a wrong count",
      { rows: clean.rows.with(2, skip([3_000, 4_000], 3)) },
      /3 instants are said to be skipped .*: 2 are/,
    ],
    ["a run without an end", { rows: clean.rows.with(1, run(2_000, { isConcluded: false })) }, /:02.000Z has no end/],
    ["an end that nobody knows", { rows: clean.rows.with(1, run(2_000, { state: null })) }, /nobody knows how/],
    ["a skip without a reason", { rows: clean.rows.with(2, skip([3_000, 4_000], 2, null)) }, /nobody knows why/],
    ["two effects", { occurred: [...clean.occurred, occurred(1_000)] }, /:01.000Z, succeeded, has 2 effects/],
    ["an effect of a cancelled run", { occurred: [...clean.occurred, occurred(6_000)] }, /cancelled, has 1 effects/],
    ["an effect of no run", { occurred: [...clean.occurred, occurred(7_000)] }, /an effect at .*:07.000Z, and no run/],
    ["another instant", { occurred: clean.occurred.with(0, occurred(1_000, { instant: 2_000 })) }, /told .*:02.000Z/],
    ["another count", { occurred: clean.occurred.with(0, occurred(1_000, { missed: 1 })) }, /told .*, missed 1/],
    [
      "an early start",
      { starts: clean.starts.with(1, start(2_000, { atMs: 1_999 })) },
      /:02.000Z started at .*:01.999Z/,
    ],
    ["a definition too late", { starts: clean.starts.with(0, start(1_000, { createdAtMs: 4_501 })) }, /definition 1/],
    ["a foreign definition", { occurred: clean.occurred.with(0, occurred(1_000, { version: "x" })) }, /definition x/],
  ])("the account of a schedule has %s among its faults", (_name, change, fault) => {
    expect(faultsOf({ ...clean, ...change }).join("\n")).toMatch(fault);
  });
});

describe("the definitions of the tests", () => {
  const from = Date.parse("2026-07-01T10:29:59.500Z");
  const minute = { after: from, until: from + 60_000 };

  test("the definitions of the tests' schedules name their seconds, in each minute or in that of a zone", () => {
    expect(secondsOf(25)).toEqual([0, 25, 50]);
    expect(instantsOf({ timeZone: "UTC", seconds: [0, 25], minute: null }, minute)).toEqual([
      from + 500,
      from + 25_500,
    ]);
    expect(minuteOf(from, "Australia/Lord_Howe")).toBe(59);
    const seconds = [0];
    expect(instantsOf({ timeZone: "Australia/Lord_Howe", seconds, minute: 0 }, minute)).toEqual([from + 500]);
    expect(instantsOf({ timeZone: "UTC", seconds, minute: 0 }, minute)).toEqual([]);
    expect(instantsOf({ everySeconds: 7 }, minute)).toHaveLength(8);
  });

  test("the definitions of the tests' schedules are written as the scheduler takes them", () => {
    expect(rulesOf({ everySeconds: 7 })).toEqual({ every: "7s", anchor: "2026-01-01T00:00:00.000Z" });
    const zone = { timeZone: "UTC" };
    expect(rulesOf({ ...zone, seconds: secondsOf(1), minute: null })).toEqual({ ...zone, cron: "* * * * * *" });
    expect(rulesOf({ ...zone, seconds: [0, 30], minute: 5 })).toEqual({ ...zone, cron: "0,30 5 * * * *" });
  });
});
