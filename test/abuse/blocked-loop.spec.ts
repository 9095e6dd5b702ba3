import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { promised } from "../support/broken-promise.js";
import { newTestKey, startTestApp, type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, lineOf } from "../support/cluster-view.js";
import type { ProcessEnd } from "../support/node-process.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import type { TaskBody } from "../support/api-client.js";
import { tellTimes } from "../support/figures.js";

/** The fence is much shorter than by default; the handler blocks for longer than that. */
const FENCE_MS = 4_000;
const BLOCK_MS = 8_000;
/** One of these is due each tenth of a second. */
const CROWD = 250;
const TOLD_WITHIN_MS = 3_000;
const LATE_MS = 3_000;

const stage = new TestStage();
const apiKey = newTestKey();
let nodes: TestNode[] = [];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const module = { loopBlockedFenceMs: FENCE_MS, exitWhenBlocked: true };
  const start = () => startTestApp({ databaseUrl, redisUrl, apiKey, types: ["resize", "mail"], module });
  // The stage does not own these nodes: it would take a node that ends by itself for a crash.
  nodes = await stage.many(3, start);
  await eventually(() => expectOneView(nodes));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await stage.stop();
});

interface Ended {
  node: TestNode;
  end: ProcessEnd;
  atMonoMs: number;
}

/** The nodes that end by themselves, in the order of their ends. */
function watchEnds(): Ended[] {
  const ended: Ended[] = [];
  for (const node of nodes)
    void node.exited.then((end) => node.endedByItself && ended.push({ node, end, atMonoMs: performance.now() }));
  return ended;
}

async function create(node: TestNode, input: object): Promise<TaskBody> {
  const { status, body } = await node.client.post<TaskBody>("/v1/tasks", input);
  expect(status).toBe(201);
  return body;
}

const TRIES = 5;

/**
 * Tasks that all run on this node at once. Where a busy machine has fenced it meanwhile, it gives them back, and
 * another one runs them: then others are made in their place.
 */
async function runningOn(node: TestNode, tasks: readonly object[]): Promise<TaskBody[]> {
  for (let tries = 1; ; tries++) {
    const created = await node.client.scheduleMany(tasks);
    const ids = new Set(created.map(({ id }) => id));
    const isThere = await eventually(async () => {
      const ended = (await ledger.ends()).filter(({ taskId }) => ids.has(taskId));
      const starts = (await ledger.starts()).filter(({ taskId }) => ids.has(taskId));
      if (ended.length > 0 || starts.some((start) => start.node !== String(node.pid))) return false;
      expect(starts).toHaveLength(tasks.length);
      return true;
    });
    if (isThere) return created;
    expect(tries).toBeLessThan(TRIES);
    for (const id of ids) await node.client.delete(`/v1/tasks/${id}`);
  }
}

describe("a handler that blocks its event loop for good", () => {
  test("a handler that blocks its loop for good kills two nodes, long apart; every node reports it, and tasks beside it succeed", async () => {
    const ended = watchEnds();
    const [first, ...others] = nodes as [TestNode, TestNode, TestNode];
    const watcher = others[0]!;
    // Tasks of its type and of another, on all nodes, due from now until long after the second kill.
    const crowd = Array.from({ length: CROWD }, (_, place) => ({
      type: place % 2 === 0 ? "resize" : "mail",
      delay: 2_500 + place * 100,
      payload: {},
    }));
    const acknowledged = await watcher.client.scheduleMany(crowd);
    // A task that is due at once runs on the node that takes it. So these run there when the loop blocks, and some go
    // on for long.
    const beside = await runningOn(first, [
      { type: "mail", payload: { holdMs: 5_000 } },
      ...Array.from({ length: 4 }, () => ({ type: "mail", payload: { holdMs: 120_000, holdFence: 1 } })),
      ...Array.from({ length: 5 }, () => ({ type: "resize", payload: { holdMs: 120_000, holdFence: 1 } })),
    ]);
    const blocker = await create(first, { type: "resize", payload: { blockMs: BLOCK_MS } });
    const blockedMonoMs = performance.now();

    const part = await eventually(async () => {
      const report = await watcher.client.cluster();
      const { label, loopLagMs } = lineOf(report, first.pid)!;
      expect(loopLagMs).toBeGreaterThanOrEqual(1_000);
      const told = report.degraded.find((each) => each.part === `node ${label}`);
      expect(told?.detail).toBe("its event loop is blocked; running: resize × 6, mail × 5");
      return told!.part;
    });
    const toldMs = Math.round(performance.now() - blockedMonoMs);

    let waitTold = "";
    const lookout = setInterval(() => {
      void watcher.client
        .cluster()
        .then(({ degraded }) => (waitTold ||= degraded.find((each) => each.part === "engine.quarantine")?.detail ?? ""))
        .catch(() => undefined);
    }, 250);
    let survivor = watcher;
    const task = await eventually(async () => {
      survivor = others.find(({ endedByItself }) => !endedByItself)!;
      const { body } = await survivor.client.get<TaskBody>(`/v1/tasks/${blocker.id}`);
      expect(body.state).toBe("dead");
      return body;
    }).finally(() => clearInterval(lookout));
    await eventually(async () => {
      const { body } = await survivor.client.get<{ items: object[] }>("/v1/tasks?state=scheduled,running&limit=3");
      expect(body.items).toEqual([]);
    });

    const starts = await ledger.starts();
    const claimedByBlocked = new Set([blocker.id, ...beside.map(({ id }) => id)]);
    for (const { node } of ended)
      for (const { taskId } of starts.filter((start) => start.node === String(node.pid))) claimedByBlocked.add(taskId);
    const latest = new Map(starts.map((start) => [start.taskId, start]));
    const lateness = [...latest.values()]
      .filter(({ taskId, fence }) => !claimedByBlocked.has(taskId) && fence === 1)
      .map(({ atMs, dueAtMs }) => Math.round(atMs - dueAtMs));
    const apartMs = ended.map(({ atMonoMs }) => Math.round(atMonoMs - blockedMonoMs));
    tellTimes("a handler blocks its event loop for good", {
      "every node says so": { ms: toldMs, boundMs: TOLD_WITHIN_MS },
      "tasks that nobody had claimed, lateness, worst": { ms: Math.max(...lateness), boundMs: LATE_MS },
    });
    expect(part).toContain(`:${first.pid}`);
    expect(ended.map(({ end }) => end)).toEqual([
      { code: null, signal: "SIGKILL" },
      { code: null, signal: "SIGKILL" },
    ]);
    expect(apartMs[1]! - apartMs[0]!).toBeGreaterThanOrEqual(FENCE_MS / 2);
    for (const { node } of ended)
      expect(node.log()).toMatch(/the event loop has been blocked for \d+ ms; running: .*resize/);
    expect(watcher.log() + survivor.log()).toMatch(/event loop of node .* is blocked; running: resize × 6, mail × 5/);
    expect(task).toMatchObject({ reason: "CRASHES", crashCount: 2 });
    expect(task.lastError).toMatch(
      new RegExp(
        `^its nodes died: ${ended.map(({ node }) => `node \\S+:${node.pid} at 20\\S+Z \\(.*blocked\\)`).join("; ")}$`,
      ),
    );
    expect(waitTold).toMatch(/^\d+ tasks that ran in a blocked event loop wait to run one at a time; /);
    const done = new Set((await ledger.ends()).map(({ taskId }) => taskId));
    promised(() => expect([...acknowledged, ...beside].filter(({ id }) => !done.has(id))).toEqual([]));
  });
});
