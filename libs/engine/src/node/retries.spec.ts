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

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let cluster: SimulatedCluster<MemoryWorld>;
let node: SimulatedNode<MemoryWorld>;
/** When each attempt of a task was due, by the task's id. */
const dueTimes = new Map<string, number[]>();

async function begin(handler: Handler, options: Partial<SchedulerOptions> = {}): Promise<void> {
  const notify: Handler = (execution, pause) => {
    const { id, dueAt } = execution.task;
    dueTimes.set(id, [...(dueTimes.get(id) ?? []), dueAt]);
    return handler(execution, pause);
  };
  cluster = new SimulatedCluster(new MemoryWorld(7), { notify }, options);
  node = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

async function schedule(...[delayMs, more]: [number, Parameters<typeof request>[2]?]): Promise<Task> {
  return (await cluster.while(node.node.service.schedule(request("notify", delayMs, more)))).task;
}

async function read({ id }: Task): Promise<Task> {
  return (await cluster.while(node.node.service.get("default", id)))!;
}

/** How long after the end of each attempt that did not succeed the next one was due, in milliseconds. */
async function waitsOf({ id }: Task): Promise<number[]> {
  const page = await cluster.while(node.node.service.journal({ namespace: "default", id, limit: 50 }));
  const ends = page!.entries.filter(({ from, to }) => from === "running" && to === "scheduled");
  return (dueTimes.get(id) ?? []).slice(1).map((dueAt, index) => dueAt - ends[index]!.at);
}

afterEach(async () => {
  dueTimes.clear();
  await cluster.stop();
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

describe("a ladder", () => {
  const refused = { kind: "failed", error: "fail", retryable: true } as const;

  test("a ladder notifies at its times, to the tick, until it is answered success", async () => {
    await begin(async ({ task }) => (task.attempt < 6 ? refused : succeeded));
    const rungs = [4, 10, 10, 60, 120].map((seconds) => seconds * SECOND);
    const task = await schedule(1_000, { backoff: { kind: "ladder", delaysMs: [...rungs, HOUR, HOUR] } });
    expect(task.maxAttempts).toBe(8);
    await cluster.world.clock.advance(4 * MINUTE);
    expect(await waitsOf(task)).toEqual(rungs);
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 6 });
  });

  test("a ladder is used up after its last rung; with more attempts the last rung is repeated", async () => {
    await begin(async () => refused);
    const backoff = { kind: "ladder", delaysMs: [1_000, 5_000] } as const;
    const short = await schedule(0, { backoff });
    const long = await schedule(0, { backoff, maxAttempts: 5 });
    await cluster.world.clock.advance(MINUTE);
    expect([await waitsOf(short), await waitsOf(long)]).toEqual([
      [1_000, 5_000],
      [1_000, 5_000, 5_000, 5_000],
    ]);
    expect([await read(short), await read(long)]).toMatchObject([{ state: "dead" }, { state: "dead", attempt: 5 }]);
  });
});

describe("a skip", () => {
  test("a skip ends the task succeeded, at its first attempt or a later one, told apart in the journal and in counts", async () => {
    const failed = { kind: "failed", error: "not yet", retryable: true } as const;
    await begin(async ({ task }) => (task.key === "late" && task.attempt < 2 ? failed : { kind: "skipped" }));
    const first = await schedule(0);
    const late = await schedule(0, { key: "late" });
    await cluster.world.clock.advance(10_000);
    expect([await read(first), await read(late)]).toMatchObject([
      { state: "succeeded", reason: "SKIPPED", result: null, attempt: 1 },
      { state: "succeeded", reason: "SKIPPED", result: null, attempt: 2, keyLive: false },
    ]);
    const { lastMinute } = await cluster.while(node.node.service.stats("default"));
    expect(lastMinute).toMatchObject({ succeeded: 2, skipped: 2 });
  });
});

describe("a snooze", () => {
  test("a snooze puts the task off for as long as it asks, costs no attempt, and is journalled", async () => {
    await begin(async ({ task }) => (task.snoozeCount < 3 ? { kind: "snoozed", delayMs: 10 * SECOND } : succeeded));
    const task = await schedule(1_000, { maxAttempts: 1 });
    await cluster.world.clock.advance(MINUTE);
    expect(await waitsOf(task)).toEqual(Array.from({ length: 3 }, () => 10 * SECOND));
    expect(await read(task)).toMatchObject({ state: "succeeded", attempt: 1, snoozeCount: 3 });
    const page = await cluster.while(node.node.service.journal({ namespace: "default", id: task.id, limit: 50 }));
    expect(page!.entries.filter(({ reason }) => reason === "SNOOZED")).toHaveLength(3);
    expect(cluster.world.telemetry.named("task.failed")).toEqual([]);
  });

  test("a snooze once too often is a failed attempt, so no task is put off for ever", async () => {
    await begin(async () => ({ kind: "snoozed", delayMs: 1_000 }), { maxSnoozes: 2 });
    const task = await schedule(0, { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 7_000 } });
    await cluster.world.clock.advance(MINUTE);
    expect(await waitsOf(task)).toEqual([1_000, 1_000, 7_000]);
    expect(await read(task)).toMatchObject({
      state: "dead",
      reason: "ATTEMPTS",
      attempt: 2,
      lastError: expect.stringContaining("maxSnoozes"),
    });
  });
});
