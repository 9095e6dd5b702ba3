import { describe, expect, test } from "@jest/globals";
import { definitionOf, type Wanted } from "../../test-support/definitions.js";
import {
  madeAhead,
  type MadeAhead,
  MAX_INSTANTS_AHEAD,
  MAX_INSTANTS_OF_SCHEDULE,
  MAX_SCHEDULES_AHEAD,
  type ScheduleAhead,
} from "./made-ahead.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 28, 12);
/** The hour to come by quarters. */
const HOUR = { from: NOW, bucketMs: 15 * MINUTE_MS, buckets: 4 };

function schedule(wanted: Wanted, planning: Partial<ScheduleAhead["planning"]> = {}): ScheduleAhead {
  return {
    definition: definitionOf(wanted),
    planning: { plannedUntil: NOW, pause: null, isFinished: false, ...planning },
  };
}

function counted(schedules: readonly ScheduleAhead[], time = HOUR): MadeAhead {
  const counting = madeAhead(schedules, time);
  for (;;) {
    const { done, value } = counting.next();
    if (done) return value;
  }
}

const minutely: Wanted = { spec: { kind: "cron", cron: "* * * * *" } };

describe("what schedules will make", () => {
  test("each instant that schedules will make is in its bucket, but for those that have their tasks already", () => {
    expect(counted([schedule(minutely)])).toEqual({ counts: [14, 15, 15, 16], isCut: false });
    expect(counted([schedule(minutely, { plannedUntil: NOW + 20 * MINUTE_MS })]).counts).toEqual([0, 9, 15, 16]);
    const rate = schedule({ spec: { kind: "every", everyMs: 20 * MINUTE_MS, anchorAt: NOW } });
    expect(counted([rate, schedule(minutely)]).counts).toEqual([14, 16, 16, 17]);
  });

  test("instants that a schedule will make are counted from now on where its last plan is old", () => {
    expect(counted([schedule(minutely, { plannedUntil: NOW - DAY_MS })]).counts).toEqual([14, 15, 15, 16]);
  });

  test("a schedule that is paused or finished will make nothing", () => {
    const pause = { since: NOW, until: NOW + MINUTE_MS, reason: "REQUESTED" as const };
    expect(counted([schedule(minutely, { pause }), schedule(minutely, { isFinished: true })]).counts).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test("instants that a schedule will make keep within the window, and leave excluded days out", () => {
    const window = { startsAt: NOW + 20 * MINUTE_MS, endsAt: NOW + 32 * MINUTE_MS };
    expect(counted([schedule({ ...minutely, window })]).counts).toEqual([0, 10, 2, 0]);
    const days = { from: NOW, bucketMs: DAY_MS, buckets: 3 };
    const hourly = schedule({ exclude: ["2026-11-29"], spec: { kind: "cron", cron: "0 * * * *" } });
    expect(counted([hourly], days).counts).toEqual([11, 12, 25]);
  });

  test("instants that a fixed delay will make are those that there would be if its runs took no time", () => {
    const delay = { kind: "after" as const, afterMs: 10 * MINUTE_MS };
    expect(counted([schedule({ spec: delay })]).counts).toEqual([1, 1, 2, 2]);
    const ahead = schedule({ spec: delay }, { plannedUntil: NOW + 5 * MINUTE_MS });
    expect(counted([ahead]).counts).toEqual([0, 2, 1, 2]);
    const window = { startsAt: null, endsAt: NOW + 25 * MINUTE_MS };
    expect(counted([schedule({ spec: delay, window })]).counts).toEqual([1, 1, 0, 0]);
    const day = { from: NOW, bucketMs: DAY_MS, buckets: 2 };
    expect(
      counted([schedule({ spec: { ...delay, afterMs: 8 * HOUR_MS }, exclude: ["2026-11-29"] })], day).counts,
    ).toEqual([1, 2]);
  });

  test("the instants ahead are cut at 200 schedules, at 2,000 of each, and at 10,000 of all, and the answer says so", () => {
    const hourly = schedule({ spec: { kind: "every", everyMs: HOUR_MS, anchorAt: NOW } });
    expect(counted(Array.from({ length: MAX_SCHEDULES_AHEAD }, () => hourly))).toEqual({
      counts: [0, 0, 0, MAX_SCHEDULES_AHEAD],
      isCut: false,
    });
    expect(counted(Array.from({ length: MAX_SCHEDULES_AHEAD + 1 }, () => hourly))).toEqual({
      counts: [0, 0, 0, MAX_SCHEDULES_AHEAD],
      isCut: true,
    });
    const each = { from: NOW, bucketMs: MAX_INSTANTS_OF_SCHEDULE * SECOND_MS, buckets: 1 };
    const secondly = schedule({ spec: { kind: "every", everyMs: SECOND_MS, anchorAt: NOW } });
    expect(counted([secondly], each)).toEqual({ counts: [MAX_INSTANTS_OF_SCHEDULE], isCut: false });
    expect(counted([secondly], { ...each, buckets: 2 })).toEqual({
      counts: [MAX_INSTANTS_OF_SCHEDULE - 1, 1],
      isCut: true,
    });
    const many = MAX_INSTANTS_AHEAD / MAX_INSTANTS_OF_SCHEDULE;
    expect(
      counted(
        Array.from({ length: many + 1 }, () => secondly),
        each,
      ),
    ).toEqual({
      counts: [MAX_INSTANTS_AHEAD],
      isCut: true,
    });
  });
});
