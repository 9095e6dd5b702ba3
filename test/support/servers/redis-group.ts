import { type RedisService, ServiceStack } from "@tickwheel/local-services";
import type { RedisSource } from "@tickwheel/redis-coordination";
import { Redis } from "ioredis";
import { eventually } from "../eventually.js";

/** Several servers of Redis of which one is in use, and another after its end. */
export interface RedisGroup {
  /** As `forRoot({ redis })` takes it; it can be written as JSON. */
  source: Exclude<RedisSource, Redis>;
  servers: readonly RedisService[];
  /** The server that the others take for the one in use. @throws where they name none */
  primary(): Promise<RedisService>;
  /** Has a replica take the primary's place, as an operator orders it. Does not wait until it has. */
  switchOver(): Promise<void>;
  /** Waits until each server is where it belongs, and the primary has replicas that follow it. */
  whole(): Promise<void>;
  /** Deletes what the servers hold. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Nobody waits longer for one of these servers: it may be frozen. */
const ANSWER_LIMIT_MS = 1_000;

/** One look at a server. @throws where it does not answer */
export async function askRedis<T>(url: string, look: (client: Redis) => Promise<T>): Promise<T> {
  const limits = { connectTimeout: ANSWER_LIMIT_MS, commandTimeout: ANSWER_LIMIT_MS, enableReadyCheck: false };
  const client = new Redis(url, { ...limits, lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await look(client);
  } finally {
    client.disconnect();
  }
}

/** The first answer of those that do answer. */
export function askAny<T>(servers: readonly { url: string }[], look: (client: Redis) => Promise<T>): Promise<T> {
  return Promise.any(servers.map(({ url }) => askRedis(url, look)));
}

export function onPort(servers: readonly RedisService[], port: number): RedisService {
  const server = servers.find((each) => each.port === port);
  if (!server) throw new Error(`none of these servers listens on port ${port}`);
  return server;
}

/** Fields of `INFO replication` by name. */
export async function replicationOf(client: Redis): Promise<Map<string, string>> {
  const lines = (await client.info("replication")).split("\r\n").filter((line) => line.includes(":"));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
}

/** Starts servers side by side. None is left where one of them fails. */
export async function startAll(
  count: number,
  start: () => Promise<RedisService>,
): Promise<[RedisService[], ServiceStack]> {
  const stack = new ServiceStack();
  const started = await Promise.allSettled(Array.from({ length: count }, async () => stack.add(await start())));
  const failed = started.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
  if (failed) {
    await stack.stop();
    throw failed.reason;
  }
  return [started.map((result) => (result as PromiseFulfilledResult<RedisService>).value), stack];
}

export async function flushMasters(servers: readonly RedisService[]): Promise<void> {
  await Promise.all(
    servers.map(({ url }) =>
      eventually(() =>
        askRedis(url, async (client) => {
          if ((await replicationOf(client)).get("role") === "master") await client.flushall();
        }),
      ),
    ),
  );
}
