import { createConnection } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Clock, wait } from "@tickwheel/core";
import { AbstractConnector, Redis, type RedisOptions } from "ioredis";
import { type Address, addressOf, type RedisCluster } from "./redis-source.js";

/** How many nodes are asked at once: one that hangs delays nobody. */
const ASKED_AT_ONCE = 3;
/** [all-bounded]: of so many nodes the addresses are kept. */
const MAX_KNOWN = 100;
const RETRY_MS = 250;

export interface ClusterWay {
  cluster: RedisCluster;
  /** Any key: all of ours are in one slot. */
  key: string;
  clock: Clock;
  /** The options of the connections that ask where the master is. */
  asking: RedisOptions;
  /** Hears to which master a connection is being made. */
  onMaster: (address: string) => void;
}

type Connector = InstanceType<NonNullable<RedisOptions["Connector"]>>;
type ErrorEmitter = Parameters<Connector["connect"]>[0];
type NetStream = Awaited<ReturnType<Connector["connect"]>>;

/**
 * How a plain connection finds its way into a Redis Cluster: it asks the nodes that it knows for the master of our
 * slot, as with Sentinel it asks the sentinels for the primary. So there is one server at a time that has all keys and
 * all subscribers: `PUBLISH` tells how many it has reached, and a connection that breaks or is told MOVED asks again.
 */
export function clusterConnector(way: ClusterWay): NonNullable<RedisOptions["Connector"]> {
  return class extends ClusterConnector {
    constructor() {
      super(way);
    }
  };
}

class ClusterConnector extends AbstractConnector {
  private readonly given: Address[];
  private known: Address[];
  private readonly redisOptions: RedisOptions;

  constructor(private readonly way: ClusterWay) {
    super(way.asking.disconnectTimeout ?? 2_000);
    this.given = way.cluster.cluster.map((node) => addressOf(node)!);
    this.known = this.given;
    this.redisOptions = way.cluster.options?.redisOptions ?? {};
  }

  /** Checks `INFO`, when the connection stands: a replica is not stayed with. */
  override check(info: { role?: string }): boolean {
    return info.role === undefined || info.role === "master";
  }

  /** Ends with a connection being made, or when it is disconnected meanwhile. */
  async connect(emit: ErrorEmitter): Promise<NetStream> {
    this.connecting = true;
    for (;;) {
      const master = await this.findMaster(emit);
      if (!this.connecting) throw new Error("Connection is closed.");
      if (master !== null) return this.open(master);
      await wait(this.way.clock, RETRY_MS);
    }
  }

  private async findMaster(emit: ErrorEmitter): Promise<Address | null> {
    let failure: unknown = null;
    for (let at = 0; at < this.known.length && this.connecting; at += ASKED_AT_ONCE) {
      const asked = this.known.slice(at, at + ASKED_AT_ONCE);
      try {
        const { master, nodes } = await Promise.any(asked.map((node) => this.ask(node)));
        this.known = uniqueOf([...nodes, ...this.given]);
        return master;
      } catch (error) {
        failure = (error as AggregateError).errors[0];
      }
    }
    emit("error", new Error(`no node of the Redis Cluster names the master of our slot: ${String(failure)}`));
    return null;
  }

  /** @throws what the node answered, or that it did not */
  private async ask(node: Address): Promise<{ master: Address; nodes: Address[] }> {
    const client = new Redis({ ...this.redisOptions, ...this.way.asking, ...node });
    let failure: Error | null = null;
    client.on("error", (error: Error) => (failure = error));
    try {
      await client.connect();
      const [slot, ranges] = await Promise.all([client.cluster("KEYSLOT", this.way.key), client.cluster("SLOTS")]);
      const addresses = (ranges as SlotRange[]).map(([first, last, ...servers]) => ({
        isOurs: first <= slot && slot <= last,
        servers: servers.map(([host, port]) => this.reachable({ host: isNamed(host) ? host : node.host, port })),
      }));
      const master = addresses.find(({ isOurs }) => isOurs)?.servers[0];
      if (master === undefined) throw new Error(`nobody serves slot ${slot}`);
      return { master, nodes: addresses.flatMap(({ servers }) => servers) };
    } catch (error) {
      throw new Error(`${node.host}:${node.port}: ${(failure ?? (error as Error)).message}`, { cause: error });
    } finally {
      client.disconnect();
    }
  }

  private reachable(address: Address): Address {
    const natMap = this.way.cluster.options?.natMap;
    // A function was refused at the start.
    return typeof natMap === "object" ? (natMap[`${address.host}:${address.port}`] ?? address) : address;
  }

  private open({ host, port }: Address): NetStream {
    this.way.onMaster(`${host}:${port}`);
    const { tls } = this.redisOptions;
    this.stream = tls ? connectTls({ ...tls, host, port }) : createConnection({ host, port });
    this.stream.once("error", (error) => (this.firstError = error));
    return this.stream;
  }
}

/** First and last slot, then the master and its replicas. */
type SlotRange = [first: number, last: number, ...servers: [host: string | null, port: number, ...rest: unknown[]][]];

/** A server that does not know its own name has the one by which it was asked. */
function isNamed(host: string | null): host is string {
  return host !== null && host !== "" && host !== "?";
}

function uniqueOf(addresses: Address[]): Address[] {
  const byName = new Map(addresses.map((address) => [`${address.host}:${address.port}`, address]));
  return [...byName.values()].slice(0, MAX_KNOWN);
}
