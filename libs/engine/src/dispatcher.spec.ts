import { describe, expect, test } from "@jest/globals";
import type { ClaimedTask } from "@tickwheel/core";
import { ManualClock, SeededRandom } from "@tickwheel/testing";
import type { Capacity } from "./capacity.js";
import { Dispatcher } from "./dispatcher.js";
import type { EngineContext } from "./engine-context.js";
import { Executions } from "./executions.js";
import type { Outcome } from "./outcome.js";
import type { Settler } from "./settler.js";
import type { TypeDirectory } from "./type-directory.js";

/** A dispatcher whose handlers note that they were called and never return. */
function dispatcherOf(right: { mayStart: boolean }) {
  const clock = new ManualClock();
  const [starts, writes] = [[] as string[], [] as string[]];
  const run = ({ task }: { task: ClaimedTask }): Promise<never> => {
    starts.push(task.id);
    return new Promise(() => undefined);
  };
  const dbClock = {
    nowMs: () => clock.monotonicMs(),
    estimate: () => ({ nowMs: clock.monotonicMs(), errorMs: 0 }),
    untilSureMs: (at: number) => Math.max(0, at - clock.monotonicMs()),
  };
  const dispatcher = new Dispatcher({ clock, dbClock, random: new SeededRandom(1) } as unknown as EngineContext, {
    executions: new Executions(),
    capacity: { giveBack: () => undefined } as unknown as Capacity,
    settler: {
      write: ({ task }: { task: ClaimedTask }, outcome: Outcome) => writes.push(`${outcome.write} ${task.id}`),
    } as unknown as Settler,
    types: { get: () => ({}), executorOf: () => ({ run }) } as unknown as TypeDirectory,
    mayStart: () => right.mayStart,
    placeFree: () => undefined,
  });
  return { clock, dispatcher, starts, writes };
}

function claimed(id: string, more: Partial<ClaimedTask> = {}): ClaimedTask {
  return { id, dueAt: 10, priority: 5, fence: 1, crashCount: 0, timeoutMs: 60_000, ...more } as ClaimedTask;
}

describe("a dispatcher", () => {
  test("starts nothing while its node's right to work is in doubt, and goes on when it is beyond doubt again", async () => {
    const right = { mayStart: false };
    const { clock, dispatcher, starts } = dispatcherOf(right);
    dispatcher.accept([claimed("a")], 0);
    await clock.advance(120);
    expect(starts).toEqual([]);
    right.mayStart = true;
    await clock.advance(100);
    expect(starts).toEqual(["a"]);
  });

  test("gives back what was declined, started or not", () => {
    const { dispatcher, starts, writes } = dispatcherOf({ mayStart: true });
    dispatcher.decline([claimed("a", { dueAt: 0 })], 0);
    expect([starts, writes]).toEqual([[], ["release a"]]);
  });

  test("holds no second task that was there at two crashes, but normal ones", async () => {
    const { clock, dispatcher, starts, writes } = dispatcherOf({ mayStart: true });
    dispatcher.accept([claimed("a", { crashCount: 2 }), claimed("b", { crashCount: 3 }), claimed("c")], 0);
    await clock.advance(10);
    expect([starts.toSorted(), writes]).toEqual([["a", "c"], ["defer b"]]);
  });
});
