import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SNAPSHOT_HELD_AFTER_MS, type SnapshotHolder, type SnapshotReading, snapshotsHeld } from "@tickwheel/core";
import { ServiceStack } from "@tickwheel/local-services";
import { migrate, openPostgres } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { StandbyFeedback } from "../support/servers/standby-feedback.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** So that nobody else holds anything: an analysis by autovacuum does. */
const SETTINGS = { wal_level: "logical", max_prepared_transactions: 5, autovacuum: "off" };
const stack = new ServiceStack();
let postgres: OwnPostgres;
let owner: Client;

beforeAll(async () => {
  postgres = await stack.add(await OwnPostgres.start({ settings: SETTINGS }));
  await migrate(postgres.url);
  owner = await session("owner");
  await owner.query("CREATE ROLE plain LOGIN PASSWORD 'plain'; GRANT USAGE ON SCHEMA tickwheel TO plain");
});
afterAll(async () => {
  await owner.end();
  await stack.stop();
});

async function session(name: string, url = postgres.superuserUrl): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: name });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function urlOf(role: string): string {
  const url = new URL(postgres.superuserUrl);
  url.username = url.password = role;
  return url.href;
}

async function read(url = postgres.superuserUrl): Promise<SnapshotReading> {
  const stores = openPostgres({ url, size: 1 });
  try {
    return await stores.figures.snapshotHolders();
  } finally {
    await stores.close();
  }
}

/** Waits until the holders are these, and no others. */
async function holdersAre(
  expected: readonly Partial<SnapshotHolder>[],
  url = postgres.superuserUrl,
): Promise<SnapshotHolder[]> {
  return eventually(async () => {
    const { holders } = await read(url);
    expect(holders).toMatchObject(expected);
    expect(holders).toHaveLength(expected.length);
    return holders;
  });
}

/** What a look ten minutes later tells. */
function heldLater(reading: SnapshotReading): object[] {
  const { seen } = snapshotsHeld(reading);
  return snapshotsHeld({ ...reading, at: reading.at + SNAPSHOT_HELD_AFTER_MS }, seen).held;
}

async function oldestXid(): Promise<number> {
  const { rows } = await owner.query<{ xid: string }>("SELECT pg_current_xact_id()::text AS xid");
  return Number(rows[0]!.xid);
}

describe("who holds a snapshot of a real Postgres", () => {
  test("nobody holds a snapshot of Postgres where transactions end and wait for nothing", async () => {
    const idle = await session("idle");
    await idle.query("BEGIN; SELECT 1; COMMIT; BEGIN");
    expect((await read()).holders).toEqual([]);
    await idle.end();
  });

  test("a transaction that has read holds a snapshot, told with what it calls itself and what it did last", async () => {
    const report = await session("report");
    await report.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await report.query(`SELECT  count(*)\n FROM tickwheel.task -- ${"long ".repeat(40)}`);
    const [holder] = await holdersAre([
      { kind: "session", application: "report", user: "postgres", state: "idle in transaction", isActive: null },
    ]);
    expect(holder!.query).toMatch(/^SELECT count\(\*\) FROM tickwheel.task -- long/);
    expect(holder!.query).toHaveLength(120);
    await owner.query("CREATE TABLE passing (id int); DROP TABLE passing");
    const reading = await read();
    expect(reading.holders[0]!.transactions).toBeGreaterThan(0);
    expect(reading.holders[0]!.since).toBeLessThanOrEqual(reading.at);
    expect(heldLater(reading)).toMatchObject([{ name: holder!.name, since: holder!.since }]);
    await owner.query("SELECT pg_terminate_backend($1)", [Number(holder!.name)]);
    await holdersAre([]);
  });

  test("a transaction that has written holds a snapshot, and a session of another database does not", async () => {
    await owner.query("CREATE DATABASE another");
    const url = new URL(postgres.superuserUrl);
    url.pathname = "/another";
    const others = await session("elsewhere", url.href);
    await others.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await others.query("SELECT 1");
    const writer = await session("writer");
    await writer.query("BEGIN; CREATE TABLE written (id int)");
    await holdersAre([{ kind: "session", application: "writer" }]);
    await writer.end();
    await others.end();
  });

  test("a prepared transaction holds a snapshot, told by its identifier and its role", async () => {
    await owner.query("BEGIN; CREATE TABLE prepared (id int); PREPARE TRANSACTION 'it''s'");
    const reading = await read();
    const expected = { kind: "prepared", name: "it's", user: "postgres", application: null, state: null, query: null };
    expect(reading.holders).toMatchObject([expected]);
    expect(reading.holders[0]!.since).toBeLessThanOrEqual(reading.at);
    await owner.query("ROLLBACK PREPARED 'it''s'");
    await holdersAre([]);
  });

  test("a standby that has its rows kept holds a snapshot, and with a slot the slot does, also when the standby is gone", async () => {
    const direct = await StandbyFeedback.receive(postgres.superuserUrl, "standby_a", null);
    direct.keep(await oldestXid());
    await holdersAre([{ kind: "standby", application: "standby_a", since: null }]);
    await direct.end();
    await holdersAre([]);
    await owner.query("SELECT pg_create_physical_replication_slot('kept', true)");
    const slotted = await StandbyFeedback.receive(postgres.superuserUrl, "standby_b", "kept");
    slotted.keep(await oldestXid());
    await holdersAre([{ kind: "slot", name: "kept", isActive: true, since: null }]);
    await slotted.end();
    const [holder] = await holdersAre([{ kind: "slot", name: "kept", isActive: false }]);
    expect(holder!.since).toEqual(expect.any(Number));
    await owner.query("SELECT pg_drop_replication_slot('kept')");
    await holdersAre([]);
  });

  test("a logical slot holds no snapshot of tables: it keeps rows of the catalogs alone", async () => {
    await owner.query("SELECT pg_create_logical_replication_slot('changes', 'pgoutput')");
    expect((await read()).holders).toEqual([]);
    await owner.query("SELECT pg_drop_replication_slot('changes')");
  });

  test("a role without rights to statistics is told who holds a snapshot, without state, statement and time until it gets them", async () => {
    const report = await session("report");
    await report.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await report.query("SELECT 1");
    const direct = await StandbyFeedback.receive(postgres.superuserUrl, "standby_a", null);
    direct.keep(await oldestXid());
    const seen = { kind: "session", application: "report", user: "postgres" } as const;
    const standby = { kind: "standby", application: "standby_a" } as const;
    const hidden = { state: null, query: null, since: null };
    await holdersAre([{ ...seen, ...hidden }, standby], urlOf("plain"));
    expect(heldLater(await read(urlOf("plain")))).toHaveLength(2);
    await owner.query("GRANT pg_read_all_stats TO plain");
    await holdersAre([{ ...seen, state: "idle in transaction", query: "SELECT 1" }, standby], urlOf("plain"));
    await report.end();
    await direct.end();
  });

  test("the holder of a snapshot is told with the dead rows of the tables", async () => {
    await owner.query(
      "INSERT INTO tickwheel.finding (code, subject, severity, facts, since, seen_at) VALUES ('A', '', 'notice', '{}', now(), now())",
    );
    await owner.query("DELETE FROM tickwheel.finding");
    await owner.query("SELECT pg_stat_force_next_flush()");
    await eventually(async () => expect((await read()).deadRows).toBeGreaterThanOrEqual(1));
  });
});
