import { afterEach, describe, expect, test } from "@jest/globals";
import type { ClusterMessage, Task, TaskHint } from "@tickwheel/core";
import { HostileMessages } from "@tickwheel/simulation";
import { MemoryWorld, SeededRandom } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;
let one: SimulatedNode<MemoryWorld>;
let two: SimulatedNode<MemoryWorld>;
let aborts: string[] = [];

const quick: Handler = async () => succeeded;
const slow: Handler = async ({ task, signal }, pause) => {
  signal.addEventListener("abort", () => aborts.push(task.id));
  await pause(3_000);
  return signal.aborted ? { kind: "failed", error: "aborted", retryable: true } : succeeded;
};

/** Two nodes, each with a type that the other cannot run, and one that both can. */
async function begin(): Promise<void> {
  aborts = [];
  cluster = new SimulatedCluster(new MemoryWorld(7), { first: quick, second: quick, slow });
  one = await cluster.addNode("one", { types: ["first", "slow"] });
  two = await cluster.addNode("two", { types: ["second", "slow"] });
  await cluster.world.clock.advance(4_000);
}

async function schedule(...parameters: Parameters<typeof request>): Promise<Task> {
  return (await cluster.while(one.node.service.schedule(request(...parameters)))).task;
}

/** Sends like a client that may only use the channel. */
async function say(message: unknown): Promise<void> {
  await cluster.world.bus.attach().send("all", message as ClusterMessage);
}

function hintOf({ id, typeId, version, dueAt, priority }: Task): TaskHint {
  return { id, typeId, version, dueAt, priority };
}

async function taskOf(id: string): Promise<Task> {
  return (await cluster.while(one.node.service.get("default", id)))!;
}

afterEach(async () => {
  await cluster.stop();
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

describe("a forged message", () => {
  test("a forged type number makes no node run a type that it cannot: the task is given back uncharged, runs where it belongs", async () => {
    await begin();
    const other = await schedule("first", 100_000);
    const task = await schedule("second", 500);
    for (let count = 0; count < 5; count++) {
      await cluster.world.clock.advance(110);
      const hint = { ...hintOf(task), typeId: other.typeId, dueAt: cluster.world.database.now() };
      await say({ kind: "hints", hints: [hint] });
    }
    await cluster.world.clock.advance(1_500);
    const starts = cluster.starts.filter(({ id }) => id === task.id);
    expect(starts).toMatchObject([{ node: "two", attempt: 1 }]);
    expect(starts[0]!.at - task.dueAt).toBeLessThanOrEqual(1_200);
    expect(await taskOf(task.id)).toMatchObject({ state: "succeeded", attempt: 1, lastError: null });
    expect([one.node.inFlight, two.node.inFlight]).toEqual([0, 0]);
  });

  test("a forged message with a number that no type has causes no claim", async () => {
    await begin();
    const task = await schedule("second", 500);
    await say({ kind: "hints", hints: [{ ...hintOf(task), typeId: 77 }] });
    await cluster.world.clock.advance(1_000);
    expect(await taskOf(task.id)).toMatchObject({ state: "succeeded", attempt: 1 });
  });

  test("a forged request for a cancel stops nothing without a request in the store, and hides no real cancel", async () => {
    await begin();
    const task = await schedule("slow", 0);
    await cluster.world.clock.advance(500);
    const [start] = cluster.starts.filter(({ id }) => id === task.id);
    for (let count = 0; count < 50; count++) {
      await say({ kind: "cancel", id: task.id, fence: start!.fence });
      await cluster.world.clock.advance(10);
    }
    expect(aborts).toEqual([]);
    const asked = start!.node === "one" ? two : one;
    await cluster.while(asked.node.service.cancel({ namespace: "default", id: task.id }, "somebody"));
    await cluster.world.clock.advance(300);
    expect(aborts).toEqual([task.id]);
    await cluster.world.clock.advance(4_000);
    expect(await taskOf(task.id)).toMatchObject({ state: "cancelled" });
  });

  test("forged messages change nothing even by the thousand: every task runs once, at most as late as after a lost hint", async () => {
    await begin();
    const hostile = new HostileMessages(new SeededRandom(11));
    const tasks: Task[] = [];
    for (let count = 0; count < 60; count++) {
      const type = ["first", "second"][count % 2]!;
      tasks.push(await schedule(type, (count * 37) % 3_000));
      const overheard = {
        taskIds: tasks.slice(-20).map(({ id }) => id),
        typeIds: [...new Set(tasks.map(({ typeId }) => typeId))],
        nowMs: cluster.world.database.now(),
      };
      for (let said = 0; said < 20; said++) await say(hostile.next(overheard));
      await cluster.world.clock.advance(20);
    }
    await cluster.world.clock.advance(6_000);
    for (const { id, dueAt, createdAt } of tasks) {
      const starts = cluster.starts.filter((start) => start.id === id);
      expect(starts).toMatchObject([{ attempt: 1 }]);
      expect(starts[0]!.at - Math.max(dueAt, createdAt)).toBeLessThanOrEqual(1_200);
    }
    const { degraded } = await cluster.while(one.node.service.cluster());
    expect(degraded).toMatchObject([{ part: "messages" }]);
  });
});
