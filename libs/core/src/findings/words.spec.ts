import { expect, test } from "@jest/globals";
import { counted, durationInWords, listInWords } from "./words.js";

test.each([
  [0, "0 ms"],
  [-5, "0 ms"],
  [240.4, "240 ms"],
  [999.6, "1 s"],
  [1_000, "1 s"],
  [1_540, "1.5 s"],
  [9_980, "10 s"],
  [14_400, "14 s"],
  [59_700, "1 min"],
  [125_000, "2 min 5 s"],
  [3_600_000, "1 h"],
  [3_659_999, "1 h 1 min"],
  [86_399_999, "1 d"],
  [353_000_000, "4 d 2 h"],
])("%d ms is told as %s", (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});

test("a count agrees with its noun", () => {
  expect([0, 1, 2, 12_345].map((count) => counted(count, "task"))).toEqual([
    "0 tasks",
    "1 task",
    "2 tasks",
    "12,345 tasks",
  ]);
});

test("a list of names is shortened where more than one name would be left out", () => {
  const lists = [[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]];
  expect(lists.map((names) => listInWords(names))).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
    "a, b, c and d",
    "a, b, c and 2 more",
  ]);
});
