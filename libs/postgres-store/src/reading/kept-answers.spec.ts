import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { KeptAnswers } from "./kept-answers.js";

test.each([
  [0, 500],
  [100, 2_000],
  [9_000, 30_000],
])("an answer that took %d ms is kept for %d ms", async (tookMs, keptMs) => {
  const clock = new ManualClock();
  const answers = new KeptAnswers<number>(clock);
  let counts = 0;
  const ask = (): Promise<number> =>
    answers.get("all", async () => {
      const count = ++counts;
      if (tookMs > 0) await new Promise<void>((resolve) => void clock.setTimer(tookMs, resolve));
      return count;
    });
  const first = ask();
  await clock.advance(tookMs);
  expect(await first).toBe(1);
  await clock.advance(keptMs - 1);
  expect(await ask()).toBe(1);
  expect(counts).toBe(1);
  await clock.advance(1);
  // It is still given while the next is counted.
  expect(await ask()).toBe(1);
  expect(counts).toBe(2);
  await clock.advance(tookMs);
  expect(await ask()).toBe(2);
});

test("an answer that took less than the limit of cheap ones is counted for every caller", async () => {
  const clock = new ManualClock();
  const answers = new KeptAnswers<number>(clock, { cheapMs: 50 });
  let counts = 0;
  let tookMs = 49;
  const ask = async (): Promise<number> => {
    const answer = answers.get("all", async () => {
      await new Promise<void>((resolve) => void clock.setTimer(tookMs, resolve));
      return ++counts;
    });
    await clock.advance(tookMs);
    return answer;
  };
  expect([await ask(), await ask()]).toEqual([1, 2]);
  tookMs = 50;
  expect([await ask(), await ask()]).toEqual([3, 3]);
  await clock.advance(1_000);
  tookMs = 49;
  expect([await ask(), await ask()]).toEqual([3, 5]);
});

test("an answer is never older than its two limits together", async () => {
  const clock = new ManualClock();
  const answers = new KeptAnswers<number>(clock, { mostKeptMs: 400, toldMs: 600 });
  let counts = 0;
  const ask = (): Promise<number> => answers.get("all", () => Promise.resolve(++counts));
  expect(await ask()).toBe(1);
  await clock.advance(399);
  expect([await ask(), counts]).toEqual([1, 1]);
  await clock.advance(601);
  expect(await ask()).toBe(2);
});

test("a count that fails leaves the known answer until its time is over, and is not made again at once", async () => {
  const clock = new ManualClock();
  const answers = new KeptAnswers<number>(clock);
  let counts = 0;
  const ask = (): Promise<number> =>
    answers.get("all", async () => {
      if (++counts === 1) return 1;
      await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve));
      throw new Error("no connection was free");
    });
  expect(await ask()).toBe(1);
  await clock.advance(500);
  expect([await ask(), counts]).toEqual([1, 2]);
  await clock.advance(1_000);
  expect([await ask(), counts]).toEqual([1, 2]);
  await clock.advance(20_000);
  expect([await ask(), counts]).toEqual([1, 3]);
  await clock.advance(60_000);
  const last = ask().catch((error: Error) => error.message);
  await clock.advance(1_000);
  expect(await last).toBe("no connection was free");
});
