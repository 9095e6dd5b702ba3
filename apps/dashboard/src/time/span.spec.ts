import { expect, test } from "@jest/globals";
import { rangeOf, spanOf, spanText, type Side } from "./span.js";

const now = Date.parse("2026-11-24T12:00:00.000Z");
const range = (text: string, side: Side) => rangeOf(spanOf(text)!, { side, now });

test.each([
  ["<1h", "ahead", { to: "2026-11-24T13:00:00.000Z" }],
  [">1h30m", "ahead", { from: "2026-11-24T13:30:00.000Z" }],
  ["<1d", "back", { from: "2026-11-23T12:00:00.000Z" }],
  [">10s", "back", { to: "2026-11-24T11:59:50.000Z" }],
  ["2026-11-01..2026-11-02", "ahead", { from: "2026-11-01T00:00:00.000Z", to: "2026-11-02T00:00:00.000Z" }],
  ["2026-11-01T09:00+01:00..", "back", { from: "2026-11-01T08:00:00.000Z" }],
  ["..2026-11-01T09:00:00.5Z", "back", { to: "2026-11-01T09:00:00.500Z" }],
] as const)("%s, %s, is the range %j", (text, side, ends) => {
  expect(range(text, side)).toEqual(ends);
});

test.each(["", "1h", "<", "<0s", "<1w", "<99999d", "..", "2026-13-01..", "2026-11-02..2026-11-01", "a..b", "a..b..c"])(
  "%j is no stretch of time",
  (text) => {
    expect(spanOf(text)).toBeNull();
  },
);

test("a stretch is told in words", () => {
  expect(spanText("<24h", "back")).toBe("last 1 d");
  expect(spanText("<1h", "ahead")).toBe("within 1 h");
  expect(spanText(">2d", "back")).toBe("more than 2 d ago");
  expect(spanText(">2d", "ahead")).toBe("in more than 2 d");
  expect(spanText("2026-11-01..2026-11-08", "back")).toBe("from 2026-11-01 to 2026-11-08");
  expect(spanText("..2026-11-08", "back")).toBe("to 2026-11-08");
});
