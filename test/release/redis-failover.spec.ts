import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { RedisService } from "@tickwheel/local-services";
import { requirePromises } from "../support/broken-promise.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { brokenRulesIn, rowsAtRest } from "../support/fail-over/judged-run.js";
import { FAULT_ROUNDS, tellRound } from "../support/fail-over/rounds.js";
import { tellTimes } from "../support/figures.js";
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
  { group: "Redis under Sentinel", start: () => startRedisSentinels() },
  { group: "Redis Cluster", start: () => startRedisCluster(`${PREFIX}leader`) },
];

interface Fault {
  /** What happens to the primary. */
  name: string;
  strike(primary: RedisService, group: RedisGroup): Promise<void>;
  /** Until it is back, as a replica. */
  mend(old: RedisService, group: RedisGroup): Promise<void>;
}

const FAULTS: Fault[] = [
  {
    name: "it is killed",
    strike: (primary) => primary.kill(),
    // Started again at once it would still be the primary, and empty.
    async mend(old, group) {
      await eventually(async () => expect((await group.primary()).port).not.toBe(old.port));
      await old.restart();
    },
  },
  {
    name: "it is cut off for ten seconds",
    strike: async (primary) => primary.pause(),
    async mend(primary) {
      await lasting(CUT_OFF_MS);
      primary.resume();
    },
  },
  {
    name: "it is switched over by hand",
    strike: (_primary, group) => group.switchOver(),
    mend: async () => {},
  },
];

interface Blow {
  load: TaskLoad;
  struckMs: number;
  backMs: number;
  createdMs: number;
}

describe.each(GROUPS)("$group", ({ group, start }) => {
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
    await eventually(expectHeard);
    await eventually(async () => {
      for (const { client } of nodes) {
        const { body } = await client.get<{ now: { code: string }[] }>("/v1/findings");
        expect(body.now.map(({ code }) => code).filter((code) => code.includes("REDIS"))).toEqual([]);
      }
    });
  }

  /** Every node listens and writes where messages are sent: at the primary. */
  async function expectHeard(): Promise<void> {
    const { nodes: lines } = await nodes[0]!.client.cluster();
    const { url } = await redis.primary();
    const channels = lines.filter(({ state }) => state === "live").map(({ bootId }) => `${PREFIX}to:${bootId}`);
    const heard = await askRedis(url, (client) => client.pubsub("NUMSUB", ...channels));
    expect(heard).toEqual(channels.flatMap((channel) => [channel, 1]));
    expect(await askRedis(url, (client) => client.keys(`${PREFIX}node:*`))).toHaveLength(nodes.length);
  }

  /** Until every node coordinates through the next primary, and then until a create is answered. */
  async function next(old: RedisService, load: TaskLoad): Promise<{ backMs: number; createdMs: number }> {
    await eventually(async () => {
      expect((await redis.primary()).port).not.toBe(old.port);
      await expectHeard();
      for (const { client } of nodes) expect((await client.cluster()).coordination).toBe("redis");
    });
    const backMs = Date.now();
    const then = load.acknowledged.size;
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(then));
    return { backMs, createdMs: Date.now() };
  }

  /** Tells what became of the tasks, and judges it. */
  async function judge(name: string, { load, struckMs, backMs, createdMs }: Blow): Promise<void> {
    const acknowledged = await load.stop();
    await quiet(nodes[0]!);
    const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
    const rows = await rowsAtRest(ledger);
    const known = new Set(rows.map(({ id }) => id));
    const firstAgain = Math.min(...evidence.starts.map(({ atMs }) => atMs).filter((atMs) => atMs > backMs));
    const awayMs = backMs - struckMs;
    tellRound({
      servers: group,
      what: name,
      round: {
        acknowledged: acknowledged.length,
        lost: acknowledged.filter(({ id }) => !known.has(id)).length,
        ranAgain: evidence.returns.size,
        awayMs,
        createMs: createdMs - backMs,
        startMs: Math.round(firstAgain - backMs),
      },
    });
    tellTimes(`${group}: ${name}`, {
      "every node coordinates through the next one": { ms: awayMs, boundMs: AWAY_LIMIT_MS },
      "lateness, worst": { ms: latenessOf(evidence.starts).max, boundMs: LATENESS_LIMIT_MS },
    });
    const run = { ...evidence, rows, ends: await ledger.ends() };
    requirePromises([...invariantsOf(evidence), ...brokenRulesIn(run)]);
    // Creates need Postgres alone.
    expect(load.refusals).toEqual([]);
    expect(load.unanswered).toBe(0);
  }

  test.each(FAULTS.flatMap((fault) => ROUNDS.map((round) => ({ fault, name: fault.name, round }))))(
    "a Redis primary struck under load, round $round: $name, nothing is refused, lost or doubled; nodes use the next one",
    async ({ name, fault: { strike, mend } }) => {
      await redis.whole();
      await expectCoordination();
      await ledger.query("TRUNCATE started, ended, effect");
      const load = stage.load(nodes, {
        type: "order",
        perSecond: 50,
        delayMs: [50, 3_000],
        payload: { effect: true, holdMs: 10 },
        cancelEvery: 10,
      });
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(60));

      const old = await redis.primary();
      const struckMs = Date.now();
      await strike(old, redis);
      const [times] = await Promise.all([next(old, load), mend(old, redis)]);
      await eventually(async () => expect((await askRedis(old.url, replicationOf)).get("role")).toBe("slave"));
      await expectCoordination();
      const then = load.acknowledged.size;
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(then + 100));
      await judge(name, { load, struckMs, ...times });
    },
  );
});
