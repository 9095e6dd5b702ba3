import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { coordinationConformance, type CoordinationSubject } from "@tickwheel/conformance";
import { SystemClock } from "@tickwheel/core";
import { RedisCoordination } from "@tickwheel/redis-coordination";
import { startRedisCluster } from "../support/servers/redis-cluster.js";
import type { RedisGroup } from "../support/servers/redis-group.js";
import { startRedisSentinels } from "../support/servers/redis-sentinels.js";

/** Long enough that a busy machine does not let a key expire between two steps of a case. */
const KEY_TTL_MS = 1_500;
const clock = new SystemClock();

const GROUPS = [
  { name: "Redis under Sentinel", startGroup: () => startRedisSentinels() },
  { name: "a Redis Cluster", startGroup: () => startRedisCluster("tickwheel:{suite}:leader") },
];

describe.each(GROUPS)("coordination over $name", ({ startGroup }) => {
  const open: RedisCoordination[] = [];
  let redis: RedisGroup | undefined;
  let state: "up" | "stopped" | "hung" = "up";

  beforeAll(async () => {
    redis = await startGroup();
  });
  beforeEach(async () => {
    await start();
    await redis!.flush();
  });
  afterEach(async () => {
    for (const server of redis?.servers ?? []) server.resume();
    await Promise.all(open.splice(0).map((coordination) => coordination.stop()));
  });
  afterAll(() => redis?.stop());

  async function start(): Promise<void> {
    if (state === "hung") for (const server of redis!.servers) server.resume();
    if (state === "stopped") await Promise.all(redis!.servers.map((server) => server.restart()));
    state = "up";
    await redis!.whole();
  }

  const subject: CoordinationSubject = {
    clock,
    keyTtlMs: KEY_TTL_MS,
    join: async () => {
      const settings = { redis: redis!.source, cluster: "suite", clock, redisKeyTtlMs: KEY_TTL_MS };
      const coordination = new RedisCoordination(settings);
      open.push(coordination);
      await coordination.start();
      return coordination;
    },
    flush: () => redis!.flush(),
    stop: async () => {
      await Promise.all(redis!.servers.map((server) => server.kill()));
      state = "stopped";
    },
    hang: async () => {
      for (const server of redis!.servers) server.pause();
      state = "hung";
    },
    start,
  };

  test.each([...coordinationConformance])("$name", ({ run }) => run(subject));
});
