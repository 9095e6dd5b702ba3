import { describe, expect, test } from "@jest/globals";
import { type ClaimedTask, type ClaimRequest, DEFAULT_OPTIONS, TickwheelError } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { NodeMeters } from "../counting/node-meters.js";
import { Capacity } from "../held/capacity.js";
import { Claimer } from "./claimer.js";
import { PlainClaims } from "./plain-claims.js";
import { Health } from "@tickwheel/coordination";
import type { Dispatcher } from "../running/dispatcher.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { Executions } from "../held/executions.js";
import { foundTask } from "../waiting/found-task.js";
import { ReadyQueue } from "../waiting/ready-queue.js";
import type { Settler } from "../ending/settler.js";
import { servedTypes } from "../../test-support/served-types.js";

/**
 * A claimer with one ready task, whose claim is answered while `meanwhile` happens to the node. `backlog` settles wait
 * for the store.
 */
async function claimOnce(meanwhile: (node: { bootId: string }) => void, backlog = 0): Promise<string[]> {
  const clock = new ManualClock();
  const node = { bootId: "1", canDispatch: () => true };
  const ready = new ReadyQueue(10);
  ready.push(foundTask({ id: "task", typeId: 1, version: 1, dueAt: 0, priority: 5 }, "wheel", 0), 0);
  const said: string[] = [];
  const claim = async () => {
    meanwhile(node);
    return { fenced: false, tasks: [{ id: "task", typeId: 1 } as ClaimedTask] };
  };
  const context = {
    clock,
    options: DEFAULT_OPTIONS,
    dbClock: { nowMs: () => 0, noteReading: () => undefined },
    tasks: { claim },
    health: new Health(clock, new RecordingTelemetry()),
    meters: new NodeMeters(),
  } as unknown as EngineContext;
  const capacity = new Capacity(1, servedTypes(), clock);
  const claimer = new Claimer(context, {
    membership: node,
    ready,
    executions: new Executions(),
    pausedKeys: () => [],
    handlersWord: () => undefined,
    replyLost: () => undefined,
    starved: () => undefined,
    passedBy: () => undefined,
    feed: { giveAgain: () => true },
    way: new PlainClaims(context, { ready, capacity, isCounted: () => false }),
    isLimited: () => false,
    capacity,
    settler: { backlog } as Settler,
    dispatcher: {
      admits: true,
      accept: () => said.push("accepted"),
      decline: () => said.push("declined"),
    } as unknown as Dispatcher,
  });
  await claimer.start();
  await clock.settle();
  await claimer.stop();
  return said;
}

test("nothing is claimed while more settles wait than settleBacklogSize", async () => {
  const { settleBacklogSize } = DEFAULT_OPTIONS;
  expect(await claimOnce(() => undefined, settleBacklogSize)).toEqual(["accepted"]);
  expect(await claimOnce(() => undefined, settleBacklogSize + 1)).toEqual([]);
});

describe("a claim's answer", () => {
  test("a claim's answer is taken over by the incarnation that sent it", async () => {
    expect(await claimOnce(() => undefined)).toEqual(["accepted"]);
  });

  test("a claim's answer that comes after the node has rejoined under another boot id is declined", async () => {
    expect(await claimOnce((node) => (node.bootId = "2"))).toEqual(["declined"]);
  });
});

/**
 * A claimer with this many ready tasks of type 1. Its store refuses every batch with a task of `bad`, and gives each
 * task of `typed` that type. Shows the requested batches, their results, and how many places are taken.
 */
