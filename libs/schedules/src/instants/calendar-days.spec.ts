import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { dayBefore, dayIn } from "./calendar-days.js";

const HOUR_MS = 3_600_000;

describe("a day in a zone", () => {
  test.each([
    ["Europe/Berlin 2026-01-15", "2026-01-14T23:00:00Z", 24],
    ["Europe/Berlin 2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin 2026-10-25", "2026-10-24T22:00:00Z", 25],
    ["America/New_York 2026-03-08", "2026-03-08T05:00:00Z", 23],
    ["Australia/Lord_Howe 2026-04-05", "2026-04-04T13:00:00Z", 24.5],
    ["Asia/Kathmandu 2026-05-01", "2026-04-30T18:15:00Z", 24],
    ["UTC 2028-02-29", "2028-02-29T00:00:00Z", 24],
    // Its midnight is skipped: the day begins at one o'clock.
    ["America/Sao_Paulo 2018-11-04", "2018-11-04T03:00:00Z", 23],
    ["Asia/Beirut 2026-03-29", "2026-03-28T22:00:00Z", 23],
    // Midnight comes twice: the day begins at the first one.
    ["America/Havana 2026-11-01", "2026-11-01T04:00:00Z", 25],
    // The clock goes back at midnight to 23:00: the day before is the longer one.
    ["America/Sao_Paulo 2018-02-17", "2018-02-17T02:00:00Z", 25],
    ["America/Sao_Paulo 2018-02-18", "2018-02-18T03:00:00Z", 24],
    // The clock goes back at 00:01 to 23:01 the day before: what follows stays in the day that has begun.
    ["America/St_Johns 2010-11-06", "2010-11-06T02:30:00Z", 24],
    ["America/St_Johns 2010-11-07", "2010-11-07T02:30:00Z", 25],
    // The zone left it out.
    ["Pacific/Apia 2011-12-30", "2011-12-30T10:00:00Z", 0],
    ["Pacific/Apia 2011-12-31", "2011-12-30T10:00:00Z", 24],
  ])("the day %s begins at %s and has %d hours", (name, from, hours) => {
    const [timeZone, date] = name.split(" ") as [string, string];
    const day = dayIn(timeZone, date);
    expect([new Date(day.from).toJSON(), (day.to - day.from) / HOUR_MS]).toEqual([from.replace("Z", ".000Z"), hours]);
  });

  test("a day in a zone may be the first or the last that is known", () => {
    expect(dayIn("Asia/Tokyo", "1970-01-01").from).toBe(-9 * HOUR_MS);
    expect(dayIn("UTC", "2169-12-31").to).toBe(Date.UTC(2170, 0, 1));
  });
});

describe("the day before", () => {
  test("the day before an instant is yesterday in the zone, not in UTC", () => {
    const at = Date.parse("2026-03-29T22:30:00Z");
    expect(dayBefore("Europe/Berlin", at)).toEqual(dayIn("Europe/Berlin", "2026-03-29"));
    expect(dayBefore("UTC", new Date(at))).toEqual(dayIn("UTC", "2026-03-28"));
  });

  test("the day before an instant passes over a day that the zone left out, so that a call a day misses none", () => {
    expect(dayBefore("Pacific/Apia", Date.parse("2011-12-31T12:00:00Z"))).toEqual(dayIn("Pacific/Apia", "2011-12-31"));
    expect(dayBefore("Pacific/Apia", Date.parse("2011-12-30T12:00:00Z"))).toEqual(dayIn("Pacific/Apia", "2011-12-29"));
  });

  test("the day before an instant is the same for the hour that comes again behind a midnight", () => {
    const again = Date.parse("2010-11-07T03:00:00Z");
    expect(dayBefore("America/St_Johns", again)).toEqual(dayIn("America/St_Johns", "2010-11-06"));
  });
});

describe("one error names every fault", () => {
  test.each<[string, () => unknown, string[]]>([
    ["an offset", () => dayIn("+02:00", "2026-01-01"), ["timeZone"]],
    ["no zone and no day of the calendar", () => dayIn("Europe/Atlantis", "2026-02-30"), ["timeZone", "date"]],
    ["an instant for a date", () => dayIn("UTC", "2026-01-01T00:00:00Z"), ["date"]],
    ["a day too early", () => dayIn("UTC", "1969-12-31"), ["date"]],
    ["a day too late", () => dayIn("UTC", "2170-01-01"), ["date"]],
    ["no date", () => dayIn("UTC", undefined as never), ["date"]],
    ["no instant", () => dayBefore("UTC", undefined as never), ["instant"]],
    ["a Date that is none", () => dayBefore("", new Date("?")), ["timeZone", "instant"]],
    ["half a millisecond", () => dayBefore("UTC", 1e12 + 0.5), ["instant"]],
    ["an instant too early", () => dayBefore("UTC", 86_400_000), ["instant"]],
    ["seconds with a fault of a thousand", () => dayBefore("UTC", 1e15), ["instant"]],
  ])("one error names every fault: %s", (_what, call, paths) => {
    expect(call).toThrow(TickwheelError);
    expect(call).toThrow(
      expect.objectContaining({
        code: "VALIDATION_FAILED",
        faults: paths.map((path) => ({ path, message: expect.any(String) })),
      }),
    );
  });
});
