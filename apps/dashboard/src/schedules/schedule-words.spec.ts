import { expect, test } from "@jest/globals";
import { schedule } from "../../test-support/schedule-example.js";
import type { ScheduledRun, ScheduleRun, SkippedInstants } from "../api/wire.js";
import { ruleRows, taskRows } from "./rule-words.js";
import { barsSentence, runBars } from "./run-bars.js";
import { isOf, matches, stateOf } from "./schedule-filter.js";
import {
  needsYou,
  noteWords,
  pauseWords,
  runMark,
  runNotes,
  schedulesSentence,
  whenWords,
  zoneOf,
} from "./schedule-words.js";

const now = Date.UTC(2026, 10, 24, 2, 30);
const run = (fields: Partial<ScheduledRun> = {}): ScheduledRun => ({
  kind: "spec",
  taskId: "t",
  at: "2026-11-24T02:30:00Z",
  dueAt: "2026-11-24T02:30:00Z",
  missed: 0,
  missedMore: false,
  startedAt: null,
  finishedAt: null,
  latenessMs: null,
  outcome: null,
  reason: null,
  ...fields,
});
const skip = (reason: string, count = 1): SkippedInstants => {
  return { kind: "skip", from: "2026-11-23T02:30:00Z", to: "2026-11-23T02:30:00Z", count, more: false, reason };
};
const pause = { since: "2026-11-24T00:00:00Z", until: null, reason: "REQUESTED", note: "stock count", by: "key:1" };

test("a schedule's times are told in words, or by its expression", () => {
  const rate = schedule({ cron: null, every: 900_000 });
  const delay = schedule({ cron: null, after: 600_000 });
  expect([schedule(), rate, delay, schedule({ cron: "0 9 1 * 1" })].map(whenWords)).toEqual([
    "each day at 03:30",
    "every 15 min",
    "10 min after the last end",
    "0 9 1 * 1",
  ]);
  expect([schedule(), rate, { ...rate, exclude: ["2026-12-24"] }].map(zoneOf)).toEqual([
    "Europe/Berlin",
    null,
    "Europe/Berlin",
  ]);
});

test("a schedule's pause says who made it and why, or that nobody did", () => {
  const called = (actor: string): string => actor.replace("key:1", "till");
  expect(pauseWords(pause, called)).toBe("paused by till: “stock count”");
  expect(pauseWords({ ...pause, reason: "FAILURES", note: null, by: null }, called)).toContain(
    "failed too often in a row",
  );
  expect(pauseWords({ ...pause, reason: "UNANNOUNCED", note: null }, called)).toContain("no node's code defines it");
});

test("one sentence says how all schedules stand", () => {
  const paused = schedule({ state: "paused", pause });
  const failing = schedule({ failures: 2, application: "shop" });
  expect([paused, failing, { ...paused, pause: { ...pause, reason: "FAILURES" } }].map(needsYou)).toEqual([
    false,
    true,
    true,
  ]);
  expect(schedulesSentence([paused, failing, schedule()], { hasMore: false })).toBe(
    "3 schedules, 1 from code. 1 is paused, 1 needs you.",
  );
  expect(schedulesSentence([schedule()], { hasMore: true })).toBe(
    "The first 1 schedule, 0 from code. None is paused or fails.",
  );
  expect(schedulesSentence([], { hasMore: false })).toContain("no schedule yet");
  const of = { hasMore: false, state: "paused" } as const;
  expect(schedulesSentence([paused, { ...paused, application: "shop" }], of)).toBe("2 paused schedules, 1 from code.");
  expect(schedulesSentence([], of)).toBe("No schedule is paused.");
  expect(schedulesSentence([], { hasMore: true, state: "active" })).toBe("No active schedule was found so far.");
});

