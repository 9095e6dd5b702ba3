import { expect, test } from "@jest/globals";
import { answerOf } from "./claim-answer.js";

test.each([
  ["the incarnation that sent it", "1", "accept"],
  ["the next incarnation", "2", "decline"],
  ["a node between two incarnations", null, "decline"],
] as const)("a claim's answer is accepted or declined where it finds %s", (_, bootId, expected) => {
  expect(answerOf({ sentBy: "1", bootId })).toBe(expected);
});
