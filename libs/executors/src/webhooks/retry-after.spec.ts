import { describe, expect, test } from "@jest/globals";
import { parseRetryAfterMs } from "./retry-after.js";

/** Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110. */
const EXAMPLE_MS = Date.UTC(1994, 10, 6, 8, 49, 37);
const nowMs = EXAMPLE_MS - 5_000;

describe("parseRetryAfterMs", () => {
  test.each([
    ["120", 120_000],
    [" 7 ", 7_000],
    ["9".repeat(400), 86_400_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 5_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 5_000],
    ["Sun Nov  6 08:49:37 1994", 5_000],
    ["Sun Nov 06 08:49:37 1994", 5_000],
    ["Sun, 06 Nov 1994 08:49:60 GMT", 28_000],
    ["Fri, 06 Nov 2594 08:49:37 GMT", 86_400_000],
  ])("the Retry-After %p is a wait", (header, expected) => {
    expect(parseRetryAfterMs(header, nowMs)).toBe(expected);
  });

  test.each([
    null,
    "",
    "0",
    "-5",
    "+5000",
    "3600.5",
    "1e3",
    "0x10",
    "HTTP 3000",
    "tomorrow",
    "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 08:49:37 +0100",
    "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:31 GMT",
    "Sun Nov  6 08:49:37 1994 CET",
  ])("the Retry-After %p is as if absent", (header) => {
    expect(parseRetryAfterMs(header, nowMs)).toBeNull();
  });

  test("a year of two digits in Retry-After is at most 50 years ahead", () => {
    const in2026Ms = Date.UTC(2026, 0, 1);
    expect(parseRetryAfterMs("Thursday, 01-Jan-26 00:00:09 GMT", in2026Ms)).toBe(9_000);
    expect(parseRetryAfterMs("Wednesday, 01-Jan-76 00:00:00 GMT", in2026Ms)).toBe(86_400_000);
    expect(parseRetryAfterMs("Saturday, 01-Jan-77 00:00:00 GMT", in2026Ms)).toBeNull();
  });
});
