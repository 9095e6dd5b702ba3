import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { TasksForOthers, OTHERS_TURN_MS } from "./tasks-for-others.js";

test("a task is left to other nodes until it is due again and they have had their turn", async () => {
  const clock = new ManualClock();
  const left = new TasksForOthers(clock);
  left.leave("a", 1_000);
  await clock.advance(1_000 + OTHERS_TURN_MS - 1);
  expect([left.has("a"), left.has("b")]).toEqual([true, false]);
  await clock.advance(1);
  expect(left.has("a")).toBe(false);
});

test("ten thousand tasks that are left to other nodes are remembered, then the first ones are forgotten", () => {
  const left = new TasksForOthers(new ManualClock());
  for (let id = 0; id <= 10_000; id++) left.leave(String(id), 1_000);
  expect([left.has("0"), left.has("1"), left.has("10000")]).toEqual([false, true, true]);
});
