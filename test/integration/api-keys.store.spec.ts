import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import type { ApiKeyChange, ApiKeyRecord, ApiKeyReply, NewApiKey, Role } from "@tickwheel/core";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import pg from "pg";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let stores: PostgresStores;
let database: pg.Client;
let made = 0;
let namespace: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  await migrate(postgres.url);
  database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await postgres?.stop();
});
beforeEach(() => {
  namespace = `shop-${made++}`;
  stores = openPostgres({ url: postgres.url, size: 4 });
});
afterEach(() => stores.close());

function keyOf(name: string, role: Role = "admin"): NewApiKey {
  const hash = hashApiKey(`${namespace} ${name} ${made++}`);
  return { namespace, name, hash, prefix: "twk_aaaaa", role, cluster: false, rights: [], types: null, expiresAt: null };
}

async function madeKey(name: string, role?: Role): Promise<ApiKeyRecord> {
  return (await stores.apiKeys.create(keyOf(name, role), "test"))!;
}

function change(id: string, asked: Omit<ApiKeyChange & { kind: "revoke" }, "actor"> | object): Promise<ApiKeyReply> {
  return stores.apiKeys.change({ namespace, id }, { ...asked, actor: "test" } as ApiKeyChange);
}

const REVOKE = { kind: "revoke", reason: "lost" } as const;
const nextOf = (name: string) => {
  const { hash, prefix, expiresAt } = keyOf(name);
  return { hash, prefix, expiresAt };
};

/** Who waits for somebody's lock. */
async function waiting(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows[0]!.count;
}

describe("among the last two administrators' keys", () => {
  test("one of the last two administrators' keys is revoked, the other refused, when two callers revoke one each at once", async () => {
    const keys = [await madeKey("one"), await madeKey("two")];
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM tickwheel.api_key WHERE namespace = $1 FOR UPDATE", [namespace]);
    const asked = keys.map(({ id }) => change(id, REVOKE));
    await eventually(async () => expect(await waiting()).toBe(2));
    await other.query("COMMIT");
    await other.end();
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["done", "last_admin"]);
    const { keys: left } = await stores.apiKeys.list({ namespace, states: ["works"], limit: 10, before: null });
    expect(left).toHaveLength(1);
  });

  test("one of the last two administrators' keys keeps its role without an end, whatever takes it from the other", async () => {
    const one = await madeKey("one");
    const two = await madeKey("two");
    expect(await change(one.id, { kind: "update", expiresAt: Date.now() + 3_600_000 })).toMatchObject({
      outcome: "done",
    });
    const next = nextOf("two");
    for (const asked of [
      REVOKE,
      { kind: "update", expiresAt: Date.now() + 3_600_000 },
      { kind: "rotate", overlapMs: 0, next },
      { kind: "rotate", overlapMs: 60_000, next: { ...next, role: "operator" } },
      { kind: "rotate", overlapMs: 60_000, next: { ...next, expiresAt: Date.now() + 3_600_000 } },
    ])
      expect(await change(two.id, asked)).toEqual({ outcome: "last_admin" });
    expect(await change(two.id, { kind: "rotate", overlapMs: 60_000, next })).toMatchObject({ outcome: "done" });
    expect(await change(two.id, REVOKE)).toMatchObject({ outcome: "done" });
  });
});

test("a name is had by one key that is neither revoked nor replaced, also when two take it at once", async () => {
  await madeKey("keeper");
  const one = await madeKey("one");
  const two = await madeKey("two", "viewer");
  expect(await stores.apiKeys.create(keyOf("one"), "test")).toBeNull();
  const renamed = await Promise.all([one, two].map(({ id }) => change(id, { kind: "update", name: "wanted" })));
  expect(renamed.map(({ outcome }) => outcome).toSorted()).toEqual(["done", "exists"]);
  const winner = [one, two][renamed.findIndex(({ outcome }) => outcome === "done")]!;
  expect((await change(winner.id, REVOKE)).outcome).toBe("done");
  expect(await stores.apiKeys.create(keyOf("wanted"), "test")).toMatchObject({ name: "wanted", state: "works" });
});

