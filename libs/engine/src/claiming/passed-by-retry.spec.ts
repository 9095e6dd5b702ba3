import { describe, expect, test } from "@jest/globals";
import type { TaskHint } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { type FoundTask, foundTask } from "../waiting/found-task.js";
import { PassedByRetry } from "./passed-by-retry.js";

const hintOf = (id: string): TaskHint => ({ id, typeId: 1, version: 1, dueAt: 0, priority: 5 });
const foundBySweep = (id: string): FoundTask => foundTask(hintOf(id), "sweep", 0);

function looking(hasRoom = true) {
  const clock = new ManualClock();
  const brought: string[] = [];
  const look = new PassedByRetry(clock, ({ id, foundBy }) => {
    brought.push(`${id} ${foundBy}`);
    return hasRoom;
  });
  return { clock, brought, look };
}

describe("the retry of skipped tasks", () => {
  test("the retry of skipped tasks brings a task that a claim skipped once more, a little later", async () => {
    const { clock, brought, look } = looking();
    look.claimAnswered(["a"], [foundBySweep("b")]);
    expect(brought).toEqual([]);
    await clock.advance(50);
    expect(brought).toEqual(["b sweep"]);
  });

  test("the retry of skipped tasks leaves a task that was skipped twice to the sweep, and begins anew after that", async () => {
    const { clock, brought, look } = looking();
    for (let claim = 0; claim < 4; claim++) {
      look.claimAnswered([], [foundBySweep("a")]);
      await clock.advance(50);
    }
    expect(brought).toEqual(["a sweep", "a sweep"]);
  });

  test("the retry of skipped tasks begins anew after the task was claimed", async () => {
    const { clock, brought, look } = looking();
    look.claimAnswered([], [foundBySweep("a")]);
    await clock.advance(50);
    look.claimAnswered(["a"], []);
    look.claimAnswered([], [foundBySweep("a")]);
    await clock.advance(50);
    expect(brought).toEqual(["a sweep", "a sweep"]);
  });

  test("the retry of skipped tasks does not count a try without room as the second", async () => {
    const { clock, brought, look } = looking(false);
    for (let claim = 0; claim < 2; claim++) {
      look.claimAnswered([], [foundBySweep("a")]);
      await clock.advance(50);
    }
    expect(brought).toHaveLength(2);
  });

  test("the retry of skipped tasks leaves no timer behind", async () => {
    const { clock, brought, look } = looking();
    look.claimAnswered([], [foundBySweep("a")]);
    look.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(50);
    expect(brought).toEqual([]);
  });
});
