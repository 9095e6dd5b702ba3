import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
  await migrate(postgres.url);
});
afterAll(() => postgres.stop());

test("one of the nodes that start together on an empty database makes the first key", async () => {
  const stores = openPostgres({ url: postgres.url, size: 6 });
  const hashes = Array.from({ length: 6 }, (_, index) => `hash-${index}`);
  const added = await Promise.all(hashes.map((hash) => stores.apiKeys.addFirst(hash, "default")));
  const known = await stores.apiKeys.findByHashes(hashes);
  await stores.close();
  expect(added.filter(Boolean)).toHaveLength(1);
  expect([...known.keys()]).toEqual([hashes[added.indexOf(true)]]);
  expect([...known.values()]).toMatchObject([{ role: "admin", cluster: true, namespace: "default" }]);
});

async function queryOnce(sql: string): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe("the first key that the environment names", () => {
  let stores: PostgresStores;
  const works = async (hash: string): Promise<boolean> => (await stores.apiKeys.findByHashes([hash])).has(hash);

  beforeEach(() => {
    stores = openPostgres({ url: postgres.url, size: 6 });
  });
  afterEach(() => stores.close());

  test("the first key that the environment names is an administrator's, however often it is given", async () => {
    const first = await stores.apiKeys.replaceFirst("named", "shop");
    expect(await stores.apiKeys.replaceFirst("named", "shop")).toEqual(first);
    expect(first).toMatchObject({ namespace: "shop", role: "admin", cluster: true, expiresAt: null });
  });

  test("a new first key revokes the old one, made or given, for good; keys of people and of other namespaces stay", async () => {
    await stores.apiKeys.replaceFirst("elsewhere", "other");
    await stores.apiKeys.replaceFirst("old", "office");
    const sql = "INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ('of a person', 'office', 'admin')";
    await queryOnce(sql);
    await stores.apiKeys.replaceFirst("new", "office");
    expect([await works("new"), await works("old")]).toEqual([true, false]);
    expect([await works("of a person"), await works("elsewhere")]).toEqual([true, true]);
    expect(await stores.apiKeys.replaceFirst("old", "office")).toBeNull();
    expect([await works("new"), await works("old")]).toEqual([true, false]);
  });

  test("the first key that the environment names is an administrator's also where it was a worker's", async () => {
    await queryOnce(
      "INSERT INTO tickwheel.api_key (hash, namespace, role, types) VALUES ('of a worker', 'plant', 'worker', '{a}')",
    );
    expect(await stores.apiKeys.replaceFirst("of a worker", "plant")).toMatchObject({ role: "admin", types: null });
  });

  test("the first key that the environment names is a single one when nodes with different keys start together", async () => {
    const hashes = Array.from({ length: 6 }, (_, index) => `together-${index}`);
    await Promise.all(hashes.map((hash) => stores.apiKeys.replaceFirst(hash, "race")));
    expect((await Promise.all(hashes.map(works))).filter(Boolean)).toHaveLength(1);
  });
});
