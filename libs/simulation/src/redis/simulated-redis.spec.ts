import { describe, expect, test } from "@jest/globals";
import { FIRST_VITALS, type ClusterMessage, type NodeAnnouncement } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import type { SimulatedLink } from "../network/simulated-link.js";
import type { SimulatedNodeClock } from "../time/simulated-node-clock.js";
import { SimulatedRedis } from "./simulated-redis.js";
import type { SimulatedRedisCoordination } from "./simulated-redis-coordination.js";
import { TraceHash } from "../time/trace-hash.js";
import { VirtualTime } from "../time/virtual-time.js";

const TTL_MS = 3_000;

interface SimulatedNode {
  clock: SimulatedNodeClock;
  link: SimulatedLink;
  redis: SimulatedRedisCoordination;
  worker: SimulatedRedisCoordination;
  heard: number[];
}

function announcement(bootId: string): NodeAnnouncement {
  return { bootId, label: `host:${bootId}`, beat: 4, vitals: FIRST_VITALS, ownedSlots: new Uint8Array(512) };
}

function view(number: number): ClusterMessage {
  return { kind: "view", number };
}

/** Nodes 1, 2, … of one Redis, connected and listening; `given` waits for something and lets the time run meanwhile. */
async function stage({ seed = 1, nodes: count = 2 }: { seed?: number; nodes?: number } = {}) {
  const trace = new TraceHash();
  const time = new VirtualTime({ random: new SeededRandom(seed), trace });
  const redis = new SimulatedRedis({ time, keyTtlMs: TTL_MS });
  const given = async <T>(work: Promise<T>, withinMs = 10_000): Promise<T> => {
    let isOver = false;
    void work.finally(() => (isOver = true));
    if (!(await time.runUntil(() => isOver, withinMs))) throw new Error(`not within ${withinMs} ms`);
    return work;
  };
  const nodes: SimulatedNode[] = [];
  for (let number = 1; number <= count; number++) {
    const clock = time.node();
    const link = redis.newLink();
    const node = { clock, link, redis: redis.attach(clock, link), worker: redis.attach(clock.worker, link) };
    const heard: number[] = [];
    const receive = (message: unknown): void => void heard.push((message as { number?: number }).number ?? -1);
    await given(Promise.all([node.redis.start(), node.worker.start()]));
    await given(node.redis.subscribe(String(number), receive));
    nodes.push({ ...node, heard });
  }
  const [one, two] = nodes as [SimulatedNode, SimulatedNode];
  return { time, trace, redis, given, one, two };
}

async function tookMs(time: VirtualTime, work: () => Promise<unknown>): Promise<number> {
  const startMs = time.monotonicMs();
  await work();
  return time.monotonicMs() - startMs;
}

