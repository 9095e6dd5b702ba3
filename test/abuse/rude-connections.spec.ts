import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { expectUnharmed } from "../support/attacks/honest-load.js";
import { Ledger } from "../support/ledger.js";
import { RudeCaller } from "../support/attacks/rude-caller.js";
import { SilentReaders } from "../support/attacks/silent-readers.js";

const MEBIBYTE = 1024 * 1024;
const ATTACK_MS = depth({ sample: 2_500, whole: 30_000 });
/** Instead of the default minute. */
const STALLED_ANSWER_MS = 2_000;

/**
 * The most answers that may wait on one connection. As answers with the long file, they are more than a connection
 * buffers.
 */
const ANSWERS = 4;

/** Without a bound, a thousand readers take more than twice as much. */
const MOST_MIB = 128;

const stage = new TestStage();
let node: TestNode;
let scheduler: TestNode;
let ledger: Ledger;
let longFile: string;
const attackers: { stop(): void }[] = [];

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  node = await stage.app({ databaseUrl, types: ["order"], api: { stalledAnswerMs: STALLED_ANSWER_MS } });
  scheduler = await stage.scheduler({ databaseUrl });
  const { body: page } = await node.client.get<string>("/docs/");
  longFile = `/docs/${/src="\.\/(swagger-ui-bundle-[^"]+)"/.exec(page)![1]!}`;
});
afterEach(() => {
  for (const attacker of attackers.splice(0)) attacker.stop();
  stage.endLoads();
});
afterAll(() => stage.stop());

const honestLoad = (target: TestNode) =>
  stage.load([target], { type: "order", perSecond: 50, delayMs: [0, 500], payload: { effect: true } });

function attacking<Attacker extends { stop(): void }>(attacker: Attacker): Attacker {
  attackers.push(attacker);
  return attacker;
}

const residentMib = ({ pid }: TestNode): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024);

/** The status of an answer on a connection of its own; null: there was none. */
function askAnew(target: TestNode, path: string, key: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    const call = request(new URL(path, target.url), { agent: new Agent(), headers });
    call.on("response", (response) => resolve((response.resume(), response.statusCode!)));
    call.on("error", () => resolve(null)).end();
  });
}

const tallyOf = (statuses: readonly (number | null)[]): Record<string, number> =>
  Object.fromEntries([...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]));

test("a thousand connections that ask for a public file and read nothing harm nobody else", async () => {
  const load = honestLoad(node);
  const before = residentMib(node);
  const first = attacking(new SilentReaders(node.url, "127.0.6"));
  expect(await first.open({ addresses: 3, each: 1 }, { path: longFile, times: ANSWERS })).toEqual([200, 200, 200]);
  const others = attacking(new SilentReaders(node.url, "127.0.7"));
  const statuses = await others.open({ addresses: 10, each: 100 }, { path: longFile, times: ANSWERS });
  const during = residentMib(node);
  expect(during - before).toBeLessThan(MOST_MIB);
  await eventually(() => expect(first.held()).toBe(0));
  const figures = { tally: tallyOf(statuses), residentMib: { before, during, after: residentMib(node) } };
  await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(60));
  await expectUnharmed({ load, node, ledger }, { name: "files that nobody reads", figures });
});

test("idle connections that take all places harm nobody else", async () => {
  const load = honestLoad(scheduler);
  const idle = attacking(new SilentReaders(scheduler.url, "127.0.8"));
  const statuses = await idle.open({ addresses: 6, each: 1_000 }, { path: "/health/live" });
  const held = idle.held();
  const fresh: (number | null)[] = [];
  for (let call = 0; call < 50; call++) fresh.push(await askAnew(scheduler, "/v1/stats", stage.apiKey));
  const figures = { idle: tallyOf(statuses), held, fresh: tallyOf(fresh) };
  await expectUnharmed({ load, node: scheduler, ledger }, { name: "idle connections everywhere", figures });
  expect(held).toBeGreaterThan(4_000);
  expect(figures.fresh).toEqual({ 200: 50 });
});

test("fifty readers of a public file harm nobody else", async () => {
  const load = honestLoad(node);
  const caller = attacking(new RudeCaller(node.url));
  caller.keepSending(50, () => ({ method: "GET", path: longFile, isRead: true }));
  await lasting(ATTACK_MS);
  caller.stop();
  const figures = { attackers: caller.tally, readMib: Math.round(caller.readBytes / MEBIBYTE) };
  await expectUnharmed({ load, node, ledger }, { name: "readers of public files", figures });
  expect(Object.keys(caller.tally).sort()).toEqual(["200", "429"]);
});

test("hundreds of invented keys harm neither the first requests of real keys from the same address nor anybody else", async () => {
  const load = honestLoad(node);
  const keys = Array.from({ length: 50 }, () => newTestKey());
  await ledger.query(
    `INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ${keys.map((key) => `('${hashApiKey(key)}', 'default', 'viewer')`).join(", ")}`,
  );
  const caller = attacking(new RudeCaller(node.url));
  caller.keepSending(400, () => ({ method: "GET", path: "/v1/tasks?limit=1", key: newTestKey() }));
  const first: (number | null)[] = [];
  for (const key of keys) first.push(await askAnew(node, "/v1/stats", key));
  caller.stop();
  const figures = { attackers: caller.tally, first: tallyOf(first) };
  await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(60));
  await expectUnharmed({ load, node, ledger }, { name: "made-up keys beside new ones", figures });
  expect(figures.first).toEqual({ 200: 50 });
  expect(Object.keys(caller.tally).filter((outcome) => outcome !== "401" && outcome !== "cut off")).toEqual([]);
});
