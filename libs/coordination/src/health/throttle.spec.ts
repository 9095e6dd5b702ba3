import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { Throttle } from "./throttle.js";

test("repeated requests to a throttle run once at once, then once in each pause, and a last time at the end", async () => {
  const clock = new ManualClock();
  const done: number[] = [];
  const throttle = new Throttle(clock, 100, () => done.push(clock.monotonicMs()));
  for (let ms = 0; ms < 250; ms += 10) {
    throttle.ask();
    await clock.advance(10);
  }
  await clock.advance(1_000);
  throttle.ask();
  expect(done).toEqual([0, 100, 200, 300, 1_250]);
});

test("a throttle that is stopped drops the pending request", async () => {
  const clock = new ManualClock();
  let done = 0;
  const throttle = new Throttle(clock, 100, () => done++);
  throttle.ask();
  throttle.ask();
  throttle.stop();
  await clock.advance(1_000);
  expect([done, clock.pendingTimers]).toEqual([1, 0]);
});
