import type { ClaimedTask } from "@tickwheel/core";
import { type Breakers, NO_BREAKERS } from "../breakers/type-breakers.js";
import { describe, expect, test } from "@jest/globals";
import { UNRUN_TYPE, UNKNOWN_TYPE, dispatcherOf, claimAt, claimed } from "../../test-support/held-dispatcher.js";

describe("a dispatcher", () => {
  test("a dispatcher starts nothing while its node's right to work is in doubt, and goes on afterwards", async () => {
    const right = { mayStart: false };
    const { clock, dispatcher, starts } = dispatcherOf(right);
    dispatcher.accept([claimed("a")], claimAt(0));
    await clock.advance(120);
    expect(starts).toEqual([]);
    right.mayStart = true;
    await clock.advance(100);
    expect(starts).toEqual(["a"]);
  });

  test("a dispatcher gives back declined tasks, started or not", () => {
    const { dispatcher, starts, writes } = dispatcherOf({ mayStart: true });
    dispatcher.decline([claimed("a", { dueAt: 0 })], claimAt(0), "lease_lost");
    expect([starts, writes]).toEqual([[], ["release a"]]);
  });

  test("a dispatcher gives back a task that this node cannot run, and its place, whatever a hint said", () => {
    const { dispatcher, accept, starts, writes, capacity } = dispatcherOf({ mayStart: true });
    accept(claimed("a", { typeId: UNRUN_TYPE }), claimed("b", { typeId: UNKNOWN_TYPE }));
    capacity.take(UNKNOWN_TYPE);
    dispatcher.decline([claimed("c", { typeId: UNKNOWN_TYPE })], claimAt(0), "lease_lost");
    expect([starts, writes, capacity.inUse]).toEqual([[], ["release a", "release b", "release c"], 0]);
  });

  test("a dispatcher starts nothing of a paused type, waiting for its due time, a place, a verification or its claim", async () => {
    const paused = new Set<number>();
    const right = { mayStart: true, answers: true, places: 1, paused };
    const { clock, dispatcher, accept, starts, writes, capacity } = dispatcherOf(right);
    accept(claimed("running", { dueAt: 0 }), claimed("placeless", { dueAt: 0 }), claimed("early", { dueAt: 500 }));
    accept(claimed("other", { dueAt: 0, typeId: 2 }));
    paused.add(1);
    accept(claimed("claimed late", { dueAt: 0 }));
    expect(writes).toEqual(["release claimed late"]);
    dispatcher.giveBackPaused();
    await clock.advance(100);
    expect([starts, writes.toSorted()]).toEqual([
      ["running"],
      ["release claimed late", "release early", "release placeless"],
    ]);
    expect(capacity.inUse).toBe(2);
  });

  test("a dispatcher gives back what an open breaker keeps from starting with that reason, and all else with its own reason", () => {
    const breakers: Breakers = { ...NO_BREAKERS, admits: (typeId) => typeId !== 2 };
    const { dispatcher, accept, writes, reasons } = dispatcherOf({ mayStart: true, breakers });
    accept(claimed("a", { typeId: 2 }), claimed("b", { typeId: UNRUN_TYPE }));
    dispatcher.decline([claimed("c", { typeId: 2 })], claimAt(0), "drain");
    expect(writes).toEqual(["release a", "release b", "release c"]);
    expect(reasons).toEqual(["BREAKER_OPEN", "NOT_STARTED", "DRAIN"]);
  });

  test("a dispatcher starts nothing of a type with a rate long after its claim: the claim's token is old", async () => {
    const { clock, dispatcher, starts, writes } = dispatcherOf({ mayStart: true, answers: true, rated: new Set([2]) });
    const soon = { dueAt: 250 };
    dispatcher.accept([claimed("a", soon), claimed("b", { ...soon, typeId: 2 })], claimAt(0));
    const later = { dueAt: 251 };
    dispatcher.accept([claimed("c", later), claimed("d", { ...later, typeId: 2 })], claimAt(0));
    await clock.advance(300);
    expect([starts, writes]).toEqual([["a", "b", "c"], ["release d"]]);
  });

  test("a dispatcher starts no task whose type is paused while its start is verified", async () => {
    const paused = new Set<number>();
    const right = { mayStart: true, answers: true, paused };
    const { clock, dispatcher, starts, writes } = dispatcherOf(right);
    await clock.advance(300);
    dispatcher.accept([claimed("a", { dueAt: 0 })], claimAt(0));
    paused.add(1);
    await clock.advance(1);
    expect([starts, writes]).toEqual([[], ["release a"]]);
  });

  test("a dispatcher starts a task of a slow claim when verified, but not before due by the store's clock, read again", async () => {
    const { clock, dispatcher, starts, verified } = dispatcherOf({ mayStart: true, answers: true, jumpedMs: 400 });
    await clock.advance(300);
    dispatcher.accept([claimed("due", { dueAt: 290 }), claimed("early", { dueAt: 320 })], claimAt(0));
    await clock.advance(1);
    expect(starts).toEqual(["due"]);
    await clock.advance(18);
    expect(starts).toEqual(["due"]);
    await clock.advance(1);
    expect([starts, verified]).toEqual([
      ["due", "early"],
      ["due", "early"],
    ]);
  });

  test("a dispatcher starts a task once if a claim brings it again while it waits for its verification", async () => {
    const { clock, dispatcher, accept, starts, writes, capacity, handlerReturns } = dispatcherOf({
      mayStart: true,
      answers: true,
    });
    await clock.advance(300);
    capacity.take(1);
    dispatcher.accept([claimed("a")], claimAt(0));
    accept(claimed("a"));
    await clock.advance(1);
    expect([starts, capacity.inUse]).toEqual([["a"], 1]);
    await handlerReturns("a");
    expect([writes, capacity.inUse]).toEqual([["settle a"], 0]);
  });

  test("a dispatcher ends an execution as failed, frees its place and reports the error if our code fails after the handler", async () => {
    const right = { mayStart: true, places: 1, oddResult: { kind: "no such kind" } as unknown };
    const { clock, telemetry, accept, starts, writes, handlerReturns } = dispatcherOf(right);
    accept(claimed("a"), claimed("b"));
    await clock.advance(10);
    await handlerReturns("a");
    right.oddResult = undefined;
    await handlerReturns("b");
    expect([starts, writes]).toEqual([
      ["a", "b"],
      ["settle a", "settle b"],
    ]);
    expect(new Set(telemetry.named("engine.execution.broken").map(({ facts }) => facts?.id))).toEqual(new Set(["a"]));
  });

  test.each([
    { fence: 1, isBlocked: true, write: "settle a" },
    { fence: 2, isBlocked: false, write: "settle a" },
    { fence: 2, isBlocked: true, write: "release a" },
  ])(
    "a dispatcher writes $write at the time-out of fence $fence (blocked by its own past: $isBlocked)",
    async (given) => {
      const { clock, accept, writes } = dispatcherOf({ mayStart: true, isBlocked: given.isBlocked });
      accept(claimed("a", { fence: given.fence, timeoutMs: 100 }));
      await clock.advance(200);
      expect(writes).toEqual([given.write]);
    },
  );

  describe("without a free place", () => {
    const due = (id: string, more: Partial<ClaimedTask> = {}): ClaimedTask => claimed(id, { dueAt: 0, ...more });

    test("a dispatcher starts what was claimed ahead as places become free, in the order of (due, priority)", async () => {
      const { accept, starts, handlerReturns } = dispatcherOf({ mayStart: true, places: 1 });
      accept(due("a"), due("late", { dueAt: -1, priority: 9 }), due("urgent", { priority: 1 }));
      await handlerReturns("late");
      await handlerReturns("urgent");
      expect(starts).toEqual(["late", "urgent", "a"]);
    });

    test("a dispatcher gives back a task without a place when its start would have to be verified", async () => {
      const { clock, accept, starts, writes, capacity } = dispatcherOf({ mayStart: true, places: 1 });
      accept(due("a"), due("b"));
      await clock.advance(100);
      accept(due("c"));
      await clock.advance(149);
      expect(writes).toEqual([]);
      await clock.advance(1);
      expect(writes).toEqual(["release b"]);
      await clock.advance(250);
      expect([starts, writes, capacity.inUse, clock.pendingTimers]).toEqual([["a"], ["release b", "release c"], 1, 1]);
    });

    test("a dispatcher starts nothing in a free place while its node's right to work is in doubt", async () => {
      const right = { mayStart: true, places: 1 };
      const { clock, accept, starts, writes, handlerReturns } = dispatcherOf(right);
      accept(due("a"), due("b"));
      right.mayStart = false;
      await handlerReturns("a");
      await clock.advance(250);
      expect([starts, writes]).toEqual([["a"], ["settle a", "release b"]]);
    });

    test("a dispatcher keeps no timer of a task without a place once it refuses", async () => {
      const { clock, accept, dispatcher, writes, handlerReturns } = dispatcherOf({ mayStart: true, places: 1 });
      accept(due("a"), due("b"));
      dispatcher.refuse("drain");
      await handlerReturns("a");
      expect([writes, clock.pendingTimers]).toEqual([["release b", "settle a"], 0]);
    });
  });

  test("a dispatcher repeats a verification that got no answer, and starts nothing meanwhile", async () => {
    const { clock, dispatcher, starts, verified } = dispatcherOf({ mayStart: true });
    await clock.advance(300);
    dispatcher.accept([claimed("a"), claimed("b")], claimAt(0));
    await clock.advance(260);
    expect([starts, verified]).toEqual([[], ["a", "b", "a", "b"]]);
  });

  test("a dispatcher ends the condition of failed verifications when the tasks were given back or are gone", async () => {
    const { clock, health, dispatcher } = dispatcherOf({ mayStart: true });
    const partsAfter = (): string[] => health.list().map(({ part }) => part);
    await clock.advance(300);
    dispatcher.accept([claimed("a")], claimAt(0));
    await clock.settle();
    expect(partsAfter()).toEqual(["engine.verify"]);
    dispatcher.refuse("lease_lost");
    expect(partsAfter()).toEqual([]);
    dispatcher.admit();
    dispatcher.accept([claimed("b")], claimAt(0));
    await clock.settle();
    dispatcher.cancel({ id: "b", fence: 1 });
    await clock.advance(1_000);
    expect(partsAfter()).toEqual([]);
  });

  test.each([
    { which: "waits for its due time", dueAt: 1_000, waitMs: 1 },
    { which: "is being verified", dueAt: 10, waitMs: 0 },
    { which: "was verified without an answer", dueAt: 10, waitMs: 1 },
  ])("a dispatcher keeps no timer of a task that $which once it refuses", async ({ dueAt, waitMs }) => {
    const { clock, dispatcher, writes } = dispatcherOf({ mayStart: true });
    await clock.advance(300);
    dispatcher.accept([claimed("a", { dueAt })], claimAt(0));
    if (waitMs > 0) await clock.advance(waitMs);
    dispatcher.refuse("drain");
    await clock.settle();
    expect([writes, clock.pendingTimers]).toEqual([["release a"], 0]);
  });

  describe("with tasks that ran when nodes died", () => {
    test("a dispatcher starts a suspect task in quarantine, after its type's other tasks here, and none of its type beside it", async () => {
      const { clock, accept, starts, writes, handlerReturns } = dispatcherOf({ mayStart: true });
      accept(claimed("suspect", { crashCount: 2 }), claimed("mate"), claimed("other", { typeId: 2 }));
      await clock.advance(60);
      expect(starts).toEqual(["mate", "other"]);
      await handlerReturns("mate");
      await clock.advance(60);
      expect(starts).toEqual(["mate", "other", "suspect"]);
      accept(claimed("late mate", { dueAt: 0 }), claimed("other 2", { typeId: 2, dueAt: 0 }));
      expect([starts.at(-1), writes.at(-1)]).toEqual(["other 2", "release late mate"]);
      await handlerReturns("suspect");
      accept(claimed("next", { dueAt: 0 }));
      expect(starts.at(-1)).toBe("next");
    });

    test("a dispatcher postpones a suspect task that waits in vain for the other tasks of its type", async () => {
      const { clock, accept, starts, writes } = dispatcherOf({ mayStart: true });
      accept(claimed("suspect", { crashCount: 2 }), claimed("mate"));
      await clock.advance(11_000);
      expect([starts, writes]).toEqual([["mate"], ["defer suspect"]]);
      accept(claimed("next", { dueAt: 0 }));
      expect(starts).toEqual(["mate", "next"]);
    });

    test("a dispatcher treats a task with one crash as a suspect only if the store does", async () => {
      const { clock, accept, starts, quarantined } = dispatcherOf({ mayStart: true, suspects: ["b"] });
      accept(claimed("a", { crashCount: 1 }), claimed("b", { crashCount: 1, typeId: 2 }));
      await clock.advance(10);
      expect([starts.toSorted(), quarantined]).toEqual([["a", "b"], ["b"]]);
    });

    test("a dispatcher postpones suspects that find the quarantine taken: one by one here, and later and later elsewhere", async () => {
      const situation = { mayStart: true, occupiedForMs: 700 };
      const { clock, accept, starts, writes, deferrals } = dispatcherOf(situation);
      accept(claimed("a", { crashCount: 2 }), claimed("b", { crashCount: 2 }));
      await clock.advance(10);
      expect([starts, writes, deferrals]).toEqual([[], ["defer a", "defer b"], [700, 750]]);
      situation.occupiedForMs = 60_000;
      accept(claimed("a", { crashCount: 2, fence: 2 }));
      await clock.advance(10);
      expect(deferrals.at(-1)).toBe(5_000);
    });

    test("a dispatcher gives suspects back if the store does not answer", async () => {
      const { clock, accept, starts, writes } = dispatcherOf({ mayStart: true, isAway: true });
      accept(claimed("a", { crashCount: 1 }), claimed("b", { crashCount: 2 }), claimed("c"));
      await clock.advance(10);
      expect([starts, writes]).toEqual([["c"], ["release a", "release b"]]);
    });

    test("a dispatcher leaves no type closed for a suspect if it refuses meanwhile", async () => {
      const { clock, dispatcher, accept, starts, writes } = dispatcherOf({ mayStart: true });
      accept(claimed("suspect", { crashCount: 2 }), claimed("mate"));
      await clock.advance(60);
      dispatcher.refuse("lease_lost");
      dispatcher.admit();
      accept(claimed("next", { dueAt: 0 }));
      await clock.advance(11_000);
      expect([starts, writes]).toEqual([["mate", "next"], ["release suspect"]]);
    });
  });
});
