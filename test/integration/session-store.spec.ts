import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { EpochMs } from "@tickwheel/core";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import pg from "pg";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const HOUR_MS = 3_600_000;
const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
const LIMITS = { sessionMs: 12 * HOUR_MS, sessionIdleMs: HOUR_MS, sessionsPerKey: 20 };

let postgres: OwnPostgres;
let client: pg.Client;
let stores: PostgresStores;
/** Null: the server's own time. */
let asOf: EpochMs | null;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  await migrate(postgres.url);
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("TRUNCATE tickwheel.session, tickwheel.api_key");
  await client.query("INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ('key', 'shop', 'operator')");
  asOf = Date.UTC(2026, 0, 1);
  stores = openPostgres({ url: postgres.url, size: 8, asOf: () => asOf as EpochMs });
});
afterEach(async () => {
  await client.end();
  await stores.close();
});

const isLive = async (hash: string): Promise<boolean> => (await stores.sessions.findByHashes([hash])).has(hash);
const later = (ms: number): void => void (asOf! += ms);

test("a session has the rights of its key, and is found by its hash until it is ended", async () => {
  const made = await stores.sessions.create("one", "key", LIMITS);
  expect(made).toMatchObject({
    key: { namespace: "shop", role: "operator", cluster: false },
    endsAt: asOf! + 12 * HOUR_MS,
  });
  expect((await stores.sessions.findByHashes(["none", "one"])).get("one")).toEqual(made);
  await stores.sessions.end("one");
  await stores.sessions.end("one");
  expect(await isLive("one")).toBe(false);
});

test("there is no session of a key that is unknown or has expired", async () => {
  expect(await stores.sessions.create("one", "another key", LIMITS)).toBeNull();
  await client.query("UPDATE tickwheel.api_key SET expires_at = '2025-12-31'");
  expect(await stores.sessions.create("one", "key", LIMITS)).toBeNull();
});

test("a session is over an hour after its last use, and twelve hours after its creation however much it is used", async () => {
  await stores.sessions.create("used", "key", LIMITS);
  await stores.sessions.create("left", "key", LIMITS);
  for (let hour = 0; hour < 11; hour++) {
    later(HOUR_MS - 1);
    await stores.sessions.use("used", LIMITS);
    expect([await isLive("used"), await isLive("left")]).toEqual([true, hour === 0]);
  }
  later(HOUR_MS - 1);
  await stores.sessions.use("used", LIMITS);
  later(11);
  expect(await isLive("used")).toBe(true);
  later(1);
  expect(await isLive("used")).toBe(false);
});

test("the use of a session is written once a minute, and revives no session that is over", async () => {
  await stores.sessions.create("one", "key", LIMITS);
  const written = async (): Promise<string> => (await client.query("SELECT xmin FROM tickwheel.session")).rows[0].xmin;
  const before = await written();
  later(59_999);
  await stores.sessions.use("one", LIMITS);
  expect(await written()).toBe(before);
  later(2);
  await stores.sessions.use("one", LIMITS);
  const after = await written();
  expect(after).not.toBe(before);
  later(HOUR_MS);
  await stores.sessions.use("one", LIMITS);
  expect(await written()).toBe(after);
});

test.each(["UPDATE tickwheel.api_key SET expires_at = '2025-12-31'", "DELETE FROM tickwheel.api_key"])(
  "a session is over with its key: %s",
  async (sql) => {
    await stores.sessions.create("one", "key", LIMITS);
    expect(await isLive("one")).toBe(true);
    await client.query(sql);
    expect(await isLive("one")).toBe(false);
  },
);

test("a session is over when another first key replaces its own, and sessions of other keys are not", async () => {
  asOf = null;
  await stores.apiKeys.replaceFirst("first", "shop");
  await stores.sessions.create("one", "first", LIMITS);
  await stores.sessions.create("of a person", "key", LIMITS);
  await stores.apiKeys.replaceFirst("second", "shop");
  expect([await isLive("one"), await isLive("of a person")]).toEqual([false, true]);
});

test("twenty-one log-ins at once leave twenty sessions, and one more ends the oldest", async () => {
  const hashes = Array.from({ length: 21 }, (_, index) => `session ${index}`);
  await Promise.all(hashes.map((hash) => stores.sessions.create(hash, "key", LIMITS)));
  const live = await stores.sessions.findByHashes(hashes);
  expect(live.size).toBe(20);
  const { rows } = await client.query<{ hash: string }>("SELECT hash FROM tickwheel.session ORDER BY created_at, id");
  expect(rows).toHaveLength(20);
  later(1);
  await stores.sessions.create("newest", "key", LIMITS);
  const left = await stores.sessions.findByHashes([...hashes, "newest"]);
  expect(left.size).toBe(20);
  expect([left.has("newest"), left.has(rows[0]!.hash)]).toEqual([true, false]);
});

const REVOKED = [
  ["expires", "UPDATE tickwheel.api_key SET expires_at = '2025-12-31'"],
  ["is deleted", "DELETE FROM tickwheel.api_key"],
] as const;

test.each(REVOKED)("a log-in that waits while its key %s makes no session", async (_name, sql) => {
  await client.query("BEGIN");
  await client.query(sql);
  const made = stores.sessions.create("one", "key", LIMITS);
  await waitingForLock();
  await client.query("COMMIT");
  expect(await made).toBeNull();
});

test.each(REVOKED)("a log-in whose key %s before it has committed leaves no session that works", async (_name, sql) => {
  // Holds the log-in up between the lock of its key and its commit.
  await client.query("BEGIN; LOCK TABLE tickwheel.session IN SHARE MODE");
  const made = stores.sessions.create("one", "key", LIMITS);
  await waitingForLock();
  const revoker = new pg.Client({ connectionString: postgres.url });
  await revoker.connect();
  const revoked = revoker.query(sql);
  await client.query("COMMIT");
  await Promise.all([made, revoked]);
  await revoker.end();
  expect(await isLive("one")).toBe(false);
});

async function waitingForLock(): Promise<void> {
  await eventually(async () => {
    expect((await client.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rows).not.toEqual([]);
  });
}

test("upkeep deletes sessions that are over, and no others", async () => {
  await stores.sessions.create("old", "key", LIMITS);
  later(HOUR_MS);
  await stores.sessions.create("new", "key", LIMITS);
  await stores.tasks.maintain(RETENTION);
  const { rows } = await client.query("SELECT hash FROM tickwheel.session");
  expect(rows).toEqual([{ hash: "new" }]);
});
