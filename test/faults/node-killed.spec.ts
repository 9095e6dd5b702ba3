import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { slotOfId } from "@tickwheel/core";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, leaderAmong, lineOf, NodeKeys, quiet } from "../support/cluster-view.js";
import { IS_WHOLE } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures, tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { type Acknowledged, gatherEvidence, invariantsOf } from "../support/invariants.js";
import { firstStarts, latenessOf, Ledger, type Start } from "../support/ledger.js";
import type { TaskLoad } from "../support/task-load.js";
import { expectCounts } from "./count-accounts.js";

const PENDING_LIMIT_MS = 3_000;
const RUNNING_LIMIT_MS = 10_000;
const KEYS_AND_SLOTS_LIMIT_MS = 5_000;
const NEW_TERM_LIMIT_MS = 8_000;
/** The lateness that a lost hint may cause while no node is killed. */
const NORMAL_LIMIT_MS = 1_200;
const NORMAL_P99_LIMIT_MS = 250;

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;
let keys: NodeKeys;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  keys = await stage.add(new NodeKeys(redisUrl!));
  await ledger.create();
  nodes = await stage.many(4, () => stage.app({ databaseUrl, redisUrl, types: ["order"] }));
  await eventually(() => expectOneView(nodes));
});
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

function loadOn(targets: readonly TestNode[]): TaskLoad {
  const payload = { effect: true, holdMs: 20 };
  return stage.load(targets, { type: "order", perSecond: 60, delayMs: [200, 4_000], payload, cancelEvery: 10 });
}

/** Ends this node by SIGKILL, and no other process. */
async function kill(
  victim: TestNode,
): Promise<{ killedAtMs: number; survivors: TestNode[]; sinceKillMs: () => number }> {
  const killedAtMs = await ledger.now();
  const killedMonoMs = performance.now();
  await victim.kill();
  nodes = nodes.filter((node) => node !== victim);
  return { killedAtMs, survivors: nodes, sinceKillMs: () => Math.round(performance.now() - killedMonoMs) };
}

/**
 * Schedules tasks that run for long, until this node runs so many.
 *
 * @returns the ids of all of them, also of those that other nodes run
 */
async function longTasksOn(node: TestNode, wanted: number): Promise<string[]> {
  // Due soon, so the node that takes them runs them: unless it is behind, and another node finds them first.
  const held = { type: "order", payload: { effect: true, holdMs: 12_000, holdFence: 1 }, delay: 300 };
  const ids: string[] = [];
  for (;;) {
    ids.push(...(await node.client.scheduleMany(Array.from({ length: 20 }, () => held))).map(({ id }) => id));
    const isEnough = await eventually(async () => {
      const running = await ledger.runningOn(String(node.pid));
      const begun = new Set((await ledger.starts()).map(({ taskId }) => taskId));
      const isThere = running.filter((id) => ids.includes(id)).length >= wanted;
      expect(isThere || ids.every((id) => begun.has(id))).toBe(true);
      return isThere;
    });
    if (isEnough) return ids;
  }
}

/** Starts, on nodes that lived on, of tasks that were due within ten seconds after the kill. */
function affected(starts: readonly Start[], { victim, killedAtMs }: { victim: TestNode; killedAtMs: number }): Start[] {
  const survived = firstStarts(starts.filter(({ node }) => node !== String(victim.pid)));
  return survived.filter(({ dueAtMs, atMs }) => dueAtMs < killedAtMs + 10_000 && atMs >= killedAtMs);
}

async function expectInvariants(acknowledged: readonly Acknowledged[]): Promise<void> {
  const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
  requirePromises(invariantsOf(evidence));
}

