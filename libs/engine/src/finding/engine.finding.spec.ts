import { afterEach, describe, expect, test } from "@jest/globals";
import type { SchedulerOptions, Task } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;
let n1: SimulatedNode<MemoryWorld>;
const dead: SimulatedNode<MemoryWorld>[] = [];

async function begin(handlers: Record<string, Handler>, options: Partial<SchedulerOptions> = {}): Promise<void> {
  cluster = new SimulatedCluster(new MemoryWorld(7), handlers, options);
  n1 = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

async function schedule(...parameters: Parameters<typeof request>): Promise<Task> {
  return (await cluster.while(n1.node.service.schedule(request(...parameters)))).task;
}

const latenessOf = ({ id, scheduledAt }: Task): number | undefined => {
  const start = cluster.starts.find((candidate) => candidate.id === id);
  return start && start.at - scheduledAt;
};

const never = new Promise<never>(() => undefined);
const ok: Handler = async () => succeeded;

afterEach(async () => {
  await cluster.stop(dead.splice(0));
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

describe("finding due work", () => {
  test("the sweep finds a task in 1.2 s that neither a hint nor the loader brought", async () => {
    await begin({ ok });
    n1.connection.failNext("loadWindow", 1_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    const { task } = await cluster.while(writer.node.service.schedule(request("ok", 2_000)));
    await cluster.world.clock.advance(3_300);
    expect(latenessOf(task)).toBeLessThanOrEqual(1_200);
  });

  test("a row that was locked until it lay far below the sweep's bound is found one sweep after its release", async () => {
    await begin({ ok }, { sweepLookbackMs: 5_000 });
    const task = await schedule("ok", 1_000);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const transaction = cluster.world.database.transaction(async (within) => {
      await n1.node.service.edit(
        { namespace: "default", id: task.id, changes: { priority: 1 }, actor: "a" },
        { within },
      );
      await held;
      throw new Error("rolled back");
    });
    await cluster.world.clock.advance(20_000);
    release();
    await expect(transaction).rejects.toThrow("rolled back");
    await cluster.world.clock.advance(1_200);
    expect(latenessOf(task)).toBeLessThanOrEqual(20_200);
  });

  test("the full sweep finds a row that was committed more than a minute after it was due", async () => {
    await begin({ ok });
    let id = "";
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    const transaction = cluster.world.database.transaction(async (within) => {
      id = (await n1.node.service.schedule(request("ok", 0), { within })).task.id;
      await held;
    });
    await cluster.world.clock.advance(70_000);
    commit();
    await cluster.while(transaction);
    const committedAt = cluster.world.database.now();
    await cluster.world.clock.runUntil(() => cluster.starts.length > 0, 70_000);
    expect(cluster.starts).toMatchObject([{ id, finder: "full-sweep" }]);
    expect(cluster.starts[0]!.at - committedAt).toBeGreaterThan(2_000);
    expect(cluster.starts[0]!.at - committedAt).toBeLessThanOrEqual(61_000);
  });

  test("the hints of a writer without an engine reach the owners at once", async () => {
    await begin({ ok });
    await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    const tasks: Task[] = [];
    for (let count = 0; count < 20; count++)
      tasks.push((await cluster.while(writer.node.service.schedule(request("ok", 50)))).task);
    await cluster.world.clock.advance(100);
    expect(Math.max(...tasks.map((task) => latenessOf(task) ?? Infinity))).toBeLessThanOrEqual(3);
    expect(new Set(cluster.starts.map(({ node }) => node))).toEqual(new Set(["n1", "n2"]));
  });

  test("the loader reads a window of many pages", async () => {
    await begin({ ok }, { sweepPageSize: 10 });
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    const tasks: Task[] = [];
    for (let index = 0; index < 35; index++)
      tasks.push((await cluster.while(writer.node.service.schedule(request("ok", 6_000 + index)))).task);
    await cluster.world.clock.advance(7_000);
    expect(Math.max(...tasks.map((task) => latenessOf(task) ?? Infinity))).toBeLessThanOrEqual(3);
  });

  test("tasks that a new view takes away are loaded once more, in case the new owner does not load them", async () => {
    await begin({ ok });
    await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    const tasks: Task[] = [];
    for (let count = 0; count < 20; count++)
      tasks.push((await cluster.while(writer.node.service.schedule(request("ok", 2_500)))).task);
    const n3 = await cluster.addNode("n3");
    for (const statement of ["findDue", "loadWindow"] as const) n3.connection.failNext(statement, 1_000);
    await cluster.world.clock.advance(2_600);
    expect(Math.max(...tasks.map((task) => latenessOf(task) ?? Infinity))).toBeLessThanOrEqual(3);
    expect(n3.node.holdings().view).toBe(n1.node.holdings().view);
  });

  test("entries that a new view gives to others are kept for a reload interval, however often the node is made to load", async () => {
    await begin({ ok });
    for (let count = 0; count < 20; count++) await schedule("ok", 14_000);
    const n2 = await cluster.addNode("n2");
    await cluster.world.clock.runUntil(() => n1.node.holdings().view === 2, 2_000);
    for (let count = 0; count < 4; count++) {
      await cluster.world.clock.advance(1_000);
      await cluster.while(n2.coordination.send(n1.node.holdings().bootId!, { kind: "load" }));
    }
    expect(n1.node.holdings().entries).toHaveLength(20);
    await cluster.world.clock.advance(6_000);
    const held = [n1, n2].map(({ node }) => node.holdings().entries.length);
    expect(held[0]! + held[1]!).toBe(20);
    expect(held[1]).toBeGreaterThan(0);
  });

  test("one claim serves several milliseconds of due times", async () => {
    await begin({ ok });
    for (let index = 0; index < 50; index++) await schedule("ok", 1_000 + index);
    let claims = 0;
    n1.connection.gate = ({ statement, phase }) => void (statement === "claim" && phase === "before" && claims++);
    await cluster.world.clock.advance(1_100);
    expect(cluster.starts).toHaveLength(50);
    expect(claims).toBeLessThanOrEqual(25);
  });

  test("a type whose handlers hang leaves the other types on time", async () => {
    await begin({ hangs: () => never, ok }, { concurrency: 20 });
    for (let count = 0; count < 60; count++) await schedule("hangs", 0, { timeoutMs: 600_000 });
    await cluster.world.clock.advance(3_000);
    const tasks = [await schedule("ok", 500), await schedule("ok", 1_500)];
    await cluster.world.clock.advance(2_000);
    expect(tasks.map(latenessOf).every((lateness) => lateness! <= 3)).toBe(true);
    cluster.kill(n1);
    dead.push(n1);
  });

  test("tasks wait if no place is free, and the more urgent of those due together goes first", async () => {
    await begin({ slow: async (_, pause) => (await pause(100), succeeded) }, { concurrency: 1 });
    const at = cluster.world.database.now() + 1_000;
    const ids: string[] = [];
    for (const priority of [9, 0, 5]) {
      const { task } = await cluster.while(
        n1.node.service.schedule({ ...request("slow", 0, { priority }), due: { at } }),
      );
      ids.push(task.id);
    }
    await cluster.world.clock.advance(1_500);
    expect(cluster.starts.map(({ id }) => ids.indexOf(id))).toEqual([1, 2, 0]);
  });
});

describe("the finder of a start", () => {
  test("the finder of a start is `wheel` when a hint or the loader brought the task in time, in the wheel or due at once", async () => {
    await begin({ ok });
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    for (const delayMs of [0, 3_000]) await schedule("ok", delayMs);
    await cluster.while(writer.node.service.schedule(request("ok", 20)));
    await cluster.world.clock.advance(10);
    cluster.world.bus.lose = () => true;
    await cluster.while(writer.node.service.schedule(request("ok", 12_000)));
    await cluster.world.clock.advance(13_000);
    expect(cluster.starts.map(({ finder }) => finder)).toEqual(["wheel", "wheel", "wheel", "wheel"]);
  });

  test("the finder of a start is `sweep` for an own task that nothing brought before, `steal` for another node's overdue task", async () => {
    await begin({ ok });
    const n2 = await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    for (const statement of ["findDue", "loadWindow"] as const) n2.connection.failNext(statement, 1_000);
    for (let count = 0; count < 20; count++) await cluster.while(writer.node.service.schedule(request("ok", 0)));
    await cluster.world.clock.advance(4_000);
    const foundAfter = (finder: string): number[] =>
      cluster.starts.filter((start) => start.finder === finder).map(({ at, dueAt }) => at - dueAt);
    expect(foundAfter("sweep").length + foundAfter("steal").length).toBe(20);
    expect(Math.max(...foundAfter("sweep"))).toBeLessThanOrEqual(1_200);
    expect(Math.min(...foundAfter("steal"))).toBeGreaterThanOrEqual(1_500);
  });
});
