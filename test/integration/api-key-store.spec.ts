import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { migrate, openPostgres } from "@tickwheel/postgres-store";

let postgres: PostgresService;

beforeAll(async () => {
  postgres = await startPostgres();
  await migrate(postgres.url);
});
afterAll(() => postgres.stop());

test("of nodes that start together on an empty database one makes the first key", async () => {
  const stores = openPostgres({ url: postgres.url, size: 6 });
  const hashes = Array.from({ length: 6 }, (_, index) => `hash-${index}`);
  const added = await Promise.all(hashes.map((hash) => stores.apiKeys.addFirst(hash, "default")));
  const known = await Promise.all(hashes.map((hash) => stores.apiKeys.findByHash(hash)));
  await stores.close();
  expect(added.filter(Boolean)).toHaveLength(1);
  expect(known[added.indexOf(true)]).toMatchObject({ role: "admin", cluster: true, namespace: "default" });
  expect(known.filter((key) => key !== null)).toHaveLength(1);
});

test("a key that the environment names becomes the administrator, however often it is named", async () => {
  const stores = openPostgres({ url: postgres.url });
  const first = await stores.apiKeys.ensureAdministrator("named", "shop");
  const again = await stores.apiKeys.ensureAdministrator("named", "shop");
  await stores.close();
  expect(again).toEqual(first);
  expect(first).toMatchObject({ namespace: "shop", role: "admin", cluster: true, expiresAt: null });
});
