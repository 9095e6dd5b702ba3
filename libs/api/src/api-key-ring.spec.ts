import { expect, test } from "@jest/globals";
import type { ApiKey, ApiKeyStore } from "@tickwheel/core";
import { ApiKeyRing } from "./api-key-ring.js";
import { hashApiKey, newApiKey } from "./api-key.js";

/** A ring over one key; look-ups of others are answered when the test says so. */
function ringOver(secret: string) {
  const asked: string[] = [];
  let answer: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (answer = resolve));
  const apiKeys = {
    findByHash: async (hash: string): Promise<ApiKey | null> => {
      asked.push(hash);
      if (hash === hashApiKey(secret)) return { id: "1" } as ApiKey;
      await released;
      return null;
    },
  } as ApiKeyStore;
  return { ring: new ApiKeyRing({ apiKeys }), asked, answer };
}

const manyKeys = (count: number): string[] => Array.from({ length: count }, () => newApiKey());

test("a text is looked up once, however many ask at once, and remembered, whether it is a key or not", async () => {
  const [key, madeUp] = manyKeys(2) as [string, string];
  const { ring, asked, answer } = ringOver(key);
  answer();
  for (const secret of [key, madeUp]) {
    const found = await Promise.all([ring.find(secret), ring.find(secret), ring.find(secret)]);
    expect(new Set(found.map((one) => one?.id)).size).toBe(1);
    await ring.find(secret);
  }
  expect(asked).toHaveLength(2);
});

test("of texts that are not known a few are looked up at once, more are refused, and a known key is answered meanwhile", async () => {
  const key = newApiKey();
  const { ring, asked, answer } = ringOver(key);
  await ring.find(key);
  const tried = manyKeys(20).map((secret) => ring.find(secret).then(String, ({ code }: { code: string }) => code));
  expect(await ring.find(key)).toEqual({ id: "1" });
  answer();
  const outcomes = await Promise.all(tried);
  expect([outcomes.filter((outcome) => outcome === "RATE_LIMITED").length, asked.length]).toEqual([12, 9]);
  expect(await ring.find(newApiKey())).toBeNull();
});

test("made-up keys push no key out", async () => {
  const key = newApiKey();
  const { ring, asked, answer } = ringOver(key);
  await ring.find(key);
  answer();
  for (const secret of manyKeys(10_500)) await ring.find(secret);
  const before = asked.length;
  await ring.find(key);
  expect(asked.length).toBe(before);
});

test("a look-up that failed is not remembered", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve({ id: "1" } as ApiKey)];
  const apiKeys = { findByHash: () => answers.shift()! } as unknown as ApiKeyStore;
  const ring = new ApiKeyRing({ apiKeys });
  const key = newApiKey();
  await expect(ring.find(key)).rejects.toThrow("away");
  expect(await ring.find(key)).toEqual({ id: "1" });
});
