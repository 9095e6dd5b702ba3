import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { indentedLines, oneLine } from "./log-text.js";

test("a text in the log is one line, and holds nothing that a terminal takes for a command", () => {
  const text = "a\nb\rc\td\x1b[2Je\x07f\x7fg\x85h\x9bi\u2028j\u2029k\u202el\u2066m\u200fn\u061co";
  const shown = [
    "a\\u000ab\\u000dc\\u0009d\\u001b[2Je\\u0007f\\u007fg\\u0085h\\u009bi",
    "\\u2028j\\u2029k\\u202el\\u2066m\\u200fn\\u061co",
  ];
  expect(oneLine(text)).toBe(shown.join(""));
});

test("further lines of a text in the log are indented, and those of a stack stay as they are", () => {
  const stack = "Error: no luck\n    at run (a.js:1:1)\n  caused by Error: refused\n    at b.js:2:2";
  expect(indentedLines(stack)).toBe(stack);
  expect(indentedLines("no luck\r\nERROR forged\n\n \tx")).toBe("no luck\n    ERROR forged\n    \n    x");
});

test("no line but the first of a text in the log begins at the margin, whatever it holds, and indenting twice is as once", () => {
  const part = fc.constantFrom("a", " ", "\n", "\r", "\x1b[1A", "\x9b", "\u2028", "\u202e", "é");
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const shown = indentedLines(parts.join(""));
      const [, ...rest] = shown.split("\n");
      for (const line of rest) expect(line).toMatch(/^ {2}/);
      expect(shown).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
      expect(indentedLines(shown)).toBe(shown);
    }),
  );
});
