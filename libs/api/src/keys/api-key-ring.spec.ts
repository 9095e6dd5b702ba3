import { expect, jest, test } from "@jest/globals";
import { type ApiKey, type ApiKeyStore, SystemClock } from "@tickwheel/core";
import { ApiKeyRing } from "./api-key-ring.js";
import { hashApiKey, newApiKey } from "./api-key.js";

/** A ring of a node that has started. */
const ringOf = (apiKeys: ApiKeyStore): ApiKeyRing =>
  new ApiKeyRing({ apiKeys, isStarted: true, beforeStart: () => undefined }, new SystemClock());

/** A ring over some keys; looks that hold others are answered when the test says so. */
function ringOver(...secrets: string[]) {
  const keys = new Map(secrets.map((secret) => [hashApiKey(secret), { id: "1" } as ApiKey]));
  const asked: string[] = [];
  const looks: number[] = [];
  let answer: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (answer = resolve));
  const apiKeys = {
    findByHashes: async (hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> => {
      asked.push(...hashes);
      looks.push(hashes.length);
      if (hashes.some((hash) => !keys.has(hash))) await released;
      return new Map([...keys].filter(([hash]) => hashes.includes(hash)));
    },
  } as ApiKeyStore;
  return { ring: ringOf(apiKeys), asked, looks, answer };
}

const manyKeys = (count: number): string[] => Array.from({ length: count }, () => newApiKey());

test("a text is looked up as a key once, however many ask at once, and remembered, whether it is a key or not", async () => {
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

test("made-up keys refuse nobody: a new key waits for two look-ups at most, and a known key for none of theirs", async () => {
  const [known, unseen] = manyKeys(2) as [string, string];
  const { ring, looks, answer } = ringOver(known, unseen);
  await ring.find(known);
  const tried = manyKeys(600).map((secret) => ring.find(secret));
  const found = ring.find(unseen);
  expect(await ring.find(known)).toEqual({ id: "1" });
  expect(looks).toEqual([1, 1]);
  answer();
  expect(await found).toEqual({ id: "1" });
  expect(new Set(await Promise.all(tried))).toEqual(new Set([null]));
  expect(looks).toEqual([1, 1, 600]);
});

test("a known key is looked up again beside made-up keys, not behind them", async () => {
  jest.useFakeTimers({ now: 0 });
  const key = newApiKey();
  const { ring, answer } = ringOver(key);
  await ring.find(key);
  jest.advanceTimersByTime(6_000);
  const tried = manyKeys(10).map((secret) => ring.find(secret));
  expect(await ring.find(key)).toEqual({ id: "1" });
  answer();
  await Promise.all(tried);
  jest.useRealTimers();
});

test("keys that are known stay so while the store is away", async () => {
  jest.useFakeTimers({ now: 0 });
  const keys = manyKeys(10);
  let isAway = false;
  const findByHashes = async (hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> => {
    if (isAway) throw new Error("away");
    return new Map(hashes.map((hash) => [hash, { id: "1" } as ApiKey]));
  };
  const ring = ringOf({ findByHashes } as unknown as ApiKeyStore);
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

test("a failed look-up of a key is not remembered", async () => {
  const key = newApiKey();
  const answers = [Promise.reject(new Error("away")), Promise.resolve(new Map([[hashApiKey(key), { id: "1" }]]))];
  const apiKeys = { findByHashes: () => answers.shift()! } as unknown as ApiKeyStore;
  const ring = ringOf(apiKeys);
  await expect(ring.find(key)).rejects.toThrow("away");
  expect(await ring.find(key)).toEqual({ id: "1" });
});
