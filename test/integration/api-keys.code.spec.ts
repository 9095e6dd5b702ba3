import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createNode, type TickwheelNode } from "@tickwheel/node";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let node: TickwheelNode;

beforeAll(async () => {
  postgres = await startTestPostgres();
  node = await createNode({ url: postgres.url, heartbeat: "loop", engine: false });
  await node.start();
});
afterAll(async () => {
  await node?.stop();
  await postgres?.stop();
});

test("code makes, renames, rotates, lists and revokes keys of its namespace, as the application", async () => {
  const { apiKeys } = node.tasks;
  const { key, apiKey } = await apiKeys.create({ name: "root", role: "admin", cluster: true });
  expect(key).toMatch(/^twk_[\w-]{43}$/);
  expect(apiKey).toMatchObject({ name: "root", createdBy: "application", createdAt: expect.any(Date) });
  await expect(apiKeys.create({ name: "root", role: "viewer" })).rejects.toMatchObject({ code: "KEY_EXISTS" });
  await expect(apiKeys.revoke(apiKey.id)).rejects.toMatchObject({ code: "LAST_ADMIN_KEY" });
  const end = new Date(Date.now() + 3_600_000);
  const made = await apiKeys.create({ name: "shop", role: "operator", expiresAt: end });
  const renamed = await apiKeys.update(made.apiKey.id, { name: "shop-2", expiresAt: null });
  expect([renamed.name, renamed.expiresAt]).toEqual(["shop-2", null]);
  const next = await apiKeys.rotate(made.apiKey.id, { overlap: 0 });
  expect(next.apiKey).toMatchObject({ name: "shop-2", role: "operator" });
  expect(await apiKeys.get(made.apiKey.id)).toMatchObject({ state: "ended", replacedBy: next.apiKey.id });
  await apiKeys.revoke(next.apiKey.id, { reason: "tried" });
  const worker = await apiKeys.create({ name: "resizer", role: "worker", types: ["image.*"] });
  expect(worker.apiKey).toMatchObject({ role: "worker", types: ["image.*"] });
  const wider = await apiKeys.update(worker.apiKey.id, { types: ["image.*", "mail.send"] });
  expect(wider.types).toEqual(["image.*", "mail.send"]);
  await apiKeys.revoke(worker.apiKey.id);
  const listed = await apiKeys.list({ states: ["works"] });
  expect(listed).toEqual({ apiKeys: [expect.objectContaining({ id: apiKey.id })], next: null });
  await expect(apiKeys.update(next.apiKey.id, { name: "x" })).rejects.toMatchObject({ code: "KEY_NOT_FOUND" });
});
