import type { Fault } from "@tickwheel/core";
import type { ClusterNode, ClusterOptions, Redis, RedisOptions } from "ioredis";

/**
 * Where Redis is: a URL; options of ioredis, also for Sentinel (`{ sentinels, name }`); some nodes of a Cluster; or a
 * client, whose settings are taken over, while it is neither used nor closed. How connections are retried and how long
 * calls wait is decided here, whatever the options say.
 *
 * @example
 * const single: RedisSource = "rediss://user:password@redis.example.com:6380";
 * const sentinel: RedisSource = { sentinels: [{ host: "s1", port: 26379 }, { host: "s2", port: 26379 }], name: "primary" };
 * const cluster: RedisSource = { cluster: [{ host: "r1", port: 6379 }], options: { redisOptions: { password: "…" } } };
 */
export type RedisSource = string | RedisOptions | RedisCluster | Redis;

/** A Redis Cluster as ioredis takes it. */
export interface RedisCluster {
  /** Some of its nodes, 1 at least; the others are learned from them. */
  cluster: readonly ClusterNode[];
  /**
   * Only `redisOptions` (password, TLS) and `natMap` (a table, no function) are heeded: one master is talked to,
   * that of the one slot which holds all keys, and never a replica. Default none.
   */
  options?: ClusterOptions | undefined;
}

export function isClient(source: unknown): source is Redis {
  return isRecord(source) && typeof source["duplicate"] === "function";
}

export function isCluster(source: RedisSource): source is RedisCluster {
  return typeof source === "object" && !isClient(source) && "cluster" in source;
}

const ADDRESS = /^(rediss?:\/\/.|\/.)/;
const KINDS = "must be a redis:// or rediss:// URL, options or a client of ioredis, { cluster: nodes }, or null";

/**
 * Everything that is wrong with what should be a {@link RedisSource} or null. @param path its name among the options
 */
export function sourceFaults(value: unknown, path: string): Fault[] {
  const fault = (message: string, part = ""): Fault => ({ path: `${path}${part}`, message });
  if (value === null) return [];
  if (typeof value === "string") return ADDRESS.test(value) ? [] : [fault(KINDS)];
  if (!isRecord(value)) return [fault(KINDS)];
  if (isClient(value))
    return "isCluster" in value && value.isCluster === true
      ? [fault("must not be a client of a Cluster: give { cluster: nodes, options }")]
      : natMapFaults(isRecord(value.options) ? value.options : {}, fault);
  if ("cluster" in value) return clusterFaults(value, fault);
  if ("sentinels" in value || "name" in value) return sentinelFaults(value, fault);
  return ["host", "port", "path"].some((name) => name in value) ? [] : [fault(KINDS)];
}

type MakeFault = (message: string, part?: string) => Fault;

/** The heartbeat's thread would connect past a function, which cannot be sent there. */
function natMapFaults({ natMap }: { natMap?: unknown }, fault: MakeFault, part = ""): Fault[] {
  if (typeof natMap !== "function") return [];
  return [fault('must be a table such as { "10.0.0.1:6379": { host, port } }, not a function', `${part}.natMap`)];
}

function sentinelFaults(options: Record<string, unknown>, fault: MakeFault): Fault[] {
  const { sentinels, name, role = "master" } = options;
  const isAddress = (entry: unknown): boolean =>
    isRecord(entry) && isHost(entry["host"]) && (entry["port"] === undefined || isPort(entry["port"]));
  const isList = Array.isArray(sentinels) && sentinels.length > 0 && sentinels.every(isAddress);
  return [
    ...(isList ? [] : [fault("must be a list of { host, port }, one at least", ".sentinels")]),
    ...(isHost(name) ? [] : [fault("must be what the sentinels call the primary", ".name")]),
    ...(role === "master" ? [] : [fault("must be master: keys are written", ".role")]),
    ...natMapFaults(options, fault),
  ];
}

function clusterFaults({ cluster, options = {}, ...rest }: Record<string, unknown>, fault: MakeFault): Fault[] {
  const isList = Array.isArray(cluster) && cluster.length > 0 && cluster.every((node) => addressOf(node) !== null);
  const beside = Object.keys(rest).map((name) => fault("must not be given beside cluster", `.${name}`));
  const list = isList ? [] : [fault("must be a list of nodes such as { host, port }, one at least", ".cluster")];
  if (!isRecord(options)) return [...list, ...beside, fault("must be options of a Cluster of ioredis", ".options")];
  const { redisOptions = {}, useSRVRecords = false } = options;
  return [
    ...list,
    ...beside,
    ...(isRecord(redisOptions) ? [] : [fault("must be options of ioredis", ".options.redisOptions")]),
    ...(useSRVRecords === false ? [] : [fault("is not supported: name the nodes", ".options.useSRVRecords")]),
    ...natMapFaults(options, fault, ".options"),
  ];
}

export interface Address {
  host: string;
  port: number;
}

const DEFAULT_PORT = 6_379;

/**
 * The address of a node as ioredis takes it: `{ host, port }`, a port of this machine, `host:port`, or a URL. Null: it
 * is none.
 */
export function addressOf(node: unknown): Address | null {
  if (isRecord(node)) {
    const { host = "127.0.0.1", port = DEFAULT_PORT } = node;
    return isHost(host) && isPort(Number(port)) ? { host, port: Number(port) } : null;
  }
  if (typeof node === "number") return isPort(node) ? { host: "127.0.0.1", port: node } : null;
  if (typeof node !== "string") return null;
  if (/^\d+$/.test(node)) return addressOf(Number(node));
  const text = /^rediss?:\/\//.test(node) ? node : `redis://${node}`;
  if (node === "" || !URL.canParse(text)) return null;
  const { hostname, port } = new URL(text);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return host === "" ? null : { host, port: port === "" ? DEFAULT_PORT : Number(port) };
}

/** The same without a client and without functions, which cannot be sent to another thread. */
export function threadableSource(source: RedisSource): Exclude<RedisSource, Redis> {
  return plain(isClient(source) ? source.options : source) as Exclude<RedisSource, Redis>;
}

/** Undefined: it cannot be sent. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return value;
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHost(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535;
}
