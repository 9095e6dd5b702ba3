import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { RedisService } from "@tickwheel/local-services";
import { requirePromises } from "../support/broken-promise.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { FAULT_ROUNDS } from "../support/fail-over/rounds.js";
import { printFigures, tellTimes } from "../support/figures.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";
import { startRedisCluster } from "../support/servers/redis-cluster.js";
import { askRedis, type RedisGroup, replicationOf } from "../support/servers/redis-group.js";
import { startRedisSentinels } from "../support/servers/redis-sentinels.js";
import type { TaskLoad } from "../support/task-load.js";

/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;
const AWAY_LIMIT_MS = 10_000;
/** As long as a primary is cut off. */
const CUT_OFF_MS = 10_000;
/** What all names of a cluster in Redis begin with: its name is that of the schema. */
const PREFIX = "tickwheel:{tickwheel}:";
const ROUNDS = Array.from({ length: FAULT_ROUNDS }, (_, at) => at + 1);

const GROUPS = [
  { name: "Redis under Sentinel", start: () => startRedisSentinels() },
  { name: "Redis as a Cluster", start: () => startRedisCluster(`${PREFIX}leader`) },
];

/** What happens to the primary, until it is back as a replica. */
const FAULTS = [
  {
    name: "killed",
    strike: (primary: RedisService) => primary.kill(),
    // Started again at once it would still be the primary, and empty.
    mend: async (old: RedisService, group: RedisGroup) => {
      await eventually(async () => expect((await group.primary()).port).not.toBe(old.port));
      await old.restart();
    },
  },
  {
    name: "cut off for ten seconds",
    strike: async (primary: RedisService) => primary.pause(),
    mend: async (primary: RedisService) => {
      await lasting(CUT_OFF_MS);
      primary.resume();
    },
  },
];

describe.each(GROUPS)("$name", ({ name: group, start }) => {
  const stage = new TestStage();
  let redis: RedisGroup;
  let ledger: Ledger;
  let nodes: TestNode[];

  beforeAll(async () => {
    const { databaseUrl } = await stage.services();
    redis = await stage.add(await start());
    ledger = await stage.add(new Ledger(databaseUrl));
    await ledger.create();
    const module = { redis: redis.source };
    nodes = await stage.many(3, () => stage.app({ databaseUrl, types: ["order"], module }));
    await expectCoordination();
  });
  afterEach(() => stage.endLoads());
  afterAll(() => stage.stop());

  /**
   * One view, one leader, no trouble with Redis and no finding of it; every node is heard and hears where it is sent.
   */
  async function expectCoordination(): Promise<void> {
    await eventually(async () => {
      for (const report of await expectOneView(nodes))
        expect(report).toMatchObject({ coordination: "redis", degraded: [], leader: expect.anything() });
    });
    await eventually(async () => {
      const { nodes: lines } = await nodes[0]!.client.cluster();
      const { url } = await redis.primary();
      const channels = lines.filter(({ state }) => state === "live").map(({ bootId }) => `${PREFIX}to:${bootId}`);
      const heard = await askRedis(url, (client) => client.pubsub("NUMSUB", ...channels));
      expect(heard).toEqual(channels.flatMap((channel) => [channel, 1]));
      expect(await askRedis(url, (client) => client.keys(`${PREFIX}node:*`))).toHaveLength(nodes.length);
    });
    await eventually(async () => {
      for (const { client } of nodes) {
        const { body } = await client.get<{ now: { code: string }[] }>("/v1/findings");
        expect(body.now.map(({ code }) => code).filter((code) => code.includes("REDIS"))).toEqual([]);
      }
    });
  }

  /** Until every node coordinates through the next primary, from when the old one was struck. */
  async function msUntilBack(old: RedisService): Promise<number> {
    const fromMonoMs = performance.now();
    await eventually(async () => {
      const { port, url } = await redis.primary();
      expect(port).not.toBe(old.port);
      expect(await askRedis(url, (client) => client.keys(`${PREFIX}node:*`))).toHaveLength(nodes.length);
      for (const { client } of nodes) expect((await client.cluster()).coordination).toBe("redis");
    });
    return performance.now() - fromMonoMs;
  }

  async function judge(load: TaskLoad): Promise<number> {
    const acknowledged = await load.stop();
    await quiet(nodes[0]!);
    const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
    requirePromises(invariantsOf(evidence));
    const ids = new Set(acknowledged.map(({ id }) => id));
    return latenessOf(evidence.starts.filter(({ taskId }) => ids.has(taskId))).max;
  }

  test.each(FAULTS.flatMap((fault) => ROUNDS.map((round) => ({ ...fault, round }))))(
    "its primary $name under load, round $round: nothing is lost or doubled, and the nodes coordinate through the next one",
    async ({ name, strike, mend }) => {
      await redis.whole();
      await expectCoordination();
      const load = stage.load(nodes, {
        type: "order",
        perSecond: 50,
        delayMs: [50, 3_000],
        payload: { effect: true, holdMs: 10 },
        cancelEvery: 10,
      });
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(60));

      const refusedBefore = load.refusals.length;
      const old = await redis.primary();
      await strike(old);
      const [awayMs] = await Promise.all([msUntilBack(old), mend(old, redis)]);
      await eventually(async () => expect((await askRedis(old.url, replicationOf)).get("role")).toBe("slave"));
      await expectCoordination();
      const then = load.acknowledged.size;
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(then + 100));

      const latenessMs = await judge(load);
      // A create may find Postgres too slow where the machine is: that is told, since it was never acknowledged.
      const refused = { "creates refused before": refusedBefore, since: load.refusals.length - refusedBefore };
      printFigures(`${group}: its primary ${name}`, { ...refused, unanswered: load.unanswered });
      tellTimes(`${group}: its primary ${name}`, {
        "every node coordinates through the next one": { ms: awayMs, boundMs: AWAY_LIMIT_MS },
        "lateness, worst": { ms: latenessMs, boundMs: LATENESS_LIMIT_MS },
      });
    },
  );
});
