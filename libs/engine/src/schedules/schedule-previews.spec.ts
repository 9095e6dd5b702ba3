import { expect, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import type { PreviewedInstant } from "@tickwheel/schedules";
import { SchedulePreviews } from "./schedule-previews.js";

const clock = new SystemClock();
const INSTANTS = 40;

/** Instants that each keep the loop for a millisecond. */
function* laborious(): Generator<PreviewedInstant, void> {
  for (let at = 0; at < INSTANTS; at++) {
    for (const endMonoMs = clock.monotonicMs() + 1; clock.monotonicMs() < endMonoMs;);
    yield { at, dueAt: at, wallAt: null, note: null, runs: true };
  }
}

test("a preview lets the loop go on between its instants", async () => {
  let rounds = 0;
  const loop = setInterval(() => rounds++, 0);
  const told = await new SchedulePreviews().tell("a", laborious());
  clearInterval(loop);
  expect(told).toHaveLength(INSTANTS);
  expect(rounds).toBeGreaterThanOrEqual(3);
});

test("a namespace has one preview at a time, in the order of asking, and waits for no other namespace's", async () => {
  const previews = new SchedulePreviews();
  const order: string[] = [];
  const underWay = { now: 0, most: 0 };
  function* counted(name: string): Generator<PreviewedInstant, void> {
    order.push(`${name} begins`);
    if (name.startsWith("a")) underWay.most = Math.max(underWay.most, ++underWay.now);
    yield* laborious();
    if (name.startsWith("a")) underWay.now--;
  }
  const ask = async (namespace: string, name: string): Promise<void> => {
    await previews.tell(namespace, counted(name));
  };
  await Promise.all([ask("a", "a1"), ask("a", "a2"), ask("b", "b1")]);
  expect(order.slice(0, 2)).toEqual(["a1 begins", "b1 begins"]);
  expect(underWay.most).toBe(1);
});

test("a schedule preview that fails holds up no preview after it", async () => {
  const previews = new SchedulePreviews();
  const fail = (): never => {
    throw new RangeError("no such zone");
  };
  const broken = { [Symbol.iterator]: fail };
  const [failed, told] = await Promise.allSettled([previews.tell("a", broken), previews.tell("a", laborious())]);
  expect([failed.status, told.status]).toEqual(["rejected", "fulfilled"]);
});