test("a filter of schedules takes words in any order, and a state", () => {
  const one = schedule({ tags: ["vip"] });
  const found = (text: string) => matches(one, { which: "all", text });
  expect(["", " berlin  news ", "each day", "30 3", "VIP", "rome"].map(found)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([isOf(one, "paused"), isOf(one, "active"), isOf(one, "need you")]).toEqual([false, true, false]);
  expect(matches(one, { which: "paused", text: "news" })).toBe(false);
  expect((["all", "need you", "paused"] as const).map((which) => stateOf({ which }))).toEqual([
    undefined,
    undefined,
    "paused",
  ]);
});

test("a schedule's live run is scheduled, overdue or running; a run whose task is gone has ended", () => {
  const dueLater = run({ dueAt: "2026-11-24T02:30:01Z" });
  const all: ScheduleRun[] = [
    dueLater,
    run(),
    run({ startedAt: "x" }),
    run({ outcome: "dead" }),
    run({ outcome: "gone" }),
  ];
  expect(all.map((one) => runMark(one, now).text)).toEqual(["scheduled", "overdue", "running", "dead", "ended"]);
  expect(runMark(skip("PAUSED"), now)).toEqual({ state: "skipped", text: "skipped" });
});

test("notes tell in words what else there is to say of a schedule's run or skip", () => {
  expect(runNotes(run({ missed: 1_000, missedMore: true }))).toEqual(["at least 1,000 missed before it"]);
  expect(runNotes(run({ kind: "trigger", outcome: "cancelled", reason: "OVERLAP" }))).toEqual([
    "triggered by hand",
    "the run before still went on",
  ]);
  const unwanted = run({ outcome: "succeeded", reason: "SKIPPED" });
  expect([runMark(unwanted, 0).text, ...runNotes(unwanted)]).toEqual(["skipped", "its condition said no"]);
  expect(runNotes(run({ outcome: "dead", reason: "NEW_REASON" }))).toEqual(["NEW_REASON"]);
  expect(runNotes(skip("MISSED", 4))).toEqual(["nothing was there to run it"]);
  expect(noteWords({ note: "GAP_SHIFTED" })).toContain("runs right after");
  expect(noteWords({ note: null })).toBeNull();
});

test("the bar of a schedule's run is as high as the run was late, and that of a skip is flat", () => {
  const runs = [
    run({ outcome: "succeeded", latenessMs: 10_000 }),
    run({ outcome: "succeeded", latenessMs: 0 }),
    skip("PAUSED"),
  ];
  const bars = runBars(runs, now);
  expect(bars.map(({ heightPercent }) => heightPercent)).toEqual([0, 8, 100]);
  expect(barsSentence(bars)).toBe("Of the last 3: 2 succeeded, 1 skipped.");
  expect(
    runBars(
      Array.from({ length: 80 }, () => run()),
      now,
    ),
  ).toHaveLength(60);
});

test("a schedule's rules are told as they hold, also where they are the default", () => {
  const rules = Object.fromEntries(ruleRows(schedule({ misfire: "all", limit: 5, catchUpLimit: 21_600_000 })));
  expect(rules).toMatchObject({
    Missed: "run them one after the other, at most 5; none that is older than 6 h",
    Overlap: "skip what comes while a run goes on",
    "Clock forward": "run right after the hour that is left out",
    "Left out": "no day",
    Failures: "never pause it",
    Starts: "however late",
  });
  const delay = Object.fromEntries(ruleRows(schedule({ cron: null, after: 1_000, jitter: 120_000 })));
  expect(delay).toMatchObject({ Missed: "one run, as soon as it can", Spread: "by up to 2 min" });
  expect(delay).not.toHaveProperty("Clock back");
  const backoff = { kind: "exponential", initial: 1_000, max: 60_000, jitter: 0 } as const;
  expect(Object.fromEntries(taskRows(schedule({ backoff, timeout: 90_000 }), null))).toEqual({
    Priority: "the type's",
    Attempts: "the type's",
    "Wait between": "from 1 s, doubled up to 1 min",
    "Time-out": "1 min 30 s",
    Delivery: "in-process handler",
  });
  const fixed = { kind: "fixed", delay: 5_000 } as const;
  const defaults = { priority: 5, maxAttempts: 3, backoff: fixed, timeout: 60_000, startDeadline: null };
  expect(Object.fromEntries(taskRows(schedule({ maxAttempts: 1 }), defaults))).toMatchObject({
    Priority: "5, as its type says",
    Attempts: "at most 1",
    "Wait between": "5 s, as its type says",
    "Time-out": "1 min, as its type says",
  });
});
