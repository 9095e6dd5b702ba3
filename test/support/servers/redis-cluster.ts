import { freePort, type RedisService, startRedis } from "@tickwheel/local-services";
import { eventually } from "../eventually.js";
import { askAny, askRedis, flushMasters, onPort, type RedisGroup, replicationOf, startAll } from "./redis-group.js";

const MASTERS = 3;
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 1_000;

/**
 * A Redis Cluster of three masters with a replica each. Nothing is left of it after `stop`.
 *
 * @param key its primary is the master of this key's slot
 */
export async function startRedisCluster(key: string): Promise<RedisGroup> {
  const start = async (): Promise<RedisService> => {
    const busPort = await freePort();
    const ofCluster = { "cluster-enabled": "yes", "cluster-port": busPort, "cluster-node-timeout": NODE_TIMEOUT_MS };
    return startRedis({ settings: { ...ofCluster, "repl-diskless-sync-delay": 0 } });
  };
  const [servers, stack] = await startAll(2 * MASTERS, start);
  try {
    await join(servers);
    const group = clusterGroup(servers, key);
    await group.whole();
    return { ...group, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function join(servers: readonly RedisService[]): Promise<void> {
  const first = servers[0]!;
  for (const [at, { url }] of servers.slice(0, MASTERS).entries()) {
    const from = Math.ceil((SLOTS / MASTERS) * at);
    const to = Math.ceil((SLOTS / MASTERS) * (at + 1)) - 1;
    await askRedis(url, (client) => client.call("CLUSTER", "ADDSLOTSRANGE", from, to));
    await askRedis(url, (client) => client.call("CLUSTER", "SET-CONFIG-EPOCH", at + 1));
  }
  for (const { port, url } of servers.slice(1)) {
    const found = await askRedis(url, (client) => client.config("GET", "cluster-port"));
    const busPort = (found as string[])[1]!;
    await askRedis(first.url, (client) => client.call("CLUSTER", "MEET", "127.0.0.1", port, busPort));
  }
  const ids = await Promise.all(
    servers.map(({ url }) => askRedis(url, (client) => client.call("CLUSTER", "MYID") as Promise<string>)),
  );
  for (const [at, { url }] of servers.slice(MASTERS).entries())
    await eventually(() => askRedis(url, (client) => client.call("CLUSTER", "REPLICATE", ids[at]!)));
}

function clusterGroup(servers: readonly RedisService[], key: string): Omit<RedisGroup, "stop"> {
  const primary = async (): Promise<RedisService> => {
    const [slot, ranges] = await askAny(servers, (client) =>
      Promise.all([client.cluster("KEYSLOT", key), client.cluster("SLOTS")]),
    );
    const [, , master] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
    return onPort(servers, master![1]);
  };
  return {
    // Two of six: the others are learned from them.
    source: { cluster: servers.slice(1, 3).map(({ port }) => ({ host: "127.0.0.1", port })) },
    servers,
    primary,
    switchOver: async () => {
      const { port } = await primary();
      const masters = await Promise.all(servers.map(({ url }) => askRedis(url, replicationOf)));
      const replica = servers[masters.findIndex((fields) => fields.get("master_port") === String(port))]!;
      await askRedis(replica.url, (client) => client.call("CLUSTER", "FAILOVER"));
    },
    flush: () => flushMasters(servers),
    whole: () =>
      eventually(async () => {
        const roles = await Promise.all(servers.map(({ url }) => askRedis(url, requireWell)));
        const masters = roles.filter((role) => role === "master");
        if (masters.length !== MASTERS) throw new Error(`the servers are ${roles.join(" ")}`);
      }),
  };
}

/** The role of a node. @throws where it sees the cluster in trouble, or its own replica or master is away */
async function requireWell(client: Parameters<typeof replicationOf>[0]): Promise<string> {
  const nodes = String(await client.call("CLUSTER", "NODES"))
    .trim()
    .split("\n");
  const info = String(await client.call("CLUSTER", "INFO"));
  const bad = nodes.filter((line) => /fail|handshake|noaddr|disconnected/.test(line));
  if (nodes.length !== 2 * MASTERS || bad.length > 0 || !info.includes("cluster_state:ok"))
    throw new Error(`a node sees:\n${nodes.join("\n")}`);
  const replication = await replicationOf(client);
  const isLinked =
    replication.get("role") === "master"
      ? replication.get("connected_slaves") === "1"
      : replication.get("master_link_status") === "up";
  if (!isLinked) throw new Error(`a ${replication.get("role")} is alone`);
  return replication.get("role")!;
}
