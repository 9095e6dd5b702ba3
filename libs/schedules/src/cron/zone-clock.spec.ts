import { describe, expect, test } from "@jest/globals";
import { CronInstants } from "./cron-instants.js";
import { RecentCache } from "./recent-cache.js";
import { isTimeZone, ZoneClock } from "./zone-clock.js";

describe("the clock of a zone", () => {
  const berlin = new ZoneClock("Europe/Berlin");

  test("the clock of a zone shows a wall time once, twice in a fold, never in a gap", () => {
    expect(berlin.instantsOf(Date.UTC(2024, 6, 1, 12))).toEqual([Date.UTC(2024, 6, 1, 10)]);
    expect(berlin.instantsOf(Date.UTC(2024, 9, 27, 2, 30))).toEqual([
      Date.UTC(2024, 9, 27, 0, 30),
      Date.UTC(2024, 9, 27, 1, 30),
    ]);
    expect(berlin.instantsOf(Date.UTC(2024, 2, 31, 2, 30))).toEqual([]);
  });

  test("the clock of a zone knows the first moment that shows a wall time or a later one", () => {
    expect(berlin.firstFrom(Date.UTC(2024, 2, 31, 2, 30))).toBe(Date.UTC(2024, 2, 31, 1));
    expect(berlin.firstFrom(Date.UTC(2024, 9, 27, 2, 30))).toBe(Date.UTC(2024, 9, 27, 0, 30));
    const saoPaulo = new ZoneClock("America/Sao_Paulo");
    expect(saoPaulo.firstFrom(Date.UTC(2018, 10, 4))).toBe(Date.UTC(2018, 10, 4, 3));
  });

  test("the clock of a zone changes to the second where the rules say so", () => {
    const change = Date.UTC(2024, 9, 27, 1);
    expect(berlin.periodAt(change - 1)).toMatchObject({ until: change, offsetMs: 7_200_000 });
    expect(berlin.periodAt(change)).toMatchObject({ from: change, offsetMs: 3_600_000 });
  });

  test("the clock of a zone may change by half an hour, or lie a quarter of an hour off", () => {
    expect(new ZoneClock("Australia/Lord_Howe").wallAt(Date.UTC(2024, 6, 1))).toBe(Date.UTC(2024, 6, 1, 10, 30));
    expect(new ZoneClock("Asia/Kathmandu").wallAt(0)).toBe(5.5 * 3_600_000);
  });

  test("the clock of a zone gives a day that the zone left out the first moment after it", () => {
    const apia = new CronInstants({ cron: "0 12 30 12 *", timeZone: "Pacific/Apia", gap: "shift", fold: "first" });
    expect(apia.next(Date.UTC(2011, 11, 1))).toBe(Date.UTC(2011, 11, 30, 10));
  });
});

describe("a time zone", () => {
  test.each(["Europe/Berlin", "UTC", "asia/kathmandu", "US/Eastern", "America/Argentina/Buenos_Aires"])(
    "a time zone may be %s",
    (name) => expect(isTimeZone(name)).toBe(true),
  );

  test.each(["+05:30", "Europe/Atlantis", "", "GMT+2; drop", "x".repeat(1_000), null, 7])(
    "a time zone is not %j",
    (name) => expect(isTimeZone(name)).toBe(false),
  );
});

describe("what was used last", () => {
  test("RecentCache keeps what was used last, and no more than was allowed", () => {
    const made: string[] = [];
    const cache = new RecentCache(2, (key) => made.push(key));
    for (const key of ["a", "b", "a", "c", "a", "b"]) cache.get(key);
    expect(made).toEqual(["a", "b", "c", "b"]);
  });
});
