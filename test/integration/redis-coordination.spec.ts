import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type ClusterMessage, type NodeAnnouncement, readMessage, SlotSet, SystemClock } from "@tickwheel/core";
import { type RedisService, startRedis } from "@tickwheel/local-services";
import { RedisCoordination } from "@tickwheel/redis-coordination";
import { Redis } from "ioredis";
import { tellTimes } from "../support/figures.js";
import { HUNG_MS } from "../support/eventually.js";

const clock = new SystemClock();
const CLUSTER = "orders";
const TTL_MS = 3_000;

let redis: RedisService;
let client: Redis;
const open: RedisCoordination[] = [];

beforeAll(async () => {
  redis = await startRedis();
  client = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => 100 });
  client.on("error", () => undefined);
  await client.connect();
});

beforeEach(async () => {
  await eventually(async () => (await client.flushall()) === "OK");
});

afterEach(async () => {
  redis.resume();
  await Promise.all(open.splice(0).map((coordination) => coordination.stop()));
});

afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});

async function connect(source: string | Redis = redis.url): Promise<RedisCoordination> {
  const coordination = new RedisCoordination({ redis: source, cluster: CLUSTER, clock, redisKeyTtlMs: TTL_MS });
  open.push(coordination);
  await coordination.start();
  return coordination;
}

