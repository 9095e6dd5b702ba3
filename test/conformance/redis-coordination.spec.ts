import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import { type RedisService, startRedis } from "@tickwheel/local-services";
import { RedisCoordination } from "@tickwheel/redis-coordination";
import { coordinationConformance, type CoordinationSubject } from "@tickwheel/conformance";
import { Redis } from "ioredis";
import { Redis as Redis6 } from "ioredis-6";

/** Unpacking and the first start on a busy machine. */
/** Long enough that a busy machine does not let a key expire between two steps of a case. */
const KEY_TTL_MS = 1_500;

const clock = new SystemClock();
const open: RedisCoordination[] = [];
let redis: RedisService | undefined;
let state: "up" | "stopped" | "hung" = "up";

beforeAll(async () => {
  redis = await startRedis();
});

beforeEach(async () => {
  await start();
  await flush();
});

afterEach(async () => {
  redis?.resume();
  await Promise.all(open.splice(0).map((coordination) => coordination.stop()));
});

afterAll(() => redis?.stop());

async function flush(): Promise<void> {
  const client = new Redis(redis!.url);
  await client.flushall();
  client.disconnect();
}

async function start(): Promise<void> {
  if (state === "hung") redis!.resume();
  if (state === "stopped") await redis!.restart();
  state = "up";
}

/** An address is connected to by the ioredis that our packages get, a client of another version by its own. */
const sources: { name: string; source: () => string | Redis }[] = [
  { name: "ioredis 5", source: () => redis!.url },
  { name: "ioredis 6", source: () => new Redis6(redis!.url, { lazyConnect: true }) as unknown as Redis },
];

const subjectOf = (source: () => string | Redis): CoordinationSubject => ({
  clock,
  keyTtlMs: KEY_TTL_MS,
  join: async () => {
    const settings = { redis: source(), cluster: "suite", clock, redisKeyTtlMs: KEY_TTL_MS };
    const coordination = new RedisCoordination(settings);
    open.push(coordination);
    await coordination.start();
    return coordination;
  },
  flush,
  stop: async () => {
    await redis!.kill();
    state = "stopped";
  },
  hang: async () => {
    redis!.pause();
    state = "hung";
  },
  start,
});

describe.each(sources)("coordination over Redis by $name", ({ source }) => {
  test.each([...coordinationConformance])("$name", ({ run }) => run(subjectOf(source)));
});
