import { expect, jest, test } from "@jest/globals";
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

test("of texts that are not known a few are looked up at once, of one address fewer, and a known key is answered meanwhile", async () => {
  const key = newApiKey();
  const { ring, asked, answer } = ringOver(key);
  await ring.find(key);
  const tryFrom = (address: string) =>
    manyKeys(10).map((secret) => ring.find(secret, address).then(String, ({ code }: { code: string }) => code));
  const tried = ["a", "b", "c", "d", "e"].map(tryFrom);
  expect(await ring.find(key, "a")).toEqual({ id: "1" });
  answer();
  const outcomes = await Promise.all(tried.map((some) => Promise.all(some)));
  const lookedUp = outcomes.map((some) => some.filter((outcome) => outcome === "null").length);
  expect([lookedUp, asked.length]).toEqual([[4, 4, 4, 4, 0], 17]);
  expect(await ring.find(newApiKey(), "e")).toBeNull();
});

test("keys that are known stay so while the store is away", async () => {
  jest.useFakeTimers({ now: 0 });
  const keys = manyKeys(10);
  let isAway = false;
  const findByHash = async (): Promise<ApiKey> => {
    if (isAway) throw new Error("away");
    return { id: "1" } as ApiKey;
  };
  const ring = new ApiKeyRing({ apiKeys: { findByHash } as unknown as ApiKeyStore });
  for (const key of keys) await ring.find(key);
  isAway = true;
  for (let round = 0; round < 2; round++) {
    jest.advanceTimersByTime(6_000);
    const outcomes = await Promise.all(keys.map((key) => ring.find(key).then(String, ({ message }: Error) => message)));
    expect(new Set(outcomes)).toEqual(new Set(["away"]));
  }
  jest.useRealTimers();
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
