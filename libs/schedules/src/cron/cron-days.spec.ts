import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { Cron } from "croner";
import { type CronDays, cronDays } from "./cron-days.js";

const DAY_MS = 86_400_000;
const FIRST_DAY = 0;
const LAST_DAY = 73_000;

afterEach(() => {
  jest.restoreAllMocks();
});

function forward(days: CronDays): number[] {
  const found: number[] = [];
  for (let day = days.next(FIRST_DAY - 1); day !== null; day = days.next(day)) found.push(day);
  return found;
}

function backward(days: CronDays): number[] {
  const found: number[] = [];
  for (let day = days.previous(LAST_DAY + 1); day !== null; day = days.previous(day)) found.push(day);
  return found.reverse();
}

/** As croner names them, from a reading of its own. */
function named(pattern: string): number[] {
  const cron = new Cron(`0 0 0 ${pattern}`, { utcOffset: 0, paused: true, mode: "6-part" });
  const found: number[] = [];
  for (let at = cron.nextRun(new Date(-DAY_MS)); at !== null; at = cron.nextRun(at)) {
    if (at.getTime() / DAY_MS > LAST_DAY) break;
    found.push(at.getTime() / DAY_MS);
  }
  return found;
}

describe("the days of an expression", () => {
  test.each(["L * *", "31 1,3 *", "29 2 *", "29 2 1", "13 * *"])(
    "the days of the cron expression %s are those that croner names, forward and backward",
    (pattern) => {
      const days = named(pattern);
      // The one that is asked last finds what the other has remembered.
      expect(forward(cronDays(pattern))).toEqual(days);
      expect(backward(cronDays(pattern))).toEqual(days);
      expect(backward(cronDays(` ${pattern}`))).toEqual(days);
      expect(forward(cronDays(` ${pattern}`))).toEqual(days);
    },
  );

  test("the days of a cron expression are looked up once, however many there are", () => {
    const nextRun = jest.spyOn(Cron.prototype, "nextRun");
    const found = forward(cronDays("2 * *"));
    expect(found).toHaveLength(2_399);
    expect(nextRun.mock.calls.length).toBeLessThanOrEqual(2 * found.length);
    nextRun.mockClear();
    expect(forward(cronDays("2 * *"))).toEqual(found);
    expect(backward(cronDays("2 * *"))).toEqual(found);
    expect(nextRun).not.toHaveBeenCalled();
  });

  test("days of a cron expression that never come are asked for once", () => {
    const nextRun = jest.spyOn(Cron.prototype, "nextRun");
    expect([1, 500, 70_000].map((day) => cronDays("30 2 *").next(day))).toEqual([null, null, null]);
    expect(nextRun).toHaveBeenCalledTimes(1);
  });
});
