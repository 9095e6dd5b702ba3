import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RedisService } from "@tickwheel/local-services";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, NodeKeys, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";

/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;
const TOLD_LIMIT_MS = 5_000;
const RESTORED_LIMIT_MS = 10_000;

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;
let redis: RedisService;
let keys: NodeKeys;

beforeAll(async () => {
  const services = await stage.services({ redis: true });
  const { databaseUrl, redisUrl } = services;
  redis = services.redis!;
  ledger = await stage.add(new Ledger(databaseUrl));
  keys = await stage.add(new NodeKeys(redisUrl!));
  await ledger.create();
  nodes = await stage.many(3, () => stage.app({ databaseUrl, redisUrl, types: ["order"] }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

async function expectCoordination(coordination: string): Promise<void> {
  const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
  expect(reports.map((report) => report.coordination)).toEqual(nodes.map(() => coordination));
}

async function bootIds(): Promise<string[]> {
  const report = await nodes[0]!.client.cluster();
  return report.nodes.map(({ bootId, state }) => `${bootId} ${state}`).sort();
}

describe("Redis killed by SIGKILL and started again under load", () => {
  test("Redis killed and restarted under load loses, doubles and ends nothing; all nodes report that Postgres coordinates, since when", async () => {
    const before = await bootIds();
    const load = stage.load(nodes, {
      type: "order",
      perSecond: 50,
      delayMs: [50, 3_000],
      payload: { effect: true, holdMs: 10 },
      cancelEvery: 10,
    });
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(60));

    const killedAtMs = Date.now();
    const killedMonoMs = performance.now();
    await redis.kill();
    await eventually(async () => {
      await expectCoordination("postgres-degraded");
      for (const { client } of nodes) {
        const { degraded } = await client.cluster();
        const part = degraded.find((each) => each.part === "redis");
        expect(part).toMatchObject({ detail: expect.any(String), since: expect.stringMatching(/^\d{4}-.*Z$/) });
        // The database's clock is this machine's: the time must not be before the kill.
        expect(Date.parse(part!.since)).toBeGreaterThan(killedAtMs - 1_000);
      }
    });
    const degradedAfterMs = Math.round(performance.now() - killedMonoMs);
    const acknowledgedThen = load.acknowledged.size;
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(acknowledgedThen + 200));

    const restartedMonoMs = performance.now();
    await redis.restart();
    await eventually(async () => {
      await expectCoordination("redis");
      expect((await nodes[0]!.client.cluster()).degraded).toEqual([]);
    });
    const restoredAfterMs = Math.round(performance.now() - restartedMonoMs);
    await eventually(async () => expect(await keys.labels("node")).toHaveLength(nodes.length));

    const acknowledged = await load.stop();
    await quiet(nodes[0]!);
    const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
    const lateness = latenessOf(evidence.starts);
    tellTimes("Redis killed", {
      "every node says so": { ms: degradedAfterMs, boundMs: TOLD_LIMIT_MS },
      "it coordinates again, after it is back": { ms: restoredAfterMs, boundMs: RESTORED_LIMIT_MS },
      "lateness, worst": { ms: lateness.max, boundMs: LATENESS_LIMIT_MS },
    });
    expect(load.refusals).toEqual([]);
    expect(load.unanswered).toBe(0);
    expect(await bootIds()).toEqual(before);
    requirePromises(invariantsOf(evidence));
  });
});
