import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { dayBefore, dayIn } from "./calendar-days.js";

const DAY_MS = 86_400_000;

/** All zones whose clocks can be told: since 2012 none has gone back over a midnight that it had shown. */
const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
const days = fc
  .integer({ min: Date.UTC(2012, 0, 1) / DAY_MS, max: Date.UTC(2037, 11, 31) / DAY_MS })
  .map((day) => day * DAY_MS);

function dateOf(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}

/** What Intl says, which is asked for the date itself here and for offsets there. */
function dateShownIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
}

test("days in a row have no gap and no overlap, in any zone", () => {
  fc.assert(
    fc.property(zones, days, (timeZone, first) => {
      const row = Array.from({ length: 40 }, (_, index) => dayIn(timeZone, dateOf(first + index * DAY_MS)));
      expect(row.slice(1).map(({ from }) => from)).toEqual(row.slice(0, -1).map(({ to }) => to));
      expect(row.filter(({ from, to }) => from >= to)).toEqual([]);
    }),
  );
});

test("each instant is in the day that Intl says, in any zone", () => {
  fc.assert(
    fc.property(zones, days, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (timeZone, day, place) => {
      const date = dateOf(day);
      const { from, to } = dayIn(timeZone, date);
      const instants = [from, from + Math.floor(place * (to - from)), to - 1];
      expect(instants.map((at) => dateShownIn(timeZone, at))).toEqual([date, date, date]);
      expect([from - 1, to].map((at) => dateShownIn(timeZone, at))).toEqual(
        [-1, 1].map((n) => dateOf(day + n * DAY_MS)),
      );
    }),
    { numRuns: 300 },
  );
});

test("the day before an instant is that of the date before, and ends where the instant's day begins", () => {
  fc.assert(
    fc.property(zones, days, fc.nat(DAY_MS - 1), (timeZone, day, place) => {
      const at = day + place;
      const today = dateShownIn(timeZone, at);
      const before = dayBefore(timeZone, new Date(at));
      expect(before).toEqual(dayIn(timeZone, dateOf(Date.parse(today) - DAY_MS)));
      expect(before.to).toBe(dayIn(timeZone, today).from);
    }),
  );
});
