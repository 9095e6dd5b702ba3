import { describe, expect, test } from "@jest/globals";
import { DEFAULT_POLICIES } from "../definition/schedule.js";
import { checkSchedule, readSchedule, type ScheduleInput } from "./schedule-input.js";

const NOW = Date.UTC(2026, 10, 21, 8);
const check = (input: ScheduleInput): ReturnType<typeof checkSchedule> =>
  checkSchedule(input, { id: "s", createdAt: NOW, now: NOW });
const paths = (input: ScheduleInput): string[] => check(input).faults.map(({ path }) => path);

describe("a schedule as it is given", () => {
  test("the input of a schedule is read with the defaults", () => {
    expect(check({ cron: "0 3 * * *", timeZone: "Europe/Berlin", jitter: null })).toEqual({
      faults: [],
      definition: {
        id: "s",
        createdAt: NOW,
        spec: { kind: "cron", cron: "0 3 * * *" },
        timeZone: "Europe/Berlin",
        window: { startsAt: null, endsAt: null },
        exclude: [],
        policies: DEFAULT_POLICIES,
      },
    });
  });

  test("the input of a schedule is read with all that it says", () => {
    const { definition } = check({
      every: "1m",
      startsAt: NOW + 7,
      misfire: "all",
      limit: 3,
      jitter: "2s",
      catchUpLimit: "6h",
    });
    expect(definition?.spec).toEqual({ kind: "every", everyMs: 60_000, anchorAt: NOW + 7 });
    expect(definition?.policies).toMatchObject({
      misfire: { kind: "all", limit: 3 },
      jitterMs: 2_000,
      catchUpLimitMs: 21_600_000,
    });
    expect(check({ every: 1_000, anchor: 5 }).definition?.spec).toMatchObject({ anchorAt: 5 });
    expect(check({ every: 1_000 }).definition?.spec).toMatchObject({ anchorAt: NOW });
  });

  test("the refusal of a schedule's input tells every fault by its path", () => {
    const faulty = {
      cron: "0 24 * * *",
      timeZone: "+05:30",
      misfire: "none",
      overlap: 3,
      jitter: "soon",
      pauseAfterFailures: 0,
    };
    expect(paths(faulty).sort()).toEqual(Object.keys(faulty).sort());
    expect(paths({ every: "1m", exclude: ["2026-02-30", "2026-12-24", 7] })).toEqual(["exclude[0]", "exclude[2]"]);
  });

  test.each<[string, ScheduleInput, string]>([
    ["no spec", {}, ""],
    ["two specs", { cron: "* * * * *", every: "1m" }, ""],
    ["a rate below a second", { every: 999 }, "every"],
    ["a rate of fractions of a millisecond", { every: 1_000.5 }, "every"],
    ["an anchor without a rate", { cron: "* * * * *", anchor: 0 }, "anchor"],
    ["a zone that nothing needs", { every: "1m", timeZone: "Europe/Berlin" }, "timeZone"],
    ["a zone for no excluded day", { every: "1m", timeZone: "Europe/Berlin", exclude: [] }, "timeZone"],
    ["a fold without a clock", { after: "1m", fold: "both" }, "fold"],
    ["a gap without a clock", { every: "1m", gap: "skip" }, "gap"],
    ["a limit without misfire all", { every: "1m", limit: 5 }, "limit"],
    ["a fixed delay that may overlap", { after: "1m", overlap: "allow" }, "overlap"],
    ["a fixed delay with a buffer", { after: "1m", overlap: "buffer" }, "overlap"],
    ["a fixed delay with a misfire policy", { after: "1m", misfire: "skip" }, "misfire"],
    ["a window that ends as it starts", { every: "1m", startsAt: NOW, endsAt: NOW }, "endsAt"],
    ["a window that lies behind", { every: "1m", endsAt: NOW - 1 }, "endsAt"],
    ["a window between two instants", { cron: "0 0 1 1 *", startsAt: NOW, endsAt: NOW + 86_400_000 }, "endsAt"],
    ["an expression that never comes", { cron: "0 0 30 2 *" }, "cron"],
    ["one that comes in 2044", { cron: "0 0 * 2 MON#5" }, "cron"],
    [
      "a day that is excluded each year",
      { cron: "0 0 25 12 *", exclude: [2026, 2027, 2028, 2029, 2030].map((y) => `${y}-12-25`) },
      "exclude",
    ],
    [
      "more days than may be excluded",
      { every: "1m", exclude: Array.from({ length: 1_001 }, () => "2026-12-24") },
      "exclude",
    ],
  ])("the input of a schedule is refused with %s", (_what, input, path) => {
    expect(paths(input)).toEqual([path]);
    expect(check(input).definition).toBeNull();
  });

  test("a schedule may come on leap days only, and may exclude days in a zone whatever its spec", () => {
    expect(paths({ cron: "0 0 29 2 *" })).toEqual([]);
    expect(paths({ every: "1s", timeZone: "Europe/Berlin", exclude: ["2026-11-21"] })).toEqual([]);
  });

  test("the input of a schedule may say what holds anyway, also where it does not go with the rest", () => {
    const standard = { timeZone: "UTC", exclude: [], misfire: "last", overlap: "skip", gap: "shift", fold: "first" };
    for (const spec of [{ cron: "0 3 * * *" }, { every: "1m" }, { after: "1m" }])
      expect(check({ ...spec, ...standard, limit: null, anchor: null })).toEqual(check(spec));
  });

  test("the input of a schedule is read whatever the time is, where nobody asks whether the schedule comes", () => {
    const past = { every: "1m", endsAt: NOW - 1 };
    expect(readSchedule(past, { id: "s", createdAt: NOW - 9 })).toMatchObject({
      faults: [],
      definition: { window: { endsAt: NOW - 1 } },
    });
    expect(readSchedule({ ...past, fold: "both" }, { id: "s", createdAt: 0 }).definition).toBeNull();
  });

  test("the input of a schedule is never printed", () => {
    const { faults } = check({ cron: "secret", timeZone: "secret", every: "secret", exclude: ["secret"] });
    expect(JSON.stringify(faults)).not.toContain("secret");
  });
});
