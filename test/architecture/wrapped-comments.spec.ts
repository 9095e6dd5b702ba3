import { expect, test } from "@jest/globals";
import { wrapped } from "../runner/wrap-comments.mjs";

const WIDE = "one two three four five six seven eight nine ten";

test.each([
  [`/** ${WIDE} */`, ["/**", " * one two three four five six", " * seven eight nine ten", " */"]],
  [`  // ${WIDE}`, ["  // one two three four five", "  // six seven eight nine ten"]],
  [
    `/**\n * ${WIDE}\n *\n * Next.\n */`,
    ["/**", " * one two three four five six", " * seven eight nine ten", " *", " * Next.", " */"],
  ],
  [
    `/**\n * @param x ${WIDE}\n */`,
    ["/**", " * @param x one two three four", " *   five six seven eight nine", " *   ten", " */"],
  ],
  [`/**\n * - ${WIDE}\n */`, ["/**", " * - one two three four five", " *   six seven eight nine ten", " */"]],
])("a comment that is too wide is wrapped: %j", (source, lines) => {
  expect(wrapped(source, 31)).toBe(lines.join("\n"));
});

test.each([
  "const text = 'a string that is far too wide to be a comment'; // one two three four",
  `/**\n * @example ${WIDE}\n */`,
  "/** ──▶ a drawing that is far too wide for the editor, as it is */",
  `// oxlint-disable-next-line some-rule -- ${WIDE}`,
  "/** short */",
  `// ${"x".repeat(60)}`,
])("a text that is no prose, or cannot be cut, stays: %j", (source) => {
  expect(wrapped(source, 31)).toBe(source);
});
