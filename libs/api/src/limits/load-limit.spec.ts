import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { LoadLimit } from "./load-limit.js";

function limited() {
  const clock = new ManualClock();
  const limit = new LoadLimit(clock);
  const open: string[] = [];
  let callers = 0;
  /** How many of so many requests are taken; each is another's where nobody is named. */
  const taken = (count: number, caller?: string): number => {
    let some = 0;
    for (let request = 0; request < count; request++) {
      try {
        const one = caller ?? `caller ${callers++}`;
        limit.take(one);
        open.push(one);
        some++;
      } catch {
        // refused
      }
    }
    return some;
  };
  const answer = (count: number): void => {
    for (let request = 0; request < count; request++) limit.done(open.shift()!);
  };
  return { clock, limit, taken, answer };
}

describe("the load limit", () => {
  test("the load limit takes five hundred requests at once before any was answered, and refuses the next with a reason", () => {
    const { limit, taken } = limited();
    expect(taken(600)).toBe(500);
    expect(() => limit.take("one more")).toThrow("This node has 500 requests in progress and answers 0 a second.");
  });

  test("the load limit takes as many requests as were answered within the last second", async () => {
    const { clock, taken, answer } = limited();
    for (let part = 0; part < 10; part++) {
      expect(taken(200)).toBe(200);
      answer(200);
      await clock.advance(99);
    }
    expect(taken(3_000)).toBe(2_000);
  });

  test("the load limit takes fewer requests as the answers cease, and as many as ever when all is over", async () => {
    const { clock, taken, answer } = limited();
    expect(taken(500)).toBe(500);
    answer(500);
    expect(taken(500)).toBe(500);
    answer(400);
    expect(taken(1_000)).toBe(800);
    await clock.advance(1_100);
    expect(taken(1)).toBe(0);
    answer(900);
    await clock.advance(60_000);
    expect(taken(1_000)).toBe(500);
  });

  test("a caller that takes all of the load limit that there is leaves the last quarter to the others", () => {
    const { taken, answer } = limited();
    expect(taken(1_000, "a")).toBe(375);
    expect(taken(1_000, "b")).toBe(125);
    expect(taken(1, "c")).toBe(0);
    answer(375);
    expect(taken(1_000, "b")).toBe(250);
    expect([taken(1_000, "b"), taken(50, "c"), taken(50, "d")]).toEqual([0, 50, 50]);
  });
});
