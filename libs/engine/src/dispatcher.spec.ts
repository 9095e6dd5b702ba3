import { describe, expect, test } from "@jest/globals";
import { Conditions } from "@tickwheel/coordination";
import type { ClaimedTask } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import type { Capacity } from "./capacity.js";
import { Dispatcher } from "./dispatcher.js";
import type { EngineContext } from "./engine-context.js";
import { Executions } from "./executions.js";
import type { Outcome } from "./outcome.js";
import type { Settler } from "./settler.js";
import type { TypeDirectory } from "./type-directory.js";

/**
 * A dispatcher whose handlers note that they were called and never return. `answers`: whether a verification of a start gets an answer;
 * `jumpedMs`: how far ahead of the store the node's clock has jumped, until the store's is read again.
 */
function dispatcherOf(right: { mayStart: boolean; answers?: boolean; jumpedMs?: number }) {
  const clock = new ManualClock();
  let aheadMs = right.jumpedMs ?? 0;
  const [starts, writes, verified]: [string[], string[], string[]] = [[], [], []];
  const run = ({ task }: { task: ClaimedTask }): Promise<never> => {
    starts.push(task.id);
    return new Promise(() => undefined);
  };
  const dbClock = {
    nowMs: () => clock.monotonicMs() + aheadMs,
    estimate: () => ({ nowMs: clock.monotonicMs() + aheadMs, errorMs: 0 }),
    untilSureMs: (at: number) => Math.max(0, at - aheadMs - clock.monotonicMs()),
    readAgain: () => Promise.resolve(void (aheadMs = 0)),
  };
  const verifyStart = (refs: { id: string }[]): Promise<unknown> => {
    verified.push(...refs.map(({ id }) => id));
    return right.answers ? Promise.resolve(refs) : Promise.reject(new Error("no answer"));
  };
  const conditions = new Conditions(clock, new RecordingTelemetry());
  const context = {
    clock,
    dbClock,
    tasks: { verifyStart },
    conditions,
    random: new SeededRandom(1),
  } as unknown as EngineContext;
  const dispatcher = new Dispatcher(context, {
    executions: new Executions(),
    capacity: { giveBack: () => undefined } as unknown as Capacity,
    settler: {
      write: ({ task }: { task: ClaimedTask }, outcome: Outcome) => writes.push(`${outcome.write} ${task.id}`),
    } as unknown as Settler,
    types: { get: () => ({}), executorOf: () => ({ run }) } as unknown as TypeDirectory,
    mayStart: () => right.mayStart,
    placeFree: () => undefined,
  });
  return { clock, dispatcher, starts, writes, verified };
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

  test("starts a task of a slow claim when it is verified, not before the store's time, read again, has come", async () => {
    const { clock, dispatcher, starts, verified } = dispatcherOf({ mayStart: true, answers: true, jumpedMs: 400 });
    await clock.advance(300);
    dispatcher.accept([claimed("due", { dueAt: 290 }), claimed("early", { dueAt: 320 })], 0);
    await clock.advance(1);
    expect(starts).toEqual(["due"]);
    await clock.advance(18);
    expect(starts).toEqual(["due"]);
    await clock.advance(1);
    expect([starts, verified]).toEqual([
      ["due", "early"],
      ["due", "early", "early"],
    ]);
  });

  test("tries a verification again that got no answer, and starts nothing meanwhile", async () => {
    const { clock, dispatcher, starts, verified } = dispatcherOf({ mayStart: true });
    await clock.advance(300);
    dispatcher.accept([claimed("a"), claimed("b")], 0);
    await clock.advance(260);
    expect([starts, verified]).toEqual([[], ["a", "b", "a", "b"]]);
  });

  test.each([
    { which: "waits for its due time", dueAt: 1_000, waitMs: 1 },
    { which: "is being verified", dueAt: 10, waitMs: 0 },
    { which: "was verified without an answer", dueAt: 10, waitMs: 1 },
  ])("keeps no timer of a task that $which once it refuses", async ({ dueAt, waitMs }) => {
    const { clock, dispatcher, writes } = dispatcherOf({ mayStart: true });
    await clock.advance(300);
    dispatcher.accept([claimed("a", { dueAt })], 0);
    if (waitMs > 0) await clock.advance(waitMs);
    dispatcher.refuse("drain");
    await clock.settle();
    expect([writes, clock.pendingTimers]).toEqual([["release a"], 0]);
  });

  test("holds no second task that was there at two crashes, but normal ones", async () => {
    const { clock, dispatcher, starts, writes } = dispatcherOf({ mayStart: true });
    dispatcher.accept([claimed("a", { crashCount: 2 }), claimed("b", { crashCount: 3 }), claimed("c")], 0);
    await clock.advance(10);
    expect([starts.toSorted(), writes]).toEqual([["a", "c"], ["defer b"]]);
  });
});