async function claimAll(
  count: number,
  bad: readonly string[],
  {
    details = { dataRefused: true } as Record<string, boolean>,
    typed = new Map<string, number>(),
    limits = [] as number[],
    limited = [] as number[],
  } = {},
) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const ready = new ReadyQueue(count);
  for (let place = 0; place < count; place++)
    ready.push(foundTask({ id: `t${place}`, typeId: 1, version: 1, dueAt: 0, priority: 5 }, "wheel", 0), 0);
  const batches: string[][] = [];
  const claimed: string[] = [];
  const claim = async ({ ids }: ClaimRequest) => {
    batches.push([...ids]);
    if (ids.some((id) => bad.includes(id))) throw new TickwheelError("INTERNAL", "refused", { details });
    return { fenced: false, tasks: ids.map((id) => ({ id, typeId: typed.get(id) ?? 1 }) as ClaimedTask) };
  };
  const context = {
    clock,
    telemetry,
    options: DEFAULT_OPTIONS,
    tasks: { claim },
    dbClock: { nowMs: () => clock.monotonicMs(), noteReading: () => undefined },
    health: new Health(clock, telemetry),
    meters: new NodeMeters(),
  } as unknown as EngineContext;
  const executions = new Executions();
  const capacity = new Capacity(100, servedTypes(limits), clock);
  const claimer = new Claimer(context, {
    membership: { bootId: "1", canDispatch: () => true },
    ready,
    executions,
    way: new PlainClaims(context, { ready, capacity, isCounted: () => false }),
    isLimited: (typeId) => limited.includes(typeId),
    capacity,
    pausedKeys: () => [],
    handlersWord: () => undefined,
    replyLost: () => claimed.push("in doubt"),
    starved: () => undefined,
    passedBy: () => undefined,
    feed: { giveAgain: () => true },
    settler: { backlog: 0 } as Settler,
    dispatcher: {
      admits: true,
      accept: (tasks: readonly ClaimedTask[]) => claimed.push(...tasks.map(({ id }) => id)),
      decline: (tasks: readonly ClaimedTask[]) => claimed.push(...tasks.map(({ id }) => `${id} declined`)),
    } as unknown as Dispatcher,
  });
  await claimer.start();
  return {
    clock,
    claimer,
    batches,
    claimed,
    capacity,
    executions,
    told: () => telemetry.events.map(({ name }) => name),
  };
}

describe("a batch that the store refuses", () => {
  test("a batch whose claim is refused is halved until its bad tasks stand alone and are dropped; the others are claimed at once", async () => {
    const bad = ["t3", "t17"];
    const { clock, claimer, batches, claimed, capacity, executions, told } = await claimAll(40, bad);
    await clock.settle();
    const good = Array.from({ length: 40 }, (_, place) => `t${place}`).filter((id) => !bad.includes(id));
    expect([...claimed].sort()).toEqual(good.sort());
    expect(batches.length).toBeLessThan(30);
    expect([capacity.inUse, executions.inClaim(), executions.inDoubt()]).toEqual([38, [], []]);
    expect(told()).toEqual(["engine.claim.refused", "engine.claim.refused"]);
    await clock.advance(10_000);
    expect(batches.length).toBeLessThan(30);
    await claimer.stop();
  });

  test("a batch whose claim is refused for another reason is retried after a pause, and the failure is reported", async () => {
    const { clock, claimer, batches, claimed, capacity, told } = await claimAll(4, ["t0"], { details: {} });
    await clock.settle();
    expect(batches).toHaveLength(1);
    expect(told()).toEqual(["engine.claim.degraded"]);
    await clock.advance(5_000);
    expect([...claimed].sort()).toEqual(["t1", "t2", "t3"]);
    expect([capacity.inUse, claimed.includes("in doubt")]).toEqual([3, false]);
    await claimer.stop();
  });

  test("a batch that may have been claimed in spite of a fault of the program is in doubt, and none of it is dropped", async () => {
    const { clock, claimer, claimed, told } = await claimAll(4, ["t0"], { details: { outcomeUnknown: true } });
    await clock.settle();
    expect([claimed, told()]).toEqual([["in doubt"], ["engine.claim.degraded"]]);
    await claimer.stop();
  });

  test("a batch whose claim is refused leaves no place taken if the claimer stops before its halves were claimed", async () => {
    const { clock, claimer, capacity } = await claimAll(4, ["t0"], { details: {} });
    await clock.settle();
    expect(capacity.inUse).toBe(4);
    await claimer.stop();
    expect(capacity.inUse).toBe(0);
  });
});

test("a task that a hint gave the wrong type takes a place of its real type", async () => {
  const { clock, claimer, capacity } = await claimAll(3, [], { typed: new Map([["t1", 2]]), limits: [0, 3, 1] });
  await clock.settle();
  expect([capacity.inUse, capacity.isOpen(1), capacity.isOpen(2)]).toEqual([3, true, false]);
  await claimer.stop();
});

test("a task of a limited type that a hint gave another type is given back, and keeps no place once it is", async () => {
  const { clock, claimer, claimed } = await claimAll(3, [], { typed: new Map([["t1", 2]]), limited: [2] });
  await clock.settle();
  expect(claimed).toEqual(["t1 declined", "t0", "t2"]);
  await claimer.stop();
});
