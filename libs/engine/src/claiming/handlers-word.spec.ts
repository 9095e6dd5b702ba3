import { describe, expect, test } from "@jest/globals";
import { ALL_GIVEN, BACKOFF_PRESETS, type ClaimedTask, GIVEN } from "@tickwheel/core";
import { obeyHandler } from "./handlers-word.js";

const FIXED = { kind: "fixed", delayMs: 10 } as const;

function claimed(given: number): ClaimedTask {
  return { given, maxAttempts: 3, backoff: FIXED, timeoutMs: 60_000 } as ClaimedTask;
}

function obeying(given: number, word: Parameters<typeof obeyHandler>[1]) {
  const task = claimed(given);
  obeyHandler(task, word);
  return task;
}

describe("what a handler says of a task", () => {
  const word = { maxAttempts: 1, backoff: { kind: "fixed", delayMs: 99 }, timeoutMs: 5_000 } as const;

  test("a handler's word on a task holds for all that its creator did not give, and for nothing that he gave", () => {
    expect(obeying(0, word)).toMatchObject(word);
    expect(obeying(ALL_GIVEN, word)).toEqual(claimed(ALL_GIVEN));
    expect(obeying(GIVEN.maxAttempts, word)).toMatchObject({ ...word, maxAttempts: 3 });
    expect(obeying(GIVEN.backoff, word)).toMatchObject({ ...word, backoff: FIXED });
    expect(obeying(GIVEN.timeoutMs, word)).toMatchObject({ ...word, timeoutMs: 60_000 });
  });

  test("a handler's word on a task changes nothing where it says nothing", () => {
    expect(obeying(0, {})).toEqual(claimed(0));
  });

  test("a handler's word gives a ladder an attempt more than its rungs, unless somebody says how many", () => {
    const backoff = BACKOFF_PRESETS.alipay;
    expect(obeying(0, { backoff }).maxAttempts).toBe(8);
    expect(obeying(0, { backoff, maxAttempts: 2 }).maxAttempts).toBe(2);
    expect(obeying(GIVEN.maxAttempts, { backoff }).maxAttempts).toBe(3);
    expect(obeying(GIVEN.backoff, { backoff }).maxAttempts).toBe(3);
  });
});
