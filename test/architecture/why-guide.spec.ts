import { expect, test } from "@jest/globals";
import { BECAUSE_CODES, LATENESS_PARTS } from "@tickwheel/core";
import { read } from "./project-files.js";

const words = [...read("docs/guides/why.md").matchAll(/^\| `(\w+)` +\|/gm)].map(([, word]) => word);

test("the why guide explains each code and each part of a lateness, in their order, and no other", () => {
  expect(words).toEqual([...BECAUSE_CODES, ...LATENESS_PARTS]);
});
