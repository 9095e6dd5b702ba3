import { beforeEach, describe, expect, test } from "@jest/globals";
import { type SchedulerOptions, type Task, TickwheelError } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

const ok: Handler = async () => succeeded;
let cluster: SimulatedCluster<MemoryWorld>;
let n1: SimulatedNode<MemoryWorld>;
beforeEach(() => {
  cluster = new SimulatedCluster(new MemoryWorld(11), { ok });
});

describe("a node's start and stop", () => {
  test("a node's start and stop take turns, whatever their order, and leave nothing behind", async () => {
    const { node } = cluster.build("n1");
    await node.stop();
    const calls = [node.start(), node.stop(), node.start(), node.start(), node.stop(), node.stop()];
    await cluster.while(Promise.all(calls));
    expect(cluster.world.clock.pendingTimers).toBe(0);
    expect(cluster.world.database.cluster.beats.size).toBe(0);
    await cluster.while(node.start());
    expect(node.isReady).toBe(true);
    await cluster.while(node.stop());
    expect(node.isReady).toBe(false);
  });

  test("a node's start without a store waits for it, with growing pauses, and reports the wait; a stop ends it", async () => {
    const { node, connection } = cluster.build("n1");
    let tries = 0;
    connection.gate = ({ phase }) => void (phase === "before" && tries++);
    connection.disconnect();
    let waits = 0;
    node.onStartWaits(() => waits++);
    const started = node.start();
    await cluster.world.clock.advance(60_000);
    expect([node.isReady, waits > 0]).toEqual([false, true]);
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(30);
    const told = cluster.world.telemetry.named("node.start.waiting");
    expect(told[0]?.message).toMatch(/waits for Postgres, for 0\.0 s so far, reading its clock: now was not sent/);
    expect(told.length).toBeLessThan(10);
    await cluster.while(node.stop());
    await started;
    expect(cluster.world.clock.pendingTimers).toBe(0);
    const again = node.start();
    const stopped = node.stop();
    await cluster.while(Promise.all([again, stopped]));
    expect(node.isStarted).toBe(false);
    connection.connect();
    await cluster.while(node.start());
    expect(node.isReady).toBe(true);
    await cluster.while(node.stop());
  });

  test("a node's start goes on when the store is back, from whichever step it had reached", async () => {
    for (const statement of ["now", "ensureType", "listTypes", "join", "updateTypes", "beat", "readView"] as const) {
      const { node, connection } = cluster.build(`of ${statement}`);
      connection.failNext(statement, 4);
      await cluster.while(node.start());
      expect({ statement, isReady: node.isReady }).toEqual({ statement, isReady: true });
    }
    await cluster.stop();
    expect(cluster.world.clock.pendingTimers).toBe(0);
  });

  test("the steps before a node's start wait for the store as well; an error that waiting cannot cure ends the start", async () => {
    const steps: string[] = [];
    const away = new TickwheelError("STORE_UNAVAILABLE", "away");
    const refused = new TickwheelError("INTERNAL", "no right");
    let failures: TickwheelError[] = [away, away];
    const run = async (): Promise<void> => {
      steps.push("tried");
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const { node } = cluster.build("n1", { preparations: [{ doing: "preparing", run }] });
    await cluster.while(node.start());
    expect([steps.length, node.isReady]).toEqual([3, true]);
    await cluster.while(node.stop());
    failures = [away, refused];
    await expect(cluster.while(node.start())).rejects.toBe(refused);
    expect(node.isReady).toBe(false);
    expect(cluster.world.clock.pendingTimers).toBe(0);
  });

  test("a node's start waits for a server that is read only for as long as a fail-over may take, and then ends", async () => {
    const details = { readOnly: true };
    const standby = new TickwheelError("STORE_UNAVAILABLE", "this is a standby", { details });
    let leftMs = 10_000;
    const run = async (): Promise<void> => {
      if (cluster.world.clock.monotonicMs() < leftMs) throw standby;
    };
    const { node } = cluster.build("n1", { preparations: [{ doing: "preparing", run }] });
    leftMs += cluster.world.clock.monotonicMs();
    await cluster.while(node.start());
    expect(node.isReady).toBe(true);
    await cluster.while(node.stop());
    leftMs = Infinity;
    await expect(cluster.while(node.start())).rejects.toMatchObject({
      code: "CONFIGURATION_INVALID",
      message: expect.stringMatching(
        /^For \d+\.\d s the database's address has led to .* read only: this is a standby/,
      ),
    });
    expect(node.isReady).toBe(false);
    expect(cluster.world.clock.pendingTimers).toBe(0);
  });

  test("a node's stop ends a start that waits for the store to join", async () => {
    const { node, connection } = cluster.build("n1");
    connection.failNext("join", 1_000);
    const started = node.start();
    await cluster.world.clock.advance(5_000);
    expect(node.isReady).toBe(false);
    await cluster.while(node.stop());
    await started;
    expect(cluster.world.clock.pendingTimers).toBe(0);
  });

  test("a started node knows whether another node signs webhooks, until that node is gone", async () => {
    const alone = await cluster.addNode("alone");
    expect(alone.node.webhooksAreSigned).toBe(false);
    const signer = await cluster.addNode("signer", { signsWebhooks: true });
    const late = await cluster.addNode("late");
    expect([signer, late].map(({ node }) => node.webhooksAreSigned)).toEqual([true, true]);
    await cluster.world.clock.advance(2_000);
    expect(alone.node.webhooksAreSigned).toBe(true);
    await cluster.while(signer.node.stop());
    await cluster.world.clock.advance(2_000);
    expect([alone, late].map(({ node }) => node.webhooksAreSigned)).toEqual([false, false]);
    await cluster.stop();
  });

  test("a handler for a type of webhook tasks stops the node's start", async () => {
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    const webhook = { kind: "webhook", url: "https://example.com" } as const;
    await cluster.while(writer.node.service.schedule(request("other", 0, { outbound: webhook })));
    const { node } = cluster.build("n1", { types: ["other"] });
    await expect(cluster.while(node.start())).rejects.toMatchObject({ code: "TYPE_DELIVERY_CONFLICT" });
    await cluster.stop();
    expect(cluster.world.clock.pendingTimers).toBe(0);
  });

  test("tasks can be written before a node's start; they run after it", async () => {
    const { node } = cluster.build("n1");
    const { task } = await cluster.while(node.service.schedule(request("ok", 0)));
    expect(cluster.starts).toEqual([]);
    await cluster.while(node.start());
    await cluster.world.clock.advance(1_500);
    expect(cluster.starts).toMatchObject([{ id: task.id, attempt: 1 }]);
    await cluster.while(node.stop());
  });
});

/** A cluster of one node, settled. */
async function begin(handlers: Record<string, Handler>, options: Partial<SchedulerOptions> = {}): Promise<void> {
  cluster = new SimulatedCluster(new MemoryWorld(11), handlers, options);
  n1 = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

async function schedule(...parameters: Parameters<typeof request>): Promise<Task> {
  return (await cluster.while(n1.node.service.schedule(request(...parameters)))).task;
}

function latenessOf({ id, scheduledAt }: Task): number {
  return (cluster.starts.find((start) => start.id === id)?.at ?? Infinity) - scheduledAt;
}

async function read({ id }: Task, node: SimulatedNode<MemoryWorld>): Promise<Task> {
  return (await cluster.while(node.node.service.get("default", id)))!;
}

describe("the drain", () => {
  test("the drain of a node charges no attempt, starts no task and leaves no row behind", async () => {
    await begin({
      long: async (_, pause) => (await pause(60_000), { kind: "failed", error: "stop", retryable: true }),
    });
    const tasks: Task[] = [];
    for (let count = 0; count < 5; count++) tasks.push(await schedule("long", 0, { timeoutMs: 600_000 }));
    await cluster.world.clock.advance(1_000);
    await cluster.while(n1.node.stop());
    const reader = await cluster.addNode("reader", { roles: ["api"] });
    for (const task of tasks) expect(await read(task, reader)).toMatchObject({ state: "scheduled", attempt: 0 });
    expect(cluster.world.database.cluster.beats.size).toBe(0);
    expect(cluster.starts).toHaveLength(5);
  });

  test("the drain of a node waits for handlers that end in time, even for one that ignores its abort until it is released", async () => {
    await begin(
      { slow: async (_, pause) => (await pause(10_000), succeeded), deaf: () => new Promise<never>(() => undefined) },
      { drainTimeoutMs: 15_000 },
    );
    const slow = await schedule("slow", 0);
    const deaf = await schedule("deaf", 0, { timeoutMs: 600_000 });
    await cluster.world.clock.advance(1_000);
    await cluster.while(n1.node.stop());
    const reader = await cluster.addNode("reader", { roles: ["api"] });
    expect(await read(slow, reader)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(await read(deaf, reader)).toMatchObject({ state: "scheduled", attempt: 0 });
  });

  test("the drain of a node brings a cancel whose message was lost to a handler that it waits for", async () => {
    await begin({
      long: async (_, pause) => (await pause(60_000), { kind: "failed", error: "stop", retryable: true }),
    });
    const caller = await cluster.addNode("caller", { roles: ["api"] });
    const task = await schedule("long", 0, { timeoutMs: 600_000 });
    await cluster.world.clock.advance(1_000);
    const stopped = n1.node.stop();
    await cluster.world.clock.advance(5_000);
    cluster.world.bus.lose = () => true;
    await cluster.while(caller.node.service.cancel({ namespace: "default", id: task.id }, "test"));
    await cluster.world.clock.advance(5_100);
    expect(await read(task, caller)).toMatchObject({ state: "cancelled" });
    await cluster.while(stopped);
  });

  test("the drain of a node hands over so that no task is more than a second late", async () => {
    await begin({ ok });
    const n2 = await cluster.addNode("n2");
    await cluster.world.clock.advance(2_000);
    const tasks: Task[] = [];
    for (let index = 0; index < 100; index++) tasks.push(await schedule("ok", 1_000 + index * 60));
    await cluster.while(n2.node.stop());
    await cluster.world.clock.advance(8_000);
    expect(Math.max(...tasks.map(latenessOf))).toBeLessThanOrEqual(1_000);
    expect(cluster.starts).toHaveLength(100);
  });
});
