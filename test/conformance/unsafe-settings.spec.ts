import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SystemClock, type UnsafeSetting, unsafeStoreSettings } from "@tickwheel/core";
import { type RedisService, ServiceStack, startRedis } from "@tickwheel/local-services";
import { migrate, openPostgres } from "@tickwheel/postgres-store";
import { RedisCoordination } from "@tickwheel/redis-coordination";
import { Redis } from "ioredis";
import { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const stack = new ServiceStack();
let postgres: OwnPostgres;
let redis: RedisService;

beforeAll(async () => {
  postgres = await stack.add(await OwnPostgres.start({ settings: { wal_level: "logical" } }));
  redis = await stack.add(await startRedis());
  await migrate(postgres.url);
});
afterAll(() => stack.stop());

/** As a node that starts now sees them. */
async function unsafe(url = postgres.url): Promise<UnsafeSetting[]> {
  const stores = openPostgres({ url, size: 1 });
  try {
    return unsafeStoreSettings(await stores.figures.storeSettings());
  } finally {
    await stores.close();
  }
}

async function ask(sql: string): Promise<void> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A session that receives the server's log by this command, as a standby does, until the server stops. */
async function receive(command: string, replication: "true" | "database"): Promise<void> {
  const client = new Client({ connectionString: postgres.superuserUrl, replication } as object);
  client.on("error", () => undefined);
  await client.connect();
  client.query(command).catch(() => undefined);
}

describe("settings of real servers", () => {
  test("Postgres as it is by default takes no promise away", async () => {
    expect(await unsafe()).toEqual([]);
  });

  test("unsafe settings of the server, and of the role of the nodes alone, are seen", async () => {
    await ask("ALTER SYSTEM SET full_page_writes = off");
    await ask("ALTER SYSTEM SET fsync = off");
    await ask("SELECT pg_reload_conf()");
    await ask("CREATE ROLE hasty LOGIN PASSWORD 'hasty'; ALTER ROLE hasty SET synchronous_commit = off");
    await ask("GRANT USAGE ON SCHEMA tickwheel TO hasty");
    const url = new URL(postgres.url);
    url.username = url.password = "hasty";
    await eventually(async () =>
      expect((await unsafe(url.href)).map(({ name }) => name)).toEqual([
        "fsync",
        "full_page_writes",
        "synchronous_commit",
      ]),
    );
    await ask("ALTER SYSTEM RESET ALL");
    await ask("SELECT pg_reload_conf()");
    await eventually(async () => expect(await unsafe()).toEqual([]));
  });

  test("a standby counts as unsafe until commits wait for one, and a subscriber of a logical slot does not", async () => {
    await ask("CREATE PUBLICATION changes");
    await ask("SELECT pg_create_logical_replication_slot('changes', 'pgoutput')");
    const logical = `START_REPLICATION SLOT changes LOGICAL 0/0 (proto_version '1', publication_names 'changes')`;
    await receive(logical, "database");
    await receive("START_REPLICATION PHYSICAL 0/1000000", "true");
    const asynchronous = { server: "postgres", name: "synchronous_standby_names", value: "", standbys: 1 };
    await eventually(async () => expect(await unsafe()).toEqual([asynchronous]));
    await ask("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (another)'");
    await ask("SELECT pg_reload_conf()");
    await eventually(async () => expect(await unsafe()).toEqual([]));
  });

  test("Redis is asked for its memory limit and for what it does there", async () => {
    const clock = new SystemClock();
    const client = new Redis(redis.url);
    const coordination = new RedisCoordination({ redis: redis.url, cluster: "settings", clock, redisKeyTtlMs: 3_000 });
    expect(await coordination.unsafeSetting()).toBeUndefined();
    await coordination.start();
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    expect(await coordination.unsafeSetting()).toBeNull();
    await client.config("SET", "maxmemory", "10mb");
    expect(await coordination.unsafeSetting()).toMatchObject({ server: "redis", value: "allkeys-lru" });
    await client.acl("SETUSER", "default", "-info");
    expect(await coordination.unsafeSetting()).toBeUndefined();
    expect(coordination.health()).toEqual({ available: true, detail: null });
    client.disconnect();
    await coordination.stop();
  });
});
