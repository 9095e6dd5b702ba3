import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, pidOf, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";

const DRAIN_LIMIT_MS = 3_000;

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const module = { drainTimeoutMs: DRAIN_LIMIT_MS };
  nodes = await stage.many(3, () => stage.app({ databaseUrl, redisUrl, types: ["order"], module }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

describe("a node stopped by SIGTERM under load", () => {
  test("a node stopped by SIGTERM ends handlers before its DataSource, releases slow tasks, and doubles and charges nothing", async () => {
    const load = stage.load(nodes, {
      type: "order",
      perSecond: 50,
      delayMs: [100, 3_000],
      payload: { effect: true, holdMs: 200 },
      cancelEvery: 10,
    });
    // These run longer than the drain waits, and end within their time-out of 60 s on a node that stays. The node on
    // which they start first is stopped.
    const endless = { type: "order", payload: { effect: true, holdMs: 30_000, holdFence: 1 } };
    const long = await nodes[0]!.client.scheduleMany(Array.from({ length: 5 }, () => endless));
    const itself = await eventually(async () => {
      const begun = (await ledger.starts()).find(({ taskId }) => long.some(({ id }) => id === taskId));
      expect(begun).toBeDefined();
      return begun!.node;
    });
    const leaving = nodes.find(({ pid }) => String(pid) === itself)!;
    const staying = nodes.filter((node) => node !== leaving);
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(30));

    load.drop(leaving.url);
    const stoppedMonoMs = performance.now();
    const end = await leaving.stop();
    const drainMs = Math.round(performance.now() - stoppedMonoMs);
    expect(end).toEqual({ code: null, signal: "SIGTERM" });
    await eventually(() => expectOneView(staying));
    // It has said goodbye, so no node reports a dead node.
    expect((await staying[0]!.client.cluster()).nodes.map(pidOf)).not.toContain(itself);

    const acknowledged = [...(await load.stop()), ...long.map(({ id }) => ({ id, cancel: null }))];
    await quiet(staying[0]!);
    const evidence = await gatherEvidence(acknowledged, { ledger, client: staying[0]!.client });
    const ends = await ledger.ends();
    const life = await ledger.life();
    const endless1 = evidence.starts.filter(
      ({ node, taskId }) => node === itself && long.some(({ id }) => id === taskId),
    );
    printFigures("node stopped", { drainMs, givenBack: endless1.length, latenessMs: latenessOf(evidence.starts) });

    expect(endless1.length).toBeGreaterThan(0);
    expect(evidence.starts.filter(({ attempt }) => attempt !== 1)).toEqual([]);
    const closing = life.find(({ node, event }) => node === itself && event === "database-closing");
    const endedThere = ends.filter(({ node }) => node === itself);
    expect(endedThere).toHaveLength(evidence.starts.filter(({ node }) => node === itself).length);
    expect(Math.max(...endedThere.map(({ atMs }) => atMs))).toBeLessThanOrEqual(closing!.atMs);
    for (const node of staying) expect(node.log()).not.toContain("cluster.node.dead");
    requirePromises(invariantsOf(evidence));
  });
});
