import { describe, expect, test } from "@jest/globals";
import type { Schedule } from "../api/wire.js";
import { changesBetween, draftOf, newScheduleDraft, scheduleInputOf, type ScheduleDraft } from "./schedule-draft.js";
import { schedule } from "../../test-support/schedule-example.js";

const draft = (fields: Partial<ScheduleDraft> = {}): ScheduleDraft => {
  return { ...newScheduleDraft("Europe/Berlin"), name: "nightly", type: "report", ...fields };
};

const sent = (fields: Partial<ScheduleDraft>, base: Schedule | null = null) => {
  const reading = scheduleInputOf(draft(fields), base);
  return reading.ok ? reading.input : reading.errors;
};

test("a schedule's new draft is sent with what it shows, and without its empty fields", () => {
  expect(sent({})).toEqual({
    name: "nightly",
    type: "report",
    payload: {},
    cron: "0 9 * * *",
    timeZone: "Europe/Berlin",
    misfire: "last",
    overlap: "skip",
    onResume: "skip",
    gap: "shift",
    fold: "first",
    holdForRetry: false,
  });
});

test("a schedule with a rate has no clock: gap, fold and a zone without days are not sent", () => {
  const rate = sent({ when: "every", every: " 15m ", misfire: "all", limit: "5" });
  expect(rate).toMatchObject({ every: "15m", misfire: "all", limit: 5 });
  for (const name of ["gap", "fold", "timeZone", "cron"]) expect(rate).not.toHaveProperty(name);
  expect(sent({ when: "every", every: "1000", exclude: "2026-12-24, 2026-12-25," })).toMatchObject({
    every: 1_000,
    exclude: ["2026-12-24", "2026-12-25"],
    timeZone: "Europe/Berlin",
  });
});

test("a schedule with a delay takes neither misfire nor overlap", () => {
  const delay = sent({ when: "after", after: "10m", misfire: "all", limit: "5", overlap: "allow" });
  expect(delay).toMatchObject({ after: "10m" });
  for (const name of ["misfire", "limit", "overlap"]) expect(delay).not.toHaveProperty(name);
});

test("every fault of a schedule's draft is told by its path", () => {
  expect(sent({ payload: "{", limit: "many", priority: "-1" })).toEqual([
    { path: "payload", detail: expect.stringContaining("is not JSON") },
    { path: "limit", detail: "is not a whole number" },
    { path: "priority", detail: "is not a whole number" },
  ]);
});

describe("a schedule that is changed", () => {
  const stored = schedule({
    cron: null,
    every: 5_400_000,
    anchor: "2026-11-01T00:00:00.000Z",
    misfire: "all",
    limit: 7,
    jitter: 120_000,
    catchUpLimit: 21_600_000,
    pauseAfterFailures: 3,
    holdForRetry: true,
    startDeadline: 300_000,
    priority: 2,
    maxAttempts: 4,
    timeout: 90_000,
    tags: ["shop:7"],
    startsAt: "2026-11-01T00:00:00.000Z",
    exclude: [],
    backoff: { kind: "exponential", initial: 500, max: 60_000, jitter: 0.5 },
    deliver: { kind: "webhook", url: "https://shop.example/hook" },
    payload: { sum: 1 },
  });

  test("a changed schedule is sent as it is where nothing was typed, with what the form does not show", () => {
    const reading = scheduleInputOf(draftOf(stored), stored);
    expect(reading).toEqual({
      ok: true,
      input: {
        name: stored.name,
        type: stored.type,
        payload: stored.payload,
        every: "1h30m",
        anchor: stored.anchor,
        startsAt: stored.startsAt,
        misfire: "all",
        limit: 7,
        overlap: "skip",
        onResume: "skip",
        holdForRetry: true,
        jitter: "2m",
        catchUpLimit: "6h",
        pauseAfterFailures: 3,
        startDeadline: "5m",
        priority: 2,
        maxAttempts: 4,
        timeout: "1m30s",
        tags: ["shop:7"],
        deliver: stored.deliver,
        backoff: { kind: "exponential", initial: 500, max: 60_000, jitter: 0.5 },
      },
    });
  });

  test("a changed schedule keeps its anchor only while it has a rate", () => {
    const reading = scheduleInputOf({ ...draftOf(stored), when: "cron", cron: "0 9 * * *" }, stored);
    expect(reading).toMatchObject({ ok: true, input: { cron: "0 9 * * *" } });
    expect(reading.ok && reading.input).not.toHaveProperty("anchor");
  });

  test("a schedule that somebody else changed meanwhile shows what was, what is, and what was typed", () => {
    const current = { ...stored, every: 900_000, revision: 8 };
    const typed = { ...draftOf(stored), every: "2h" };
    expect(changesBetween(stored, current, typed)).toEqual([{ field: "every", was: "1h30m", now: "15m", yours: "2h" }]);
    expect(changesBetween(stored, { ...stored, revision: 8 }, typed)).toEqual([]);
  });
});
