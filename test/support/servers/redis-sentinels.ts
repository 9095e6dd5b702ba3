import { type RedisService, startRedis } from "@tickwheel/local-services";
import { eventually } from "../eventually.js";
import { askAny, askRedis, flushMasters, onPort, type RedisGroup, replicationOf, startAll } from "./redis-group.js";

const NAME = "tickwheel-test";
const SENTINELS = 3;
const REPLICAS = 2;
/** After so long without an answer, a sentinel takes a server for dead. */
const DOWN_AFTER_MS = 1_000;

/** Three sentinels that watch a primary with two replicas. Nothing is left of them after `stop`. */
export async function startRedisSentinels(): Promise<RedisGroup> {
  const settings = { "repl-diskless-sync-delay": 0 };
  const [servers, stack] = await startAll(1 + REPLICAS, () => startRedis({ settings }));
  const [first, ...replicas] = servers as [RedisService, ...RedisService[]];
  try {
    await Promise.all(replicas.map(({ url }) => askRedis(url, (client) => client.replicaof("127.0.0.1", first.port))));
    const sentinel = [
      `sentinel monitor ${NAME} 127.0.0.1 ${first.port} 2`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 5000`,
    ];
    const [sentinels, watch] = await startAll(SENTINELS, () => startRedis({ sentinel }));
    await stack.add(watch);
    const group = sentinelGroup(servers, sentinels);
    await group.whole();
    return { ...group, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

function sentinelGroup(servers: readonly RedisService[], sentinels: readonly RedisService[]): Omit<RedisGroup, "stop"> {
  const primary = async (): Promise<RedisService> => {
    const address = await askAny(sentinels, (client) => client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME));
    return onPort(servers, Number((address as string[])[1]));
  };
  return {
    source: { sentinels: sentinels.map(({ port }) => ({ host: "127.0.0.1", port })), name: NAME },
    servers,
    primary,
    switchOver: async () => {
      await askRedis(sentinels[0]!.url, (client) => client.call("SENTINEL", "FAILOVER", NAME));
    },
    flush: () => flushMasters(servers),
    whole: () =>
      eventually(async () => {
        for (const { url } of sentinels) await askRedis(url, requireKnown);
        const { url } = await primary();
        const replication = await askRedis(url, replicationOf);
        const replicas = Number(replication.get("connected_slaves"));
        if (replication.get("role") !== "master" || replicas < servers.length - 1)
          throw new Error(`${url} is ${replication.get("role")} with ${replicas} replicas`);
      }),
  };
}

/** @throws where a sentinel does not know the two others and the two replicas, all of them well */
async function requireKnown(client: Parameters<typeof replicationOf>[0]): Promise<void> {
  for (const [list, count] of [
    ["SENTINELS", SENTINELS - 1],
    ["REPLICAS", REPLICAS],
  ] as const) {
    const known = (await client.call("SENTINEL", list, NAME)) as string[][];
    const flags = known.map((fields) => fields[fields.indexOf("flags") + 1]!);
    const well = flags.filter((text) => !/down|disconnected/.test(text));
    if (well.length < count) throw new Error(`a sentinel knows of ${list}: ${flags.join(" ") || "none"}`);
  }
}
