import { describe, expect, test } from "@jest/globals";
import { CronInstants } from "./cron-instants.js";
import { cronDays } from "./cron-days.js";
import { parseCron } from "./cron-fields.js";

function datesOf(cron: string, count: number, from = Date.UTC(2026, 0, 1)): string[] {
  const instants = new CronInstants({ cron, timeZone: "UTC", gap: "shift", fold: "first" });
  const found: string[] = [];
  for (let at = instants.next(from - 1); at !== null && found.length < count; at = instants.next(at))
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
}

describe("a cron expression", () => {
  test.each([
    ["7 fields", "0 0 0 1 1 * 2030", "must be 5 fields"],
    ["4 fields", "0 0 1 1", "must be 5 fields"],
    ["nothing", " ", "must be 5 fields"],
    ["a nickname", "@daily", "for @daily write 0 0 * * *"],
    ["an ISO date", "2030-01-23T00:00:00", "must be 5 fields"],
    ["more than 256 characters", `${"1,".repeat(128)}1 * * * *`, "at most 256 characters"],
    ["a plus", "0 0 29 2 +MON", "day of week field (item 1): it is not understood"],
    ["a step after a single value", "5/15 * * * *", "must have its step after * or a range"],
    ["a range from high to low", "0 22-2 * * *", "hour field (item 1): it must go from low to high"],
    ["the nth of a range of weekdays", "0 0 * * 1-5#2", "is not understood"],
    ["a sixth week", "0 0 * * MON#6", "is not understood"],
    ["a step of 0", "*/0 * * * *", "must have a step of 1 to 59"],
    ["a step above the field", "0 */25 * * *", "must have a step of 1 to 23"],
    ["a minute of 60", "60 * * * *", "minute field (item 1): it must be 0 to 59"],
    ["a day 0", "0 0 0 * *", "day of month field (item 1): it must be 1 to 31"],
    ["an unknown name", "0 0 * FOO *", "month field (item 1): it must be 1 to 12, or JAN to DEC"],
    ["a long name", "0 0 * * MONDAY", "must be 0 to 7, or SUN to SAT"],
    ["a question mark for the hour", "0 ? * * *", "is not understood"],
    ["an empty item", "0,,1 * * * *", "minute field (item 2)"],
    ["32W", "0 0 32W * *", "day of month"],
    ["an L in a range", "0 0 1-L * *", "day of month"],
  ])("a cron expression of %s is refused, and the message says why", (_what, cron, message) => {
    const { fields, faults } = parseCron(cron);
    expect(fields).toBeNull();
    expect(faults.join("; ")).toContain(message);
  });

  test("the refusal of a cron expression tells every fault, and never what was given", () => {
    const { faults } = parseCron("61 24,secret 0 13 8");
    expect(faults).toHaveLength(6);
    expect(faults.join()).not.toMatch(/secret/i);
  });

  test.each([
    ["0 0 L * *", ["2026-01-31T00:00", "2026-02-28T00:00"]],
    ["0 0 LW * *", ["2026-01-30T00:00", "2026-02-27T00:00"]],
    ["0 0 31W * *", ["2026-01-30T00:00", "2026-03-31T00:00"]],
    ["0 0 1W 8 ?", ["2026-08-03T00:00", "2027-08-02T00:00"]],
    ["0 0 * * FRIL", ["2026-01-30T00:00", "2026-02-27T00:00"]],
    ["0 0 * * 5#2", ["2026-01-09T00:00", "2026-02-13T00:00"]],
    ["0 0 ? * MON#1,MON#3", ["2026-01-05T00:00", "2026-01-19T00:00", "2026-02-02T00:00"]],
    ["0 0 1,L * *", ["2026-01-01T00:00", "2026-01-31T00:00", "2026-02-01T00:00"]],
    ["0 0 * * 7", ["2026-01-04T00:00", "2026-01-11T00:00"]],
    ["0 0 * * 7L", ["2026-01-25T00:00", "2026-02-22T00:00"]],
    ["0 0 * * fri-sun", ["2026-01-02T00:00", "2026-01-03T00:00", "2026-01-04T00:00", "2026-01-09T00:00"]],
    ["0\t0  1 feb-mar *", ["2026-02-01T00:00", "2026-03-01T00:00"]],
    ["0 0 29 2 *", ["2028-02-29T00:00"]],
  ])("the cron expression %s comes on the days that it names", (cron, dates) => {
    expect(datesOf(cron, dates.length)).toEqual(dates);
  });

  test("a cron expression restricted in both day fields comes on either", () => {
    expect(datesOf("0 0 13 * FRI", 4)).toEqual([
      "2026-01-02T00:00",
      "2026-01-09T00:00",
      "2026-01-13T00:00",
      "2026-01-16T00:00",
    ]);
    // A step restricts: with it, each Monday counts beside the odd days.
    expect(datesOf("0 0 */2 * 1", 5).map((date) => date.slice(8, 10))).toEqual(["01", "03", "05", "07", "09"]);
    expect(datesOf("0 0 */2 * 1", 7).at(-1)).toBe("2026-01-12T00:00");
  });

  test.each([
    ["0 2 * * *", true],
    ["*/30 2 * * *", true],
    ["* 2 * * *", true],
    ["0 1-5 * * *", true],
    ["0 * * * *", false],
    ["0 */2 * * *", false],
    ["0 2,*/6 * * *", false],
    ["0 0-23 * * *", false],
  ])("the cron expression %s has fixed hours: %s", (cron, isFixed) => {
    expect(parseCron(cron).fields?.isFixed).toBe(isFixed);
  });

  test("a cron expression that never comes ends in null", () => {
    expect(datesOf("0 0 30 2 *", 1)).toEqual([]);
    expect(datesOf("0 0 31 4,6,9,11 *", 1)).toEqual([]);
  });
});

test("lists of special days in a cron expression are taken by the calendar, or refused with their field", () => {
  const days = ["1", "31", "L", "LW", "15W", "1-5", "*/7", "*"];
  const weekdays = ["1", "5L", "7L", "1#2", "7#5", "SUN", "*"];
  const lists = (items: string[]): string[] => items.flatMap((one) => items.map((other) => `${one},${other}`));
  const expressions = [
    ...lists(days).map((list) => `0 0 ${list} * *`),
    ...lists(weekdays).map((list) => `0 0 * * ${list}`),
  ];
  for (const expression of expressions) {
    const { fields } = parseCron(expression);
    if (fields) expect(cronDays(fields.days).next(0)).toBeGreaterThan(0);
  }
  expect(parseCron("0 0 1,LW * *").faults).toEqual(["has a fault in its day of month field: LW must stand alone"]);
  expect(parseCron("0 0 LW * *").faults).toEqual([]);
});
