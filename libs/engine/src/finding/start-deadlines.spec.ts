import { afterEach, describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type SchedulerOptions, type Task } from "@tickwheel/core";
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

const ok: Handler = async () => succeeded;
/** Takes 20 s, and fails when it is aborted. */
const slow: Handler = async ({ signal }, pause) => {
  await pause(20_000);
  return signal.aborted ? { kind: "failed", error: "aborted", retryable: true } : succeeded;
};

/** Ignores the abort on the first node, and takes a minute. */
const deaf: Handler = async () => {
  if (cluster.nodes.length === 1) await new Promise<void>((resolve) => cluster.world.clock.setTimer(60_000, resolve));
  return succeeded;
};
/** Fails on the first node. */
const fails: Handler = async () =>
  cluster.nodes.length === 1 ? { kind: "failed", error: "no answer", retryable: true } : succeeded;

async function begin(options: Partial<SchedulerOptions> = {}): Promise<void> {
  cluster = new SimulatedCluster(new MemoryWorld(11), { ok, slow, deaf, fails }, options);
  n1 = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

async function schedule(...parameters: Parameters<typeof request>): Promise<Task> {
  return (await cluster.while(n1.node.service.schedule(request(...parameters)))).task;
}

async function read({ id }: Task): Promise<Task> {
  return (await cluster.while(n1.node.service.get("default", id)))!;
}

afterEach(() => cluster.stop());

describe("start deadlines", () => {
  test("a task without a free place by its start deadline ends expired within a sweep, and its handler never runs", async () => {
    await begin({ concurrency: 1 });
    await schedule("slow", 0);
    const late = await schedule("slow", 0, { startDeadlineMs: 5_000 });
    const patient = await schedule("slow", 100);
    await cluster.world.clock.advance(5_000 + DEFAULT_OPTIONS.sweepIntervalMs);
    const ended = await read(late);
    expect(ended).toMatchObject({ state: "expired", startedAt: null, attempt: 0 });
    expect(ended.finishedAt! - ended.startDeadlineAt!).toBeLessThanOrEqual(DEFAULT_OPTIONS.sweepIntervalMs);
    await cluster.world.clock.advance(60_000);
    expect(await read(patient)).toMatchObject({ state: "succeeded" });
    expect(cluster.starts.map(({ id }) => id)).not.toContain(late.id);
  });

  test("a task with a start deadline of a type that no node runs ends expired within the interval of a full sweep", async () => {
    await begin();
    const task = await schedule("unknown.type", 0, { startDeadlineMs: 1_000 });
    await cluster.world.clock.advance(1_000 + DEFAULT_OPTIONS.fullSweepIntervalMs);
    expect(await read(task)).toMatchObject({ state: "expired" });
  });

  test("a task in time for its start deadline runs, and a task without a start deadline runs however late", async () => {
    await begin({ concurrency: 1 });
    await schedule("slow", 0);
    const inTime = await schedule("ok", 0, { startDeadlineMs: 60_000 });
    const patient = await schedule("ok", 0);
    await cluster.world.clock.advance(21_000);
    for (const task of [inTime, patient]) expect(await read(task)).toMatchObject({ state: "succeeded" });
  });

  test("more than a batch expires by start deadlines without waiting for further sweeps; what is not late runs meanwhile", async () => {
    await begin({ upkeepBatchSize: 3, concurrency: 1 });
    await schedule("slow", 0);
    const late: Task[] = [];
    for (let count = 0; count < 10; count++) late.push(await schedule("ok", 0, { startDeadlineMs: 5_000 }));
    await cluster.world.clock.advance(5_000 + DEFAULT_OPTIONS.sweepIntervalMs);
    for (const task of late) expect(await read(task)).toMatchObject({ state: "expired" });
  });

  test("a handler aborted by a lost lease has started, so its task never expires", async () => {
    await begin();
    const task = await schedule("slow", 0, { startDeadlineMs: 3_000, timeoutMs: 600_000 });
    await cluster.world.clock.advance(500);
    n1.connection.disconnect();
    n1.coordination.setAvailable(false);
    await cluster.world.clock.advance(5_800);
    n1.connection.connect();
    n1.coordination.setAvailable(true);
    await cluster.world.clock.advance(40_000);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(cluster.starts.filter(({ id }) => id === task.id)).toHaveLength(2);
  });

  test("a handler that ignores a drain's abort has started, and so has a handler whose end a drain could not write", async () => {
    await begin({ drainTimeoutMs: 1_000 });
    const deaf = await schedule("deaf", 0, { startDeadlineMs: 5_000, timeoutMs: 600_000 });
    const failed = await schedule("fails", 0, { startDeadlineMs: 5_000 });
    n1.connection.failNext("settle", 1_000);
    await cluster.world.clock.advance(500);
    await cluster.while(n1.node.stop());
    await cluster.world.clock.advance(10_000);
    n1 = await cluster.addNode("n2");
    await cluster.world.clock.advance(10_000);
    for (const task of [deaf, failed]) {
      expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1 });
      expect(cluster.starts.filter(({ id }) => id === task.id)).toHaveLength(2);
    }
  });

  test("a drain gives back started tasks as started, and others as not started", async () => {
    await begin({ concurrency: 1, drainTimeoutMs: 1_000 });
    const started = await schedule("slow", 0, { startDeadlineMs: 10_000, timeoutMs: 600_000 });
    const waiting = await schedule("slow", 0, { startDeadlineMs: 10_000 });
    await cluster.world.clock.advance(500);
    await cluster.while(n1.node.stop());
    await cluster.world.clock.advance(10_000);
    n1 = await cluster.addNode("n2");
    await cluster.world.clock.advance(40_000);
    expect(await read(started)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(await read(waiting)).toMatchObject({ state: "expired", attempt: 0 });
  });
});
