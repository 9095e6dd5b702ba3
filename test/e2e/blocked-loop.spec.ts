import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { newTestKey, startSchedulerNode, TestStage } from "../support/cluster.js";

const BLOCKED_FENCE_MS = 2_000;

const stage = new TestStage();
afterAll(() => stage.stop());

test("a stand-alone node whose event loop stays blocked is killed by its heartbeat, and says why", async () => {
  const { databaseUrl } = await stage.services();
  const preload = join(import.meta.dirname, "../support/block-on-signal.mjs");
  const env = { NODE_OPTIONS: `--import=${preload}`, TICKWHEEL_LOOP_BLOCKED_FENCE_MS: String(BLOCKED_FENCE_MS) };
  // The stage does not own this node: it would take a node that ends by itself for a crash.
  const node = await startSchedulerNode({ databaseUrl, apiKey: newTestKey(), env });
  process.kill(node.pid, "SIGUSR2");
  const blockedMonoMs = performance.now();
  const end = await node.exited;
  expect(end).toEqual({ code: null, signal: "SIGKILL" });
  expect(node.log()).toMatch(
    /the event loop has been blocked for \d{4,} ms; running: no handler; the process is killed/,
  );
  expect(performance.now() - blockedMonoMs).toBeGreaterThan(BLOCKED_FENCE_MS - 250);
});
