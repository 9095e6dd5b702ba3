import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { countSteps } from "../../test-support/regex-steps.js";
import { printOf } from "./error-print.js";
import { PRINT_RULE_TABLE } from "./print-rules.js";

/**
 * The length of the texts whose steps are counted: a work that grows faster than the square is seen long before 1,000.
 */
const LENGTH = 250;

/** What the rules are about, and what may confuse them. */
const PARTS = [
  "Error: ",
  "HttpError",
  "HTTP/1.1",
  "HTTP",
  "Http",
  "status ",
  "answered ",
  "exit code ",
  "E11000",
  "ORA-00060",
  "503",
  "1",
  "1.5",
  "0x1f",
  "abcdef12",
  "a1",
  "10.0.0.1:80",
  "::1",
  ":",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  "<",
  ">",
  "https://u:p@h.Example:1/a/9?q",
  "http://",
  "a@b.co",
  "@",
  ".",
  "-",
  "_",
  "/",
  "./",
  "../",
  "C:\\",
  "\\",
  "#",
  "'",
  '"',
  "`",
  "“",
  "”",
  ",",
  "; ",
  "and ",
  "'…'",
  "=",
  "2026-11-24",
  "T",
  "01:02:03",
  "Z",
  " ",
  "\t",
  "é",
  "😀",
  "\u0000",
  "\u0001",
  "\ufdd0",
  "\ue000",
  "\u001b[31m",
  "\u001b[",
  "\ud83d",
  "\n",
  "\r",
  "x",
  "its nodes died",
  "\n    at ",
  "async ",
  "Object.",
  "<anonymous>",
  " [as ",
  " (",
  "node:fs",
  "/node_modules/",
  "eval at ",
];
const ofParts = (maxLength: number) =>
  fc.array(fc.constantFrom(...PARTS), { maxLength }).map((parts) => parts.join(""));
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  ofParts(40),
  fc.tuple(ofParts(4), fc.nat(2_000)).map(([text, times]) => text.repeat(times).slice(0, 4_096)),
);

test("any error's text has a print, and a title and a place within their bounds", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const { title, place, print } = printOf(text);
      expect([title.length <= 200, place.length <= 200]).toEqual([true, true]);
      expect(title).not.toMatch(/[\n\ufdd0]|^\s/);
      expect(Number.isInteger(print) && print >= 0 && print < 2 ** 48).toBe(true);
      expect(printOf(text)).toEqual({ title, place, print });
    }),
    { numRuns: 1_000 },
  );
});

test("the steps of an error print's rule are counted for what the rule really finds", () => {
  fc.assert(
    fc.property(ofParts(12), (text) => {
      for (const { what } of PRINT_RULE_TABLE) {
        const found = [...text.matchAll(new RegExp(what, `${what.flags.replace("g", "")}g`))];
        const matches = found.map((match) => [match.index, match.index + match[0].length]);
        expect(countSteps(what, text).matches).toEqual(what.global ? matches : matches.slice(0, 1));
      }
    }),
    { numRuns: 200 },
  );
});

const REPEATED = PARTS.filter((part) => part.trim() !== "" || part === " ");

test.each(PRINT_RULE_TABLE)(
  "an error print's rule takes no more than some steps for each pair of characters: $why",
  ({ what }) => {
    const most = 4 * LENGTH ** 2;
    for (const part of REPEATED)
      for (const end of ["", "\u0002", "1"])
        expect(() => countSteps(what, part.repeat(LENGTH).slice(0, LENGTH) + end, most)).not.toThrow();
  },
);

test("an error print's rule that takes too many steps is seen", () => {
  expect(() => countSteps(/(?:a+)+b/g, "a".repeat(LENGTH), 4 * LENGTH ** 2)).toThrow("steps");
});
