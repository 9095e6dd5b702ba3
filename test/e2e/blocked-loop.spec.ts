import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newTestKey, startSchedulerNode, type TestNode, TestStage } from "../support/cluster.js";
import { brokenPipe } from "../support/outputs/lost-outputs.js";

const BLOCKED_FENCE_MS = 2_000;

const stage = new TestStage();
afterAll(() => stage.stop());

let databaseUrl: string;
beforeAll(async () => {
  ({ databaseUrl } = await stage.services());
});

/** The stage does not own it: it would take a node that ends by itself for a crash. */
async function startBlockable(outputs: { stderr?: number } = {}): Promise<TestNode> {
  const preload = join(import.meta.dirname, "../support/block-on-signal.mjs");
  const env = { NODE_OPTIONS: `--import=${preload}`, TICKWHEEL_LOOP_BLOCKED_FENCE_MS: String(BLOCKED_FENCE_MS) };
  return startSchedulerNode({ databaseUrl, apiKey: newTestKey(), env, outputs });
}

test("a stand-alone node whose event loop stays blocked is killed by its heartbeat, and says why", async () => {
  const node = await startBlockable();
  process.kill(node.pid, "SIGUSR2");
  const blockedMonoMs = performance.now();
  const end = await node.exited;
  expect(end).toEqual({ code: null, signal: "SIGKILL" });
  expect(node.log()).toMatch(
    /the event loop has been blocked for \d{4,} ms; running: no handler; the process is killed/,
  );
  expect(performance.now() - blockedMonoMs).toBeGreaterThan(BLOCKED_FENCE_MS - 250);
});

test("a node with a blocked loop is killed, too, when the reader of its stderr has gone and it cannot say why", async () => {
  const node = await startBlockable({ stderr: brokenPipe() });
  process.kill(node.pid, "SIGUSR2");
  expect(await node.exited).toEqual({ code: null, signal: "SIGKILL" });
});
