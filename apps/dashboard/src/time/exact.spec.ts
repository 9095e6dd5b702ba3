import { expect, test } from "@jest/globals";
import { durationInput, exactDuration, zonedText } from "./exact.js";

test.each([
  [900_000, "15 min", "15m"],
  [5_400_000, "1 h 30 min", "1h30m"],
  [90_061_250, "1 d 1 h 1 min 1 s 250 ms", "1d1h1m1s250ms"],
  [0, "0 s", "0s"],
])("a duration of %d ms is told whole, and as the API takes it", (lengthMs, told, sent) => {
  expect([exactDuration(lengthMs), durationInput(lengthMs)]).toEqual([told, sent]);
});

test("an instant is told by the clock of its zone, with those parts of its date that do not go without saying", () => {
  const now = Date.UTC(2026, 10, 23);
  expect(zonedText(Date.UTC(2026, 10, 24, 2, 30), "Europe/Berlin", now)).toBe("Tue 24 Nov 03:30");
  expect(zonedText(Date.UTC(2026, 8, 24, 0, 0, 5), "UTC", now)).toBe("Thu 24 Sep 00:00:05");
  expect(zonedText(Date.UTC(2027, 2, 28, 1), "Europe/Berlin", now)).toBe("Sun 28 Mar 2027 03:00");
  expect(zonedText(Date.UTC(2026, 10, 24, 2, 30), "Moon/Crater", now)).toBe("Tue 24 Nov 02:30");
});