describe("a simulated Redis", () => {
  test("a simulated Redis does the same for the same seed", async () => {
    const digestOf = async (seed: number): Promise<string> => {
      const { time, trace, given, one, two, redis } = await stage({ seed });
      one.link.faults = { maxDelayMs: 100, breakRate: 0.1, messageLossRate: 0.2, reordersMessages: true };
      for (let number = 0; number < 20; number++) {
        await given(two.redis.send("1", view(number)));
        await given(one.redis.announce(announcement("1")));
      }
      redis.failOver(500);
      await time.advance(2_000);
      for (const number of one.heard) trace.add(number);
      return trace.digest();
    };
    expect(await digestOf(5)).toBe(await digestOf(5));
    expect(await digestOf(5)).not.toBe(await digestOf(6));
  });

  test("a simulated Redis answers within milliseconds, and at rest nothing of it is left to fire", async () => {
    const { time, given, one } = await stage();
    for (let count = 0; count < 50; count++) {
      const ms = await tookMs(time, () => given(one.redis.announce(announcement("1"))));
      expect(ms).toBeGreaterThan(0.1);
      expect(ms).toBeLessThan(20);
    }
    expect([time.pendingTimers, one.clock.pendingTimers]).toEqual([0, 0]);
  });

  test("a simulated Redis that hangs costs each call 250 ms until the connection is given up, and nothing after that", async () => {
    const { time, redis, given, one } = await stage();
    redis.hang();
    for (let count = 0; count < 3; count++) {
      expect(await tookMs(time, () => given(one.redis.readBeats()))).toBeCloseTo(250, 3);
    }
    expect(one.redis.health()).toEqual({ available: false, detail: expect.any(String) as unknown });
    await time.advance(1_000);
    expect(await tookMs(time, () => given(one.redis.readBeats()))).toBe(0);
    redis.start();
    await time.advance(2_500);
    expect([await given(one.redis.readBeats()), one.redis.health().available]).toEqual([[], true]);
  });

  test("a simulated Redis that hung executes what had arrived, also for clients that gave up on it", async () => {
    const { time, redis, given, one } = await stage();
    redis.hang();
    await given(one.redis.announce(announcement("1")));
    expect(redis.announced().size).toBe(0);
    redis.start();
    await time.advance(0);
    expect([...redis.announced().keys()]).toEqual(["host:1"]);
  });

  test("a simulated Redis that stops breaks connections, refuses new ones, and has what it had when it is back", async () => {
    const { time, redis, given, one, two } = await stage();
    await given(one.redis.announce(announcement("1")));
    redis.stop();
    await time.advance(50);
    expect(await tookMs(time, () => given(two.redis.send("1", view(1))))).toBe(0);
    expect(two.redis.health().detail).not.toBeNull();
    redis.start();
    await time.advance(1_000);
    expect(await given(two.redis.readBeats())).toMatchObject([{ bootId: "1" }]);
    expect(await given(two.redis.send("1", view(2)))).toBe(true);
    await time.advance(10);
    expect(one.heard).toEqual([2]);
  });

  test("a simulated Redis that fails over forgets the last writes, and loses all subscriptions for a moment", async () => {
    const { time, redis, given, one, two } = await stage();
    await given(one.redis.announce(announcement("1")));
    expect(await given(one.redis.campaign("1", TTL_MS))).toBe("held");
    await time.advance(500);
    await given(two.redis.announce(announcement("2")));
    redis.failOver(400);
    expect([[...redis.announced().keys()], redis.isLocked]).toEqual([["host:1"], true]);
    expect(await given(two.redis.send("1", view(1)))).toBe(false);
    await time.advance(500);
    expect(await given(two.redis.send("1", view(2)))).toBe(true);
    redis.failOver(Infinity);
    expect([redis.announced().size, redis.isLocked]).toEqual([0, false]);
  });

  test("a simulated Redis whose clock is stepped lets keys expire too early or too late", async () => {
    const { time, redis, given, one } = await stage();
    await given(one.redis.announce(announcement("1")));
    redis.clock.step(-5_000);
    await time.advance(7_000);
    expect(await given(one.redis.readBeats())).toHaveLength(1);
    redis.clock.step(1_000);
    expect(await given(one.redis.readBeats())).toEqual([]);
  });

  test("a simulated Redis keeps a lock that was taken, and not heard of, no longer than its time", async () => {
    const { time, redis, given, one, two } = await stage();
    one.link.cut("in");
    expect(await given(one.redis.campaign("1", TTL_MS))).toBe("unavailable");
    one.link.cut("out");
    await time.advance(1_000);
    expect(redis.isLocked).toBe(true);
    expect(await given(two.redis.campaign("2", TTL_MS))).toBe("refused");
    await time.advance(2_000);
    expect(await given(two.redis.campaign("2", TTL_MS))).toBe("held");
  });
});