/** Asks again until it is true, or hangs. */
async function eventually(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const untilMs = clock.monotonicMs() + HUNG_MS;
  while (!(await isSo())) {
    if (clock.monotonicMs() > untilMs) throw new Error(`not within ${HUNG_MS} ms: ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function msOf(call: () => Promise<unknown>): Promise<number> {
  const startMonoMs = clock.monotonicMs();
  await call();
  return clock.monotonicMs() - startMonoMs;
}

/** How many scripts the server has run: each request for the lock is one. */
async function scriptCalls(): Promise<number> {
  const calls = (await client.info("commandstats")).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}

function announcement(changes: Partial<NodeAnnouncement> = {}): NodeAnnouncement {
  const slots = new SlotSet();
  for (const slot of [0, 1, 2, 40]) slots.add(slot);
  const vitals = {
    leaving: false,
    view: 12,
    term: 7,
    loopLagMs: 1.5,
    clockOffsetMs: -0.4,
    ownedSlots: 4,
    wheelSize: 12_040,
    inFlight: 3,
    places: 100,
  };
  return {
    bootId: "4611686018427387904",
    label: "10.0.0.4:4711",
    beat: 17,
    vitals,
    ownedSlots: slots.bytes,
    ...changes,
  };
}

describe("the keys of a node", () => {
  test("the keys of a node report a blocked loop until it turns again, and a forged report is not believed", async () => {
    const node = await connect();
    const nodeKey = `tickwheel:{${CLUSTER}}:node:10.0.0.4:4711`;
    const quiet = announcement();
    const blocked = { forMs: 2_500, running: [{ type: "resize", count: 3 }], lastStarted: null };
    const told = async () => (await node.readBeats())![0]!.vitals;
    await node.announce(announcement({ vitals: { ...quiet.vitals, blocked } }));
    expect(await told()).toEqual({ ...quiet.vitals, blocked });
    await node.announce(quiet);
    expect(await told()).toEqual(quiet.vitals);
    for (const text of ["{", "null", "[]", '{"forMs":"1","running":[]}', '{"forMs":1,"running":7}']) {
      await client.hset(nodeKey, { blocked: text });
      expect(await told()).toEqual(quiet.vitals);
    }
    await client.hset(nodeKey, { blocked: '{"forMs":1,"running":[null,{"type":1},{"type":"a","count":1}]}' });
    expect(await told()).toMatchObject({ blocked: { running: [{ type: "a", count: 1 }] } });
  });

  test("the keys of a node tell the revision of the settings that it obeys, and a forged revision is none", async () => {
    const node = await connect();
    const { vitals } = announcement();
    const told = async () => (await node.readBeats())![0]!.vitals.settings;
    await node.announce(announcement({ vitals: { ...vitals, settings: [1, 42] } }));
    expect(await told()).toEqual([1, 42]);
    for (const settings of ["", "1", "1.x", "-1.4", "1.4.2", "1e3.1"]) {
      await client.hset(`tickwheel:{${CLUSTER}}:node:10.0.0.4:4711`, { settings });
      expect(await told()).toBeUndefined();
    }
  });

  test("the keys of a node can be read by people, and they expire", async () => {
    const node = await connect();
    await node.announce(announcement());
    const nodeKey = `tickwheel:{${CLUSTER}}:node:10.0.0.4:4711`;
    const ownedKey = `tickwheel:{${CLUSTER}}:owned:10.0.0.4:4711`;
    expect(await client.hgetall(nodeKey)).toEqual({
      bootId: "4611686018427387904",
      beat: "17",
      term: "7",
      view: "12",
      leaving: "0",
      loopLagMs: "1.5",
      clockOffsetMs: "-0.4",
      ownedSlots: "4",
      wheelSize: "12040",
      inFlight: "3",
      places: "100",
      settings: "",
      waits: "",
      blocked: "",
    });
    expect(await client.get(ownedKey)).toBe("0-2,40");
    for (const key of await client.keys("*")) {
      const ttlMs = await client.pttl(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(TTL_MS).toBeGreaterThanOrEqual(ttlMs);
    }
    expect(await client.keys("*")).toHaveLength(3);
  });

  test("a node whose keys have expired is forgotten", async () => {
    const node = await connect();
    await node.announce(announcement());
    await client.del(`tickwheel:{${CLUSTER}}:node:10.0.0.4:4711`);
    expect(await node.readBeats()).toEqual([]);
    await eventually(async () => (await client.exists(`tickwheel:{${CLUSTER}}:nodes`)) === 0);
  });

  test("forged keys under a node's name, or of an invented node, hide no other node and are no beat", async () => {
    const node = await connect();
    const other = await connect();
    const key = (label: string): string => `tickwheel:{${CLUSTER}}:node:${label}`;
    const beat = { bootId: "9", beat: "1", view: "1", term: "1", loopLagMs: "0", clockOffsetMs: "0" };
    const rest = { ownedSlots: "0", wheelSize: "0", inFlight: "0", leaving: "0" };
    const bad = { bootId: "1; DROP", beat: "1e400", view: "NaN", loopLagMs: "much", inFlight: "-Infinity" };
    for (const [field, value] of Object.entries(bad))
      await client.hset(key(field), { ...beat, ...rest, [field]: value });
    await client.hset(key("no id"), { beat: "1" });
    await client.set(key("no hash"), "text");
    const labels = [...Object.keys(bad), "no id", "no hash", "gone", "x".repeat(100_000)];
    await client.sadd(`tickwheel:{${CLUSTER}}:nodes`, ...labels);
    for (let look = 0; look < 2; look++) {
      await node.announce(announcement());
      expect((await other.readBeats())?.map(({ bootId }) => bootId)).toEqual(["4611686018427387904"]);
    }
    await client.del(`tickwheel:{${CLUSTER}}:nodes`);
    await client.set(`tickwheel:{${CLUSTER}}:nodes`, "no set");
    expect(await other.readBeats()).toBeNull();
  });

  test("forged keys in the place of a node's keys are gone after two beats", async () => {
    const node = await connect();
    for (const key of ["node:10.0.0.4:4711", "owned:10.0.0.4:4711", "nodes"]) {
      await node.announce(announcement());
      const name = `tickwheel:{${CLUSTER}}:${key}`;
      await client.del(name);
      await (key.startsWith("owned") ? client.sadd(name, "x") : client.set(name, "x"));
      for (let beat = 0; beat < 2; beat++) await node.announce(announcement());
      expect(await node.readBeats()).toHaveLength(1);
      expect(await client.get(`tickwheel:{${CLUSTER}}:owned:10.0.0.4:4711`)).toBe("0-2,40");
    }
  });

  test("only the settings of a given Redis client are used", async () => {
    const given = new Redis(redis.url, { keyPrefix: "", lazyConnect: true });
    const node = await connect(given);
    await node.announce(announcement());
    expect(await node.readBeats()).toHaveLength(1);
    expect(given.status).toBe("wait");
  });
});

describe("messages", () => {
  const view: ClusterMessage = { kind: "view", number: 12 };

  test("a text of a stranger is no message", async () => {
    const one = await connect();
    const heard: unknown[] = [];
    await one.subscribe("1", (message) => heard.push(message));
    for (const text of ["{", "null", '{"kind":"other"}']) await client.publish(`tickwheel:{${CLUSTER}}:to:1`, text);
    await one.send("1", view);
    await eventually(() => heard.length > 3);
    expect(heard.map(readMessage)).toEqual([null, null, null, view]);
  });
});

describe("the election's lock", () => {
  test("a node that is refused the election's lock does not wait for another try", async () => {
    const one = await connect();
    const two = await connect();
    await one.campaign("1", TTL_MS);
    const before = await scriptCalls();
    expect(await two.campaign("2", TTL_MS)).toBe("refused");
    // Redlock by itself would try ten times, with pauses. A try is a script or two, and one more where the server does
    // not know it yet.
    expect((await scriptCalls()) - before).toBeLessThan(10);
  });
});

describe("without Redis", () => {
  const calls = (node: RedisCoordination): [string, () => Promise<unknown>, unknown][] => [
    ["readBeats", () => node.readBeats(), null],
    ["announce", () => node.announce(announcement()), undefined],
    ["send", () => node.send("all", { kind: "load" }), false],
    ["campaign", () => node.campaign("1", TTL_MS), "unavailable"],
    ["yieldLeadership", () => node.yieldLeadership(), undefined],
    ["withdraw", () => node.withdraw("10.0.0.4:4711"), undefined],
  ];

  test("after a crash of Redis calls fail, and beats, messages and the lock come back by themselves", async () => {
    const one = await connect();
    const two = await connect();
    const heard: unknown[] = [];
    await one.subscribe("1", (message) => heard.push(message));
    await redis.kill();
    await eventually(() => !one.health().available);
    for (const [name, call, answer] of calls(one)) {
      expect([name, await call()]).toEqual([name, answer]);
    }
    expect(one.health().detail).not.toBeNull();
    await redis.restart();
    await eventually(async () => two.send("1", { kind: "load" }));
    await eventually(() => heard.length > 0 && one.health().available);
    await one.announce(announcement());
    expect(await two.readBeats()).toHaveLength(1);
    expect(await one.campaign("1", TTL_MS)).toBe("held");
  });

  test("a frozen Redis delays no caller for long, and is noticed", async () => {
    const one = await connect();
    const two = await connect();
    const heard: unknown[] = [];
    await one.subscribe("1", (message) => heard.push(message));
    await one.campaign("1", TTL_MS);
    redis.pause();
    for (const [name, call, answer] of calls(one)) {
      let given: unknown;
      const tookMs = await msOf(async () => (given = await call()));
      expect([name, given]).toEqual([name, answer]);
      tellTimes("a frozen Redis", { [`${name} gives up`]: { ms: tookMs, boundMs: 300 } });
    }
    expect(one.health().available).toBe(false);
    await eventually(async () => (await msOf(() => one.readBeats())) < 20);
    redis.resume();
    await eventually(async () => (await two.send("1", { kind: "load" })) && heard.length > 0);
    await eventually(async () => (await one.readBeats()) !== null && one.health().available);
  });

  test("a stopped coordination reports that it is stopped", async () => {
    const node = await connect();
    await node.stop();
    expect(await node.readBeats()).toBeNull();
    expect(node.health()).toEqual({ available: false, detail: "not started" });
  });
});