describe("a node killed by SIGKILL under load", () => {
  test("a node killed by SIGKILL loses its keys and slots to others; its tasks run at most seconds late, with each effect once", async () => {
    const { leader } = await leaderAmong(nodes);
    const victim = nodes.find((node) => node !== leader)!;
    const load = loadOn(nodes);
    const long = await longTasksOn(victim, 5);

    load.drop(victim.url);
    const { killedAtMs, survivors, sinceKillMs } = await kill(victim);
    await eventually(async () => {
      const labels = [...(await keys.labels("node")), ...(await keys.labels("owned"))];
      expect(labels.filter((label) => label.endsWith(`:${victim.pid}`))).toEqual([]);
    });
    const keysGoneMs = sinceKillMs();
    await eventually(() => expectOneView(survivors));
    const slotsTakenMs = sinceKillMs();
    const isRerun = ({ taskId, node, fence, attempt, atMs }: Start): boolean =>
      fence > 1 && attempt === 1 && atMs >= killedAtMs && node !== String(victim.pid) && long.includes(taskId);
    await eventually(async () => expect((await ledger.starts()).some(isRerun)).toBe(true));

    const acknowledged = [...(await load.stop()), ...long.map((id) => ({ id, cancel: null }))];
    await quiet(survivors[0]!);
    const starts = await ledger.starts();
    const pending = affected(starts, { victim, killedAtMs }).filter(({ fence }) => fence === 1);
    const rerun = firstStarts(starts.filter(isRerun));
    const rerunAfterMs = rerun.map(({ atMs }) => atMs - killedAtMs);
    expect(pending.length).toBeGreaterThan(50);
    expect(rerun.length).toBeGreaterThanOrEqual(5);
    tellTimes("a node killed", {
      "its keys are gone": { ms: keysGoneMs, boundMs: KEYS_AND_SLOTS_LIMIT_MS },
      "its slots are taken": { ms: slotsTakenMs, boundMs: KEYS_AND_SLOTS_LIMIT_MS },
      "pending tasks, lateness, worst": { ms: latenessOf(pending).max, boundMs: PENDING_LIMIT_MS },
      "running tasks run again, worst": { ms: Math.max(...rerunAfterMs), boundMs: RUNNING_LIMIT_MS },
    });
    await expectInvariants(acknowledged);
  });

  test("a node killed by SIGKILL is replaced as leader if it was that, and only the tasks in its own slots are late", async () => {
    const { leader, term } = await leaderAmong(nodes);
    const load = loadOn(nodes);
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(100));
    const itsSlots = await keys.ownedBy(leader.pid);

    load.drop(leader.url);
    const { killedAtMs, survivors, sinceKillMs } = await kill(leader);
    const next = await eventually(async () => {
      const report = await survivors[0]!.client.cluster();
      expect(report.leader?.term).toBeGreaterThan(term);
      expect(lineOf(report, leader.pid)?.state).not.toBe("live");
      return report.leader!;
    });
    const newTermMs = sinceKillMs();
    expect(survivors.map(({ pid }) => next.node.endsWith(`:${pid}`))).toContain(true);
    await eventually(() => expectOneView(survivors));

    const acknowledged = await load.stop();
    await quiet(survivors[0]!);
    const starts = affected(await ledger.starts(), { victim: leader, killedAtMs }).filter(({ fence }) => fence === 1);
    const its = starts.filter(({ taskId }) => itsSlots.has(slotOfId(taskId)));
    const others = starts.filter(({ taskId }) => !itsSlots.has(slotOfId(taskId)));
    expect(its.length).toBeGreaterThan(10);
    expect(others.length).toBeGreaterThan(30);
    tellTimes("the leader killed", {
      "another one leads": { ms: newTermMs, boundMs: NEW_TERM_LIMIT_MS },
      "tasks of its slots, lateness, worst": { ms: latenessOf(its).max, boundMs: PENDING_LIMIT_MS },
      "other tasks, lateness, p99": { ms: latenessOf(others).p99, boundMs: NORMAL_P99_LIMIT_MS },
      "other tasks, lateness, worst": { ms: latenessOf(others).max, boundMs: NORMAL_LIMIT_MS },
    });
    await expectInvariants(acknowledged);
  });
});

// Minutes in doubt are counted long after their end, so a sample does not wait for it.
if (IS_WHOLE)
  test("the counters of ended tasks equal the rows at the end, although nodes are killed", async () => {
    const { recounted, rows } = await expectCounts(ledger);
    printFigures("counters after a fault", { recounted, ended: rows.reduce((sum, each) => sum + each.succeeded, 0) });
    expect(recounted).toBeGreaterThan(0);
  });
