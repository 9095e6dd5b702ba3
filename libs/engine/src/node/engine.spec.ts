import { afterEach, describe, expect, test } from "@jest/globals";
import type { SchedulerOptions, Task } from "@tickwheel/core";
import { MemoryTaskStore, MemoryWorld } from "@tickwheel/testing";
import { ExecutionCancelledError, ExecutionTimeoutError } from "../index.js";
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

async function read({ id }: Task, node = n1): Promise<Task> {
  return (await cluster.while(node.node.service.get("default", id)))!;
}

const latenessOf = ({ id, scheduledAt }: Task): number | undefined => {
  const start = cluster.starts.find((candidate) => candidate.id === id);
  return start && start.at - scheduledAt;
};

const ok: Handler = async () => succeeded;

afterEach(async () => {
  await cluster.stop(dead.splice(0));
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

describe("time-outs", () => {
  test("a handler that ignores its abort is charged an attempt at the time-out, and its late result is discarded", async () => {
    const reasons: unknown[] = [];
    await begin({
      slow: async ({ signal, task }, _pause) => {
        if (task.attempt > 1) return { kind: "succeeded", result: '"second"' };
        await new Promise<void>((resolve) => cluster.world.clock.setTimer(5_000, resolve));
        reasons.push(signal.reason);
        return { kind: "succeeded", result: '"first"' };
      },
    });
    const backoff = { kind: "fixed", delayMs: 500 } as const;
    const task = await schedule("slow", 100, { timeoutMs: 1_000, backoff });
    await cluster.world.clock.advance(1_300);
    expect(await read(task)).toMatchObject({ state: "scheduled", attempt: 1, lastError: "timed out after 1000 ms" });
    expect(n1.node.inFlight).toBe(1);
    await cluster.world.clock.advance(6_000);
    expect(reasons).toEqual([expect.any(ExecutionTimeoutError)]);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 2, result: '"second"' });
    expect(n1.node.inFlight).toBe(0);
    expect(cluster.world.telemetry.named("engine.execution.stale")).toEqual([]);
  });

  test("the last attempt that times out ends the task dead", async () => {
    await begin({
      slow: async ({ signal }, pause) => {
        await pause(60_000);
        return { kind: "failed", error: String(signal.reason), retryable: true };
      },
    });
    const task = await schedule("slow", 0, { timeoutMs: 200, maxAttempts: 1 });
    await cluster.world.clock.advance(1_000);
    expect(await read(task)).toMatchObject({ state: "dead", reason: "ATTEMPTS", lastError: "timed out after 200 ms" });
  });
});

describe("tasks that ran when nodes died", () => {
  test("tasks that ran when nodes died run one at a time, beside normal work, and lose nothing by waiting", async () => {
    const ends: (() => void)[] = [];
    await begin({
      suspect: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return succeeded;
      },
      ok,
    });
    const suspects = [await schedule("suspect", 1_000), await schedule("suspect", 1_000)];
    const normal = await schedule("ok", 1_000);
    cluster.world.database.writeDirectly(({ tasks }) => {
      for (const { id } of suspects) tasks.put(id, { ...tasks.get(id)!, crashCount: 2 });
    });
    await cluster.world.clock.advance(4_000);
    expect(cluster.starts.map(({ id }) => id).toSorted()).toEqual([suspects[0]!.id, normal.id].toSorted());
    ends.pop()!();
    await cluster.world.clock.advance(5_000);
    expect(await read(suspects[1]!)).toMatchObject({ state: "running", attempt: 1, crashCount: 2 });
    ends.pop()!();
    await cluster.world.clock.advance(100);
    for (const task of suspects) expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
  });
});

