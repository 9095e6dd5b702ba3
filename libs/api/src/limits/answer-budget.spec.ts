import { expect, test } from "@jest/globals";
import { AnswerBudget } from "./answer-budget.js";

test("parts of an answer that are asked for at once are made one after the other, and none once nothing is left", async () => {
  const budget = new AnswerBudget(100);
  const left: number[] = [];
  const part = (bytes: number) => async () => {
    left.push(budget.left);
    budget.requireLeft();
    await Promise.resolve();
    budget.spend(bytes);
    return bytes;
  };
  const parts = [70, 40, 1].map((bytes) => budget.inTurn(part(bytes)));
  expect(await Promise.allSettled(parts)).toMatchObject([
    { value: 70 },
    { value: 40 },
    { reason: { code: "VALIDATION_FAILED" } },
  ]);
  expect(left).toEqual([100, 30, -10]);
});

test("a part of an answer that fails leaves its share to the other parts", async () => {
  const budget = new AnswerBudget(100);
  const failing = budget.inTurn(() => Promise.reject(new Error("away")));
  const next = budget.inTurn(() => Promise.resolve(budget.left));
  await expect(failing).rejects.toThrow("away");
  expect(await next).toBe(100);
});
