import { afterEach, expect, test } from "@jest/globals";
import type { SchedulerOptions } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import { type Handler, request, SimulatedCluster } from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;
afterEach(() => cluster.stop());

const fail: Handler = async () => ({ kind: "failed", error: "no", retryable: true });
const backoff = { kind: "fixed", delayMs: 0 } as const;

/** How often tasks that always fail, and ask for an immediate retry, start in ten seconds. */
async function startsOf(tasks: number, options: Partial<SchedulerOptions>): Promise<number> {
  cluster = new SimulatedCluster(new MemoryWorld(5), { a: fail }, options);
  const { node } = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
  const requests = Array.from({ length: tasks }, () => request("a", 0, { maxAttempts: 1_000, backoff }));
  await cluster.while(node.service.scheduleMany("default", requests));
  await cluster.world.clock.advance(10_000);
  return cluster.starts.length;
}

test("a failed task is retried no sooner than after the least backoff, whatever it asks for", async () => {
  await expect(startsOf(1, { minBackoffMs: 500 })).resolves.toBeLessThanOrEqual(20);
  await cluster.stop();
  await expect(startsOf(1, { minBackoffMs: 2_000 })).resolves.toBeLessThanOrEqual(6);
});

test("failed tasks of a namespace are retried at a bounded rate, however many they are", async () => {
  const tasks = 100;
  const seconds = 10;
  const perSecond = 20;
  const starts = await startsOf(tasks, { retriesPerSecondPerNamespace: perSecond });
  // A second's worth of their first attempts at once, and then the rate.
  expect(starts).toBeLessThanOrEqual(tasks + perSecond * (seconds + 1));
  expect(starts).toBeGreaterThan(tasks + perSecond * (seconds - 2));
});
