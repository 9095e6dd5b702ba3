import { expect, test } from "@jest/globals";
import {
  axisCount,
  axisDuration,
  axisRate,
  countRange,
  countTicks,
  isDecade,
  labelled,
  latenessRange,
  loneIndexes,
  withoutRepeats,
  tickText,
} from "./scales.js";

test.each([
  [null, 1],
  [0, 1],
  [1, 1],
  [3, 5],
  [5, 5],
  [73, 100],
  [1_200, 2_000],
])("an axis of counts up to %j ends at %d", (most, end) => {
  expect(countRange(most)).toEqual([0, end]);
  expect(countTicks([0, end])).toEqual([0, end / 2, end]);
});

test("an axis of lateness has whole decades, at least from 1 ms to 100 ms", () => {
  expect(latenessRange(null, null)).toEqual([1, 100]);
  expect(latenessRange(0.3, 7_100)).toEqual([0.1, 10_000]);
});

test("a decade is a power of ten", () => {
  expect([0.1, 1, 1000, 5, null, 0].map(isDecade)).toEqual([true, true, true, false, false, false]);
});

test("a tick of a time axis says the time within a day, else the date", () => {
  expect(tickText("2026-11-21 09:05:00.123", 3_600)).toBe("09:05");
  expect(tickText("2026-11-21 09:05:00.123", 7 * 86_400)).toBe("11-21");
});

test("events along a time axis are named as far as there is room", () => {
  const [one, two, three] = [0, 10, 60].map((x) => ({ at: x, text: "", x, widthPx: 30 })) as [never, never, never];
  expect([...labelled([three, two, one], 100)]).toEqual([one, three]);
  expect([...labelled([three], 80)]).toEqual([]);
});

test("a value of a chart between two gaps stands alone", () => {
  expect(loneIndexes([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(loneIndexes([7])).toEqual([0]);
});

test("labels of an axis are short enough for its room, whatever they tell", () => {
  expect([0, 0.5, 2_500, 12_500, 5_000_000].map(axisCount)).toEqual(["0", "0.5", "2,500", "12.5K", "5M"]);
  expect([0, 0.005, 50, 100_000].map(axisRate)).toEqual(["0 /s", "0.005 /s", "50 /s", "100K /s"]);
  const decades = Array.from({ length: 10 }, (_, power) => axisDuration(10 ** power));
  expect(decades).toEqual([
    "1 ms",
    "10 ms",
    "100 ms",
    "1 s",
    "10 s",
    "1.7 min",
    "16.7 min",
    "2.8 h",
    "1.2 d",
    "11.6 d",
  ]);
  for (const text of decades) expect(text.length).toBeLessThanOrEqual(8);
});

test("a day is named once beside an axis", () => {
  expect(withoutRepeats(["11-22", "11-22", "11-23"])).toEqual(["11-22", "", "11-23"]);
});