describe("a promoted standby", () => {
  test("a standby's loss of a cancel is noticed within a sweep; the restored task runs although it lies below the sweep's bound", async () => {
    await begin({ ok }, { fullSweepIntervalMs: 3_600_000 });
    const task = await schedule("ok", 1_000);
    const before = cluster.world.database;
    await cluster.while(n1.node.service.cancel({ namespace: "default", id: task.id }, "test"));
    await cluster.world.clock.advance(90_000);
    before.writeDirectly(({ history, tasks }) => {
      history.put(task.id, undefined);
      tasks.put(task.id, { ...task, keyLive: false });
    });
    await cluster.world.clock.advance(5_000);
    expect(cluster.starts).toEqual([]);
    before.timeline++;
    await cluster.world.clock.advance(1_100);
    expect(cluster.starts.map(({ id }) => id)).toEqual([task.id]);
    expect(cluster.world.telemetry.named("engine.timeline.changed")).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("a running task that is cancelled is aborted and ends cancelled", async () => {
    const reasons: unknown[] = [];
    await begin({
      long: async ({ signal }, pause) => {
        await pause(30_000);
        reasons.push(signal.reason);
        return { kind: "failed", error: "stopped", retryable: true };
      },
    });
    await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const tasks = [await schedule("long", 3_000), await schedule("long", 3_000), await schedule("long", 3_000)];
    await cluster.world.clock.advance(3_100);
    for (const { id } of tasks) {
      const reply = await cluster.while(n1.node.service.cancel({ namespace: "default", id }, "test"));
      expect(reply.outcome).toBe("cancel_requested");
    }
    await cluster.world.clock.advance(50);
    expect(new Set(cluster.starts.map(({ node }) => node)).size).toBe(2);
    expect(reasons).toEqual(tasks.map(() => expect.any(ExecutionCancelledError)));
    for (const task of tasks) expect(await read(task)).toMatchObject({ state: "cancelled", reason: "REQUESTED" });
  });

  test("the request to cancel a task arrives within a reconcile although its message was lost", async () => {
    await begin({
      long: async (_, pause) => (await pause(30_000), { kind: "failed", error: "stop", retryable: true }),
    });
    const n2 = await cluster.addNode("n2", { types: [] });
    const task = await schedule("long", 0);
    await cluster.world.clock.advance(1_000);
    cluster.world.bus.lose = () => true;
    await cluster.while(n2.node.service.cancel({ namespace: "default", id: task.id }, "test"));
    await cluster.world.clock.advance(5_100);
    expect(await read(task)).toMatchObject({ state: "cancelled" });
  });
});

describe("lost replies and outages", () => {
  test("a task whose claim reply was lost is released, and runs without a charged attempt", async () => {
    await begin({ ok });
    const task = await schedule("ok", 500);
    n1.connection.loseNextReply("claim");
    await cluster.world.clock.advance(2_000);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1, fence: 3 });
    const journal = await cluster.while(n1.node.service.journal({ namespace: "default", id: task.id, limit: 200 }));
    expect(journal!.entries.map(({ reason }) => reason)).toContain("LOST_REPLY");
  });

  test("a claim that never answers is given up, and its late reply is discarded", async () => {
    await begin({ ok });
    const task = await schedule("ok", 500);
    let answer = (): void => undefined;
    n1.connection.gate = ({ statement, phase }) => {
      if (statement !== "claim" || phase !== "after") return;
      n1.connection.gate = null;
      return new Promise((resolve) => (answer = resolve));
    };
    await cluster.world.clock.advance(5_000);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
    answer();
    await cluster.world.clock.advance(5_000);
    expect(cluster.starts).toHaveLength(1);
  });

  test("a claim that never reached the store is tried again at once", async () => {
    await begin({ ok }, { sweepIntervalMs: 30_000, reloadIntervalMs: 14_000 });
    const task = await schedule("ok", 500);
    n1.connection.failNext("claim");
    await cluster.world.clock.advance(2_000);
    expect(latenessOf(task)).toBeLessThanOrEqual(300);
  });

  test("a settle whose reply was lost is sent again and changes nothing twice", async () => {
    await begin({ ok });
    const task = await schedule("ok", 100);
    n1.connection.loseNextReply("settle", 2);
    await cluster.world.clock.advance(3_000);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(cluster.starts).toHaveLength(1);
  });

  test("while the store is away nothing is lost, and work resumes within 2 s after its return", async () => {
    await begin({ ok, long: async (_, pause) => (await pause(3_000), succeeded) });
    const running = await schedule("long", 0);
    const due = await schedule("ok", 2_000);
    await cluster.world.clock.advance(1_000);
    n1.connection.disconnect();
    await cluster.world.clock.advance(4_000);
    n1.connection.connect();
    const backAt = cluster.world.database.now();
    await cluster.world.clock.advance(2_000);
    expect(await read(running)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(cluster.starts.find(({ id }) => id === due.id)!.at - backAt).toBeLessThanOrEqual(2_000);
    const told = cluster.world.telemetry.events.filter(({ name }) => name === "engine.claim.degraded");
    expect(told).toHaveLength(1);
  });

  test("without the bus known tasks are as punctual as before, and others are at most 1.2 s late", async () => {
    await begin({ ok });
    await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const known = await schedule("ok", 3_000);
    await cluster.world.clock.advance(1_000);
    cluster.world.bus.setAvailable(false);
    const fresh = [await schedule("ok", 2_000), await schedule("ok", 2_100), await schedule("ok", 2_200)];
    await cluster.world.clock.advance(4_000);
    expect(latenessOf(known)).toBeLessThanOrEqual(3);
    expect(Math.max(...fresh.map((task) => latenessOf(task)!))).toBeLessThanOrEqual(1_200);
  });

  test("a node that was cut off too briefly to be declared dead claims again as the same node", async () => {
    await begin({ ok });
    n1.connection.disconnect();
    n1.coordination.setAvailable(false);
    await cluster.world.clock.advance(5_800);
    expect(n1.node.isReady).toBe(false);
    n1.connection.connect();
    n1.coordination.setAvailable(true);
    await cluster.world.clock.advance(1_500);
    const task = await schedule("ok", 100);
    await cluster.world.clock.advance(200);
    expect(latenessOf(task)).toBeLessThanOrEqual(3);
    expect(cluster.world.telemetry.named("cluster.node.joined")).toHaveLength(1);
  });

  test("an execution that the store does not know any more is aborted", async () => {
    const reasons: unknown[] = [];
    await begin({
      long: async ({ signal }, pause) => {
        await pause(60_000);
        reasons.push(signal.reason);
        return succeeded;
      },
    });
    const task = await schedule("long", 0, { timeoutMs: 600_000 });
    await cluster.world.clock.advance(100);
    const { owner, fence } = await read(task);
    const store = new MemoryTaskStore(cluster.world.database.connect("operator"));
    await store.release([{ id: task.id, owner: owner!, fence, reason: "DRAIN" }]);
    await cluster.world.clock.advance(11_000);
    expect(reasons).toMatchObject([{ code: "LEASE_LOST" }]);
    expect(await read(task)).toMatchObject({ state: "running", attempt: 1, fence: fence + 2 });
    await cluster.world.clock.advance(60_000);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
  });

  test("a node that was cut off aborts, its tasks run elsewhere, and its late result changes nothing", async () => {
    const effects: string[] = [];
    const aborts: unknown[] = [];
    await begin({
      long: async ({ signal }, pause) => {
        await pause(15_000);
        if (signal.aborted) {
          aborts.push(signal.reason);
          return { kind: "failed", error: "aborted", retryable: true };
        }
        effects.push("done");
        return succeeded;
      },
    });
    await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const task = await schedule("long", 0);
    await cluster.world.clock.runUntil(() => cluster.starts.length > 0, 2_000);
    const first = cluster.nodes.find(({ label }) => label === cluster.starts[0]!.node)!;
    const bootIds = new Set([(await read(task)).owner]);
    first.connection.disconnect();
    first.coordination.setAvailable(false);
    await cluster.world.clock.advance(6_000);
    expect(aborts).toMatchObject([{ code: "LEASE_LOST" }]);
    await cluster.world.clock.advance(4_000);
    first.connection.connect();
    first.coordination.setAvailable(true);
    await cluster.world.clock.advance(25_000);
    const last = await read(task);
    expect(last).toMatchObject({ state: "succeeded", crashCount: 1, attempt: 1 });
    expect(bootIds.has(last.owner)).toBe(false);
    expect(effects).toEqual(["done"]);
    expect(first.node.isReady).toBe(true);
  });
});
