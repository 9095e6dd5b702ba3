import { expect, test } from "@jest/globals";
import { isoInstant } from "./iso-instant.js";

test("instants are written as Date writes them", () => {
  const instants = [0, 1, 999, 86_399_999, 86_400_000, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(9_999, 11, 31)];
  // Odd multiples of a prime walk through all hours, minutes, seconds and milliseconds; more days than are kept.
  for (let step = 0; step < 10_000; step++) instants.push(step * 86_028_121);
  for (const at of instants) expect(isoInstant(at)).toBe(new Date(at).toISOString());
  for (const at of [-1, -86_400_000, -62_198_755_200_000, 8.64e15])
    expect(isoInstant(at)).toBe(new Date(at).toISOString());
});

test("a text that is no instant is refused, as by Date", () => {
  expect(() => isoInstant(Number.NaN)).toThrow(RangeError);
  expect(() => isoInstant(8.64e15 + 86_400_000)).toThrow(RangeError);
});
