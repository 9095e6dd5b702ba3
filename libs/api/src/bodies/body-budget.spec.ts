import { expect, test } from "@jest/globals";
import { BodyBudget } from "./body-budget.js";

test("a budget of bodies holds no more than the node's share, and of one owner no more than that owner's", () => {
  const budget = new BodyBudget({ node: 10, owner: 6 });
  expect([budget.take("a", 6), budget.take("a", 1), budget.take("b", 4), budget.take("c", 1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  budget.giveBack("a", 2);
  expect([budget.take("c", 2), budget.take("a", 1)]).toEqual([true, false]);
});

test("bytes that are given back to a budget of bodies are there again", () => {
  const budget = new BodyBudget({ node: 10, owner: 10 });
  for (let turn = 0; turn < 3; turn++) {
    expect(budget.take("a", 10)).toBe(true);
    budget.giveBack("a", 10);
  }
});
