import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { DataSource } from "typeorm";
import { pgTransactions } from "@tickwheel/calls";
import { type DelayTaskNodeOptions, type ResolvedNodeOptions, resolveNodeOptions } from "./node-options.js";

const resolved = (given: DelayTaskNodeOptions): ResolvedNodeOptions =>
  resolveNodeOptions(given, { name: "The node", rules: {} });

const noPool = { connect: () => Promise.reject(new Error("nobody connects")), on: () => undefined };

function faultsOf(given: DelayTaskNodeOptions): string[] {
  try {
    resolved(given);
    return [];
  } catch (error) {
    return (error as TickwheelError).faults.map((fault) => fault.path).sort();
  }
}

describe("the options of a node", () => {
  test("an absent option of a node takes the documented default", () => {
    const options = resolved({ url: "postgres://localhost/app" });
    expect(options).toMatchObject({
      schema: "tickwheel",
      migrate: true,
      redis: null,
      namespace: "default",
      engine: true,
      poolSize: 4,
      heartbeat: "worker",
      webhookSecrets: [],
      roles: ["engine"],
      cluster: "tickwheel",
    });
    expect(options.scheduler.concurrency).toBe(100);
  });

  test("named times and limits are options of a node under their own names", () => {
    expect(resolved({ url: "postgres://x/y", concurrency: 7, sweepIntervalMs: 500 }).scheduler).toMatchObject({
      concurrency: 7,
      sweepIntervalMs: 500,
    });
  });

  test("every fault of a node's options is named at once", () => {
    const given = { schema: "Bad Schema", poolSize: 1, horizonMs: 30, colour: "red" } as DelayTaskNodeOptions;
    expect(faultsOf(given)).toEqual(["colour", "dataSource", "horizonMs", "poolSize", "schema"]);
  });

  test.each<[string, DelayTaskNodeOptions]>([
    ["webhookSecrets", { webhookSecrets: [""] }],
    ["webhookSecrets", { webhookSecrets: ["good", "whsec_"] }],
    ["webhookAllowedHosts", { webhookAllowedHosts: ["https://x/y"] }],
  ])("the node option %s is refused: %j", (path, given) => {
    expect(faultsOf({ url: "postgres://x/y", ...given })).toEqual([path]);
  });

  test.each<[string, DelayTaskNodeOptions]>([
    ["transactions", { dataSource: { options: { type: "postgres" } } as never, transactions: pgTransactions(noPool) }],
    ["url", { transactions: pgTransactions(noPool) }],
    ["transactions", { url: "postgres://x/y", transactions: noPool as never }],
  ])("transactions of another library need a url and no dataSource: %s", (path, given) => {
    expect(faultsOf(given)).toEqual([path]);
  });

  test("every option of a node's own is checked, from JavaScript too", () => {
    const wrong = {
      dataSource: {},
      transactions: { run: 1 },
      url: "",
      transactionPooling: "yes",
      listenUrl: 5,
      schema: null,
      migrate: 1,
      redis: "localhost",
      namespace: "",
      engine: "no",
      poolSize: "4",
      heartbeat: "thread",
      exitWhenBlocked: null,
      webhookAllowedHosts: "example.com",
      webhookSecrets: [5],
      roles: ["worker"],
      cluster: "{a}",
    };
    const paths = faultsOf(wrong as unknown as DelayTaskNodeOptions);
    expect([...new Set(paths)]).toEqual(Object.keys(wrong).sort());
  });

  test("the option tracing is false, or names keys of baggage and whose traces runs are", () => {
    const url = "postgres://x/y";
    for (const tracing of [false, undefined, {}, { baggage: ["tenant"] }, { runs: "own-trace" }] as const)
      expect(faultsOf({ url, tracing })).toEqual([]);
    for (const tracing of [true, null, [], { baggage: "tenant" }, { baggage: ["a key"] }, { runs: "all" }, { on: 1 }])
      expect(faultsOf({ url, tracing: tracing as never })).toEqual(["tracing"]);
  });

  test("the option redis is an address, a client, or null; nothing is made of an empty text", () => {
    const client = { duplicate: () => client } as unknown as DelayTaskNodeOptions["redis"];
    for (const redis of ["redis://localhost", "rediss://u:p@h:6380/1", "/run/redis.sock", client, null, undefined])
      expect(faultsOf({ url: "postgres://x/y", redis })).toEqual([]);
    expect(faultsOf({ url: "postgres://x/y", redis: "" })).toEqual(["redis"]);
  });

  test("every fault of the option redis behind sentinels or as a Cluster is told, by the name of the part", () => {
    const redis = { cluster: [], sentinels: [], name: "primary", options: { useSRVRecords: true } };
    expect(faultsOf({ url: "postgres://x/y", redis: redis as never, roles: ["api"] })).toEqual([
      "redis.cluster",
      "redis.name",
      "redis.options.useSRVRecords",
      "redis.sentinels",
      "roles",
    ]);
  });

  test("the option roles says what the engine is", () => {
    const url = "postgres://x/y";
    expect(faultsOf({ url, roles: ["api", "engine"] })).toEqual([]);
    expect(faultsOf({ url, roles: ["api"], engine: false })).toEqual([]);
    expect(faultsOf({ url, roles: ["api"] })).toEqual(["roles"]);
    expect(faultsOf({ url, roles: ["engine"], engine: false })).toEqual(["roles"]);
  });

  test.each([
    ["heartBeat", "heartbeat"],
    ["sweepInterval", "sweepIntervalMs"],
    ["sweepIntervalMS", "sweepIntervalMs"],
    ["concurency", "concurrency"],
    ["toString", null],
    ["colour", null],
  ])("%s is no option of a node, and %s is suggested", (name, meant) => {
    const given = { url: "postgres://x/y", [name]: 1 };
    const hint = meant === null ? "is not an option" : `is not an option; did you mean "${meant}"?`;
    expect(() => resolved(given)).toThrow(expect.objectContaining({ faults: [{ path: name, message: hint }] }));
  });

  test("the connection of a DataSource is taken over by a node, whichever way it was given", () => {
    const byUrl = new DataSource({ type: "postgres", url: "postgres://u:p@h:1/d" });
    const byParts = new DataSource({
      type: "postgres",
      host: "h",
      port: 1,
      username: "u",
      password: "p@ss",
      database: "d",
    });
    expect(resolved({ dataSource: byUrl }).connection).toEqual({
      connectionString: "postgres://u:p@h:1/d",
    });
    expect(resolved({ dataSource: byParts }).connection).toEqual({
      host: "h",
      port: 1,
      user: "u",
      password: "p@ss",
      database: "d",
    });
  });

  test("an application without the engine says that it is an API", () => {
    expect(resolved({ url: "postgres://x/y", engine: false }).roles).toEqual(["api"]);
  });
});
