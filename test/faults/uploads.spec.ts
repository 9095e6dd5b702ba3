import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { promised } from "../support/broken-promise.js";
import { ApiClient } from "../support/api-client.js";
import { newTestKey, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

/** `node test/runner/run-tests.mjs --whole faults -- uploads` runs all. */
const { users: USERS, chunks: CHUNKS } = depth({
  sample: { users: 8, chunks: 120 },
  whole: { users: 50, chunks: 1_000 },
});
/**
 * Each user uploads so many files one after the other: the first is completed, the second cancelled, the last left
 * open.
 */
const FILES = ["completed", "cancelled", "open"] as const;
const CHUNKS_OF_FILE = CHUNKS / FILES.length;
const KILL_AFTER_MS = depth({ sample: 2_000, whole: 20_000 });
const script = join(repositoryRoot, "apps/shop/dist/main.js");

const stage = new TestStage();
const apiKey = newTestKey();
let ledger: Ledger;
let shops: Shop[];

interface Shop {
  process: NodeProcess;
  client: ApiClient;
}

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  await makeSchemas(databaseUrl, "shop");
  ledger = await stage.add(new Ledger(databaseUrl));
  shops = await Promise.all(
    [1, 2].map(async () => {
      const port = await freePort();
      const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl!, PORT: String(port), TICKWHEEL_API_KEY: apiKey };
      const process = new NodeProcess({ script, env: { ...env, PAYMENT_PROVIDER_URL: "http://127.0.0.1:9" } });
      await stage.add({ stop: () => (process.end ? undefined : process.kill()) });
      return { process, client: new ApiClient(`http://127.0.0.1:${port}`, apiKey) };
    }),
  );
  for (const { client } of shops)
    await eventually(async () => expect((await client.get("/health/ready")).status).toBe(200));
});
afterAll(() => stage.stop());

let taken = 0;

/** Sends something until a shop that lives has answered. */
async function insist(method: string, path: string, body?: object): Promise<number> {
  return eventually(async () => {
    const living = shops.filter(({ process }) => !process.end);
    const { client } = living[Math.floor(Math.random() * living.length)]!;
    const { status } = await client.send(method, path, body ? { body: JSON.stringify(body) } : {});
    expect(status).toBeLessThan(500);
    return status;
  });
}

/** @returns the bytes of each file */
async function uploadAll(userId: string): Promise<number[]> {
  const sums: number[] = [];
  for (const [place, ending] of FILES.entries()) {
    const fileId = `${userId}-${ending}`;
    let sum = 0;
    for (let chunk = 0; chunk < CHUNKS_OF_FILE; chunk++) {
      const bytes = 1 + Math.floor(Math.random() * 10_000);
      const status = await insist("POST", `/uploads/${fileId}/chunks`, { userId, chunkId: `c${chunk}`, bytes });
      expect(status).toBe(200);
      sum += bytes;
      taken++;
    }
    if (ending === "completed") expect(await insist("POST", `/uploads/${fileId}/completion`)).toBe(200);
    if (ending === "cancelled") expect(await insist("DELETE", `/uploads/${fileId}`)).toBe(200);
    sums[place] = sum;
  }
  return sums;
}

interface AccountRow {
  userId: string;
  finished: number;
  unfinished: number;
  writes: number;
}

test("each user's bytes are exact although a shop is killed, and the account is hardly ever written", async () => {
  const userIds = Array.from({ length: USERS }, (_, place) => `user${place}`);
  const uploading = Promise.all(userIds.map(uploadAll));
  await lasting(KILL_AFTER_MS);
  await shops[0]!.process.kill();
  const sums = await uploading;
  await eventually(async () => {
    const [row] = await ledger.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM tickwheel.task WHERE state IN (0, 1) AND key NOT LIKE 'schedule:%'",
    );
    expect(row!.count).toBe(0);
  });
  const accounts = await ledger.query<AccountRow>(
    `SELECT user_id AS "userId", finished_bytes::int AS finished, unfinished_bytes::int AS unfinished, writes
       FROM shop.upload_accounts`,
  );
  const expected = userIds.map((userId, place) => [userId, sums[place]![0], sums[place]![2]]);
  const found = accounts.map(({ userId, finished, unfinished }) => [userId, finished, unfinished]);
  const totalsOf = (rows: typeof found) => new Map(rows.map(([userId, ...totals]) => [userId, totals]));
  promised(() => expect(totalsOf(found)).toEqual(new Map(expected.map(([userId, ...totals]) => [userId, totals]))));
  const writes = accounts.reduce((sum, account) => sum + account.writes, 0);
  printFigures("uploads", { users: USERS, chunks: taken, writes, share: writes / taken });
  expect(writes / taken).toBeLessThanOrEqual(0.05);
});

test("a chunk beyond the quota is refused and counts nowhere; a chunk after a settlement opens the next cycle", async () => {
  const userId = "greedy";
  const fileId = "greedy-file";
  const chunk = (chunkId: string, bytes: number) =>
    insist("POST", `/uploads/${fileId}/chunks`, { userId, chunkId, bytes });
  const settled = async (bytes: number): Promise<void> =>
    eventually(async () => {
      const [row] = await ledger.query<{ unfinished: number }>(
        `SELECT unfinished_bytes::int AS unfinished FROM shop.upload_accounts WHERE user_id = '${userId}'`,
      );
      expect(row?.unfinished).toBe(bytes);
    });
  expect(await chunk("a", 600_000_000)).toBe(200);
  expect(await chunk("b", 600_000_000)).toBe(413);
  expect(await chunk("c", 100_000_000)).toBe(200);
  expect(await chunk("c", 100_000_000)).toBe(200);
  await settled(700_000_000);
  expect(await chunk("d", 400_000_000)).toBe(413);
  expect(await chunk("e", 200_000_000)).toBe(200);
  await settled(900_000_000);
});
