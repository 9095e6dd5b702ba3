import { describe, expect, test } from "@jest/globals";
import { Cluster, Redis } from "ioredis";
import { addressOf, type RedisSource, sourceFaults, threadableSource } from "./redis-source.js";

const pathsOf = (value: unknown): string[] => sourceFaults(value, "redis").map(({ path }) => path);
const lazy = { lazyConnect: true };
const natMap = (): null => null;
const address = { host: "r1", port: 6_379 };

describe("where Redis is", () => {
  test.each<[string, RedisSource | null]>([
    ["nowhere", null],
    ["a URL", "rediss://user:password@host:6380"],
    ["a socket", "/run/redis.sock"],
    ["options", { host: "redis", port: 6_380, password: "secret" }],
    ["a client", new Redis(lazy)],
    ["sentinels", { sentinels: [{ host: "s1", port: 26_379 }, { host: "s2" }], name: "primary", tls: {} }],
    ["sentinels and a table", { sentinels: [{ host: "s1" }], name: "primary", natMap: { "10.0.0.1:1": address } }],
    ["nodes of a Cluster", { cluster: ["r1:6379", 6_380, { host: "r2" }], options: { redisOptions: { tls: {} } } }],
  ])("the place of Redis may be told by %s", (_, source) => {
    expect(sourceFaults(source, "redis")).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ["a text that is no address", "localhost", ["redis"]],
    ["a number", 6_379, ["redis"]],
    ["a list", ["redis://a"], ["redis"]],
    ["options that name no server", { tls: {} }, ["redis"]],
    ["no sentinel and no name", { sentinels: [] }, ["redis.sentinels", "redis.name"]],
    ["a name without sentinels", { name: "primary", host: "h" }, ["redis.sentinels"]],
    ["a sentinel without a host", { sentinels: [{ port: 1 }], name: "primary" }, ["redis.sentinels"]],
    ["replicas", { sentinels: [{ host: "s1" }], name: "primary", role: "slave" }, ["redis.role"]],
    ["a Cluster of none", { cluster: [] }, ["redis.cluster"]],
    ["a node with a wrong port", { cluster: [{ host: "r", port: 70_000 }] }, ["redis.cluster"]],
    ["a Cluster's options that are none", { cluster: ["r:1"], options: 5 }, ["redis.options"]],
    ["nodes by SRV records", { cluster: ["r"], options: { useSRVRecords: true } }, ["redis.options.useSRVRecords"]],
    ["a natMap of a Cluster that is a function", { cluster: ["r"], options: { natMap } }, ["redis.options.natMap"]],
    ["a natMap that is a function", { sentinels: [{ host: "s" }], name: "n", natMap }, ["redis.natMap"]],
    ["a client with such a one", new Redis({ ...lazy, natMap }), ["redis.natMap"]],
    [
      "sentinels beside a Cluster, both wrong",
      { cluster: [""], sentinels: [], name: "n" },
      ["redis.cluster", "redis.sentinels", "redis.name"],
    ],
  ])("the place of Redis is not told by %s, and every fault has its place", (_, value, paths) => {
    expect(pathsOf(value).toSorted()).toEqual(paths.toSorted());
  });

  test("a client of a Cluster as the place of Redis is answered with what to give instead", () => {
    expect(sourceFaults(new Cluster(["r:1"], lazy), "redis")).toEqual([
      { path: "redis", message: "must not be a client of a Cluster: give { cluster: nodes, options }" },
    ]);
  });
});

test.each([
  ["r1:7000", { host: "r1", port: 7_000 }],
  ["r1", { host: "r1", port: 6_379 }],
  ["[::1]:7000", { host: "::1", port: 7_000 }],
  ["redis://r1:7000", { host: "r1", port: 7_000 }],
  ["7000", { host: "127.0.0.1", port: 7_000 }],
  [7_000, { host: "127.0.0.1", port: 7_000 }],
  [{ host: "r1" }, { host: "r1", port: 6_379 }],
  [{ port: 7_000 }, { host: "127.0.0.1", port: 7_000 }],
  ["", null],
  [null, null],
])("a node of a Cluster given as %j is reached at %j", (node, address) => {
  expect(addressOf(node)).toEqual(address);
});

describe("what another thread is given", () => {
  test("what another thread is given of Redis keeps a client's sentinels, passwords and certificates, and no function", () => {
    const ca = Buffer.from("certificate");
    const tls = { ca, checkServerIdentity: () => undefined };
    const client = new Redis({ ...lazy, sentinels: [{ host: "s1", port: 1 }], name: "primary", password: "p", tls });
    const sent = structuredClone(threadableSource(client));
    expect(sent).toMatchObject({ sentinels: [{ host: "s1", port: 1 }], name: "primary", password: "p" });
    expect(Buffer.from((sent as { tls: { ca: Buffer } }).tls.ca)).toEqual(ca);
  });

  test("a URL and a Cluster of Redis are sent to another thread as they are", () => {
    const cluster = { cluster: ["r1:7000"], options: { redisOptions: { password: "p" } } };
    expect(structuredClone(threadableSource(cluster))).toEqual(cluster);
    expect(threadableSource("redis://r")).toBe("redis://r");
  });
});
