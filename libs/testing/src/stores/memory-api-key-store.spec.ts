import { expect, test } from "@jest/globals";
import { MemoryApiKeyStore } from "./memory-api-key-store.js";

test("the first key is made once, and is an administrator", async () => {
  const keys = new MemoryApiKeyStore();
  expect(await keys.hasAny()).toBe(false);
  expect([await keys.addFirst("a", "shop"), await keys.addFirst("b", "shop")]).toEqual([true, false]);
  expect([...(await keys.findByHashes(["a", "b"]))]).toEqual([
    ["a", { id: "1", namespace: "shop", role: "admin", cluster: true, rights: [], types: null, expiresAt: null }],
  ]);
  expect(await keys.hasAny()).toBe(true);
});

test("a first key that was replaced in its namespace never comes back", async () => {
  const keys = new MemoryApiKeyStore();
  for (const [hash, namespace] of [
    ["a", "shop"],
    ["b", "bank"],
    ["c", "shop"],
    ["c", "shop"],
  ] as const)
    expect(await keys.replaceFirst(hash, namespace)).toMatchObject({ namespace });
  expect(await keys.replaceFirst("a", "shop")).toBeNull();
  expect([...(await keys.findByHashes(["a", "b", "c"])).keys()]).toEqual(["b", "c"]);
});

test("calls by which people manage keys are refused in memory, and a record of a key's use does nothing", async () => {
  const keys = new MemoryApiKeyStore("use Postgres.");
  for (const call of [keys.create(), keys.list(), keys.get(), keys.change()])
    await expect(call).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: expect.stringContaining("use Postgres."),
    });
  expect(await keys.recordUses()).toBeUndefined();
});
