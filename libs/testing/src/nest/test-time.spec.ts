import { expect, test } from "@jest/globals";
import { ManualClock } from "../system/manual-clock.js";
import { StoreTraffic } from "./store-traffic.js";
import { TestTime } from "./test-time.js";

const EPOCH_MS = Date.parse("2026-03-01T00:00:00Z");

function scene() {
  const clock = new ManualClock();
  const traffic = new StoreTraffic();
  const open: string[] = [];
  const parts = { clock, traffic, running: () => open.length, underWay: () => open, hungMs: 20 };
  return { clock, traffic, open, time: new TestTime({ ...parts, epochMs: EPOCH_MS }) };
}

test("the test's time goes to an instant, and fires the timers on the way", async () => {
  const { clock, time } = scene();
  const fired: number[] = [];
  for (const ms of [5, 10, 11]) clock.setTimer(ms, () => fired.push(time.nowMs - EPOCH_MS));
  await time.goTo(EPOCH_MS + 10);
  expect([fired, time.nowMs]).toEqual([[5, 10], EPOCH_MS + 10]);
});

test("the test's time stands still while a statement has no answer", async () => {
  const { clock, traffic, time } = scene();
  let answer = (): void => undefined;
  const asked: number[] = [];
  const store = traffic.counted({ get: () => new Promise<void>((resolve) => (answer = resolve)) });
  clock.setTimer(5, () => void store.get().then(() => asked.push(time.nowMs - EPOCH_MS)));
  const moved = time.goTo(EPOCH_MS + 100);
  while (traffic.underWay === 0) await clock.settle();
  answer();
  await moved;
  expect([asked, time.nowMs]).toEqual([[5], EPOCH_MS + 100]);
});

test("a handler that does not return is told as hanging, by its name", async () => {
  const { time, open } = scene();
  open.push('order.cancel "42"');
  await expect(time.goTo(EPOCH_MS + 1)).rejects.toThrow(
    /a handler has not returned \(order\.cancel "42"\).*whileRunning/,
  );
  await time.goTo(EPOCH_MS + 1, { whileRunning: true });
  expect(time.nowMs).toBe(EPOCH_MS + 1);
});

test("a statement without an answer is told as hanging", async () => {
  const { time, traffic } = scene();
  void traffic.counted({ get: () => new Promise(() => undefined) }).get();
  await expect(time.settled()).rejects.toThrow("1 statements have no answer");
});

test("work that waits for a timer moves the time as far as it needs", async () => {
  const { clock, time } = scene();
  await time.drive(() => new Promise((resolve) => clock.setTimer(250, () => resolve())));
  expect(time.nowMs).toBe(EPOCH_MS + 250);
  await expect(time.drive(() => Promise.reject(new Error("no start")))).rejects.toThrow("no start");
});