describe("the network between a node and Redis", () => {
  test("a network cut on the way back from Redis lets commands be executed, and their replies are missing", async () => {
    const { redis, given, one, two } = await stage();
    one.link.cut("in");
    await given(one.redis.announce(announcement("1")));
    expect([redis.announced().size, one.redis.health().available]).toEqual([1, false]);
    expect(await given(two.redis.send("1", view(1)))).toBe(true);
    expect(one.heard).toEqual([]);
  });

  test("a network cut on the way to Redis lets nothing be executed before it ends, and messages arrive", async () => {
    const { time, redis, given, one, two } = await stage();
    one.link.cut("out");
    await given(one.redis.announce(announcement("1")));
    await given(two.redis.send("1", view(1)));
    await time.advance(10);
    expect([redis.announced().size, one.heard]).toEqual([0, [1]]);
    one.link.heal();
    await time.advance(250);
    expect(redis.announced().size).toBe(1);
  });

  test("after a long cut from Redis, commands that were given up are executed late or never, and all works again", async () => {
    const late = new Set<number>();
    for (let seed = 0; seed < 12; seed++) {
      const { time, redis, given, one, two } = await stage({ seed });
      await time.advance(1_000);
      one.link.cut();
      await given(one.redis.announce(announcement("1")));
      await given(one.redis.readBeats());
      await given(two.redis.send("1", view(1)));
      await time.advance(5_000);
      expect(redis.announced().size).toBe(0);
      one.link.heal();
      await time.advance(2_500);
      late.add(redis.announced().size);
      expect(one.redis.health().available).toBe(true);
      expect(await given(two.redis.send("1", view(2)))).toBe(true);
      await time.advance(10);
      expect(one.heard).toEqual([2]);
    }
    expect(late).toEqual(new Set([0, 1]));
  });

  test("the network to Redis may lose messages, or let them overtake each other; else they keep their order", async () => {
    const { time, given, one, two } = await stage();
    const sendAll = async (): Promise<number[]> => {
      one.heard.length = 0;
      for (let number = 1; number <= 20; number++) expect(await given(two.redis.send("1", view(number)))).toBe(true);
      await time.advance(500);
      return [...one.heard];
    };
    const all = Array.from({ length: 20 }, (_, index) => index + 1);
    one.link.faults = { maxDelayMs: 200 };
    expect(await sendAll()).toEqual(all);
    one.link.faults = { maxDelayMs: 200, reordersMessages: true };
    const mixed = await sendAll();
    expect(mixed).not.toEqual(all);
    expect(mixed.toSorted((left, right) => left - right)).toEqual(all);
    one.link.faults = { messageLossRate: 0.5 };
    const some = await sendAll();
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(20);
  });

  test("the network to Redis may break connections, before a command is executed or after", async () => {
    const { redis, given, one } = await stage();
    const executed = new Set<number>();
    for (let count = 0; count < 30; count++) {
      redis.flush();
      one.link.faults = { breakRate: 1 };
      await given(one.redis.announce(announcement("1")));
      executed.add(redis.announced().size);
      one.link.faults = {};
      await given(
        (async () => {
          while (!one.redis.health().available) await new Promise<void>((resolve) => one.clock.setTimer(50, resolve));
        })(),
      );
    }
    expect(executed).toEqual(new Set([0, 1]));
  });
});

describe("a node at fault", () => {
  test("a node that is paused sends nothing, and hears later what was said meanwhile", async () => {
    const { time, redis, given, one, two } = await stage();
    one.clock.pause();
    void one.redis.announce(announcement("1"));
    expect(await given(two.redis.send("1", view(1)))).toBe(true);
    await time.advance(2_000);
    expect([redis.announced().size, one.heard]).toEqual([0, []]);
    one.clock.resume();
    await time.advance(20);
    expect([redis.announced().size, one.heard]).toEqual([1, [1]]);
  });

  test("a node with a blocked loop announces itself through its worker", async () => {
    const { time, redis, given, one, two } = await stage();
    one.clock.blockLoop();
    await given(one.worker.announce(announcement("1")));
    await given(two.redis.send("1", view(1)));
    await time.advance(100);
    expect([redis.announced().size, one.heard]).toEqual([1, []]);
    one.clock.unblockLoop();
    await time.advance(10);
    expect(one.heard).toEqual([1]);
  });

  test("a node that crashed is heard of no more, and a message to it reaches nobody", async () => {
    const { time, redis, given, one, two } = await stage();
    await given(one.redis.announce(announcement("1")));
    void one.redis.campaign("1", TTL_MS);
    one.clock.halt();
    await time.advance(10);
    expect(redis.isLocked).toBe(true);
    expect(await given(two.redis.send("1", view(1)))).toBe(false);
    await time.advance(TTL_MS);
    expect([redis.announced().size, one.heard, time.pendingTimers]).toEqual([0, [], 0]);
  });
});