test("a rotated key works beside the new one until the overlap is over, and is not rotated again", async () => {
  const asked = keyOf("backend", "operator");
  const old = (await stores.apiKeys.create(asked, "test"))!;
  const next = nextOf("backend");
  const reply = await change(old.id, { kind: "rotate", overlapMs: 3_600_000, next });
  const { key } = reply as ApiKeyReply & { outcome: "done" };
  expect(key).toMatchObject({ name: "backend", role: "operator", state: "works", expiresAt: null });
  const known = await stores.apiKeys.findByHashes([asked.hash, next.hash]);
  expect([known.get(asked.hash)?.id, known.get(next.hash)?.id]).toEqual([old.id, key.id]);
  expect(await stores.apiKeys.get({ namespace, id: old.id })).toMatchObject({ state: "works", replacedBy: key.id });
  expect(await change(old.id, { kind: "rotate", overlapMs: 0, next: nextOf("again") })).toEqual({ outcome: "exists" });
  await change(key.id, { kind: "rotate", overlapMs: 0, next: nextOf("third") });
  expect((await stores.apiKeys.findByHashes([next.hash])).size).toBe(0);
  expect(await change(key.id, { kind: "update", name: "late" })).toEqual({ outcome: "over" });
});

test("a revoked key is found no more, stays revoked, and is told with who did it and why", async () => {
  await madeKey("keeper");
  const asked = keyOf("lost");
  const { id } = (await stores.apiKeys.create(asked, "key:1"))!;
  for (let time = 0; time < 2; time++)
    expect(await change(id, REVOKE)).toMatchObject({ outcome: "done", key: { state: "revoked", revokedBy: "test" } });
  expect((await stores.apiKeys.findByHashes([asked.hash])).size).toBe(0);
  expect(await stores.apiKeys.replaceFirst(asked.hash, namespace)).toBeNull();
  const { rows } = await database.query(
    "SELECT actor, action, before, after, reason FROM tickwheel.audit WHERE target = $1 ORDER BY at, id",
    [`key:${id}`],
  );
  expect(rows).toEqual([
    expect.objectContaining({ actor: "key:1", action: "api_key.create", before: null, reason: null }),
    {
      actor: "test",
      action: "api_key.revoke",
      reason: "lost",
      before: { revokedAt: null },
      after: { revokedAt: expect.any(Number) },
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain(asked.hash);
});

test.each([
  ["viewer", ["mail.send"]],
  ["worker", null],
  ["worker", []],
  ["worker", Array.from({ length: 101 }, (_, at) => `type-${at}`)],
] as const)("no key of a %s has the types %j, no matter what writes it", async (role, types) => {
  const made = stores.apiKeys.create({ ...keyOf("wrong"), role, types }, "test");
  await expect(made).rejects.toMatchObject({ details: { constraint: "api_key_types" } });
});

test("a key's last use is written once a minute, by whichever node comes first", async () => {
  const { id } = await madeKey("busy");
  const changed = async (agoMs: number, from: string): Promise<ApiKeyRecord> => {
    await stores.apiKeys.recordUses([{ id, agoMs, from }]);
    return (await stores.apiKeys.get({ namespace, id }))!;
  };
  const first = await changed(120_000, "10.0.0.1");
  expect(first.usedFrom).toBe("10.0.0.1");
  expect(await changed(80_000, "10.0.0.2")).toEqual(first);
  const later = await changed(0.5, "10.0.0.3");
  expect(later.usedFrom).toBe("10.0.0.3");
  expect(later.usedAt! - first.usedAt!).toBeGreaterThan(60_000);
});

test("keys of another namespace are as if absent, and a page follows a page", async () => {
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) ids.unshift((await madeKey(name)).id);
  const page = await stores.apiKeys.list({ namespace, states: [], limit: 2, before: null });
  const rest = await stores.apiKeys.list({ namespace, states: [], limit: 2, before: page.next });
  expect([...page.keys, ...rest.keys].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect([page.keys.length, rest.next]).toEqual([2, null]);
  const foreign = { namespace: "other", id: ids[0]! };
  expect(await stores.apiKeys.get(foreign)).toBeNull();
  expect(await stores.apiKeys.change(foreign, { ...REVOKE, actor: "test" })).toEqual({ outcome: "not_found" });
});
