import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { expectUnharmed } from "../support/attacks/honest-load.js";
import { summaryOf } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { RudeCaller, type RudeRequest } from "../support/attacks/rude-caller.js";

const MEBIBYTE = 1024 * 1024;
const ATTACK_MS = depth({ sample: 2_500, whole: 30_000 });
const stage = new TestStage();
const viewerKey = newTestKey();
let node: TestNode;
let ledger: Ledger;
let caller: RudeCaller;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  node = await stage.app({ databaseUrl, types: ["order"] });
  await ledger.query(
    `INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ('${hashApiKey(viewerKey)}', 'default', 'viewer')`,
  );
});
afterEach(() => {
  caller.stop();
  stage.endLoads();
});
afterAll(() => stage.stop());

/** A list of empty objects, or of nested lists, of this many bytes. */
const manyObjects = (bytes: number): Buffer => Buffer.from(`[${"{},".repeat(bytes / 3)}`);
const manyLevels = (bytes: number): Buffer => Buffer.alloc(bytes, "[");

/** The most tasks that a bulk may have, each as long as it may then be, and each wrong. */
const wholeBulk = `{"tasks":[${Array.from({ length: 10_000 }, () => `{"type":"${"x".repeat(1_600)}"}`).join(",")}]}`;

/** One variable of 0.9 MB, used 560 times in one value. */
const manyUses = JSON.stringify({
  query: `mutation ($v: JSON) { scheduleTask(input: { type: "a", payload: [${Array(560).fill("$v").join(" ")}] }) { outcome } }`,
  variables: { v: "x".repeat(900_000) },
});

const documentOf = (query: string): string => JSON.stringify({ query });
const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ");
/** GraphQL's own rule compares each two of them. */
const repeats = [
  documentOf(`{ ${many(480, () => "stats { overdue }")} }`),
  documentOf(`{ ${many(240, () => "... { stats { overdue } }")} }`),
  documentOf(
    `{ ${many(150, (n) => `...F${n}`)} } ${many(150, (n) => `fragment F${n} on Query { stats { overdue } }`)}`,
  ),
];

const PATHS = ["/v1/tasks", "/v1/tasks/bulk", "/graphql"];
/** Returns these requests in turn, again and again. */
const eachOf = (requests: RudeRequest[]): (() => RudeRequest) => {
  let sent = 0;
  return () => requests[sent++ % requests.length]!;
};
const toAllPaths = (bodies: Buffer[], key?: string): RudeRequest[] =>
  bodies.flatMap((body) => PATHS.map((path) => ({ path, body, ...(key !== undefined && { key }) })));

/** For each attack: how many callers send at once, what they send, and the answers that they get. */
const ATTACKS: Record<string, { at: number; next: () => () => RudeRequest; gets: RegExp }> = {
  "bodies of 16 MiB without a key": {
    at: 12,
    next: () => eachOf(toAllPaths([manyObjects(16 * MEBIBYTE), manyLevels(16 * MEBIBYTE)])),
    gets: /^(401|cut off)$/,
  },
  "bodies without an end and without a key": {
    at: 60,
    next: () => () => ({ path: "/v1/tasks/bulk", body: Buffer.alloc(65_536, "x"), trickleMs: 50 }),
    gets: /^(401|cut off)$/,
  },
  "keys that nobody has given": {
    at: 400,
    next: () => () => ({ method: "GET", path: "/v1/tasks?limit=1", key: newTestKey() }),
    gets: /^401$/,
  },
  "questions whether the node is ready": {
    at: 200,
    next: () => () => ({ method: "GET", path: "/health/ready" }),
    gets: /^200$/,
  },
  "deep and manifold bodies with a key": {
    at: 6,
    next: () => eachOf(toAllPaths([manyObjects(MEBIBYTE - 1), manyLevels(MEBIBYTE)], stage.apiKey)),
    gets: /^400$/,
  },
  "whole bulks with a key": {
    at: 4,
    next: () => () => ({ path: "/v1/tasks/bulk", key: stage.apiKey, body: wholeBulk }),
    gets: /^(200|429|cut off)$/,
  },
  "one long GraphQL variable, used many times by viewers": {
    at: 8,
    next: () => () => ({ path: "/graphql", key: viewerKey, body: manyUses }),
    gets: /^(200|400|429)$/,
  },
  "one long GraphQL variable, used many times by an operator": {
    at: 8,
    next: () => () => ({ path: "/graphql", key: stage.apiKey, body: manyUses }),
    gets: /^(200|400|429)$/,
  },
  "GraphQL documents that repeat themselves, by viewers": {
    at: 4,
    next: () => eachOf(repeats.map((body) => ({ path: "/graphql", key: viewerKey, body }))),
    gets: /^(200|429)$/,
  },
  "bodies without an end, with a key": {
    at: 60,
    next: () => () => ({ path: "/v1/tasks", key: stage.apiKey, body: Buffer.alloc(65_536, " "), trickleMs: 50 }),
    gets: /^(408|413|429|cut off)$/,
  },
};

test.each(Object.keys(ATTACKS))("%s harm nobody else", async (name) => {
  const { at, next, gets } = ATTACKS[name]!;
  const load = stage.load([node], {
    type: "order",
    perSecond: 50,
    delayMs: [0, 500] as const,
    payload: { effect: true },
  });
  await sleep(300);
  caller = new RudeCaller(node.url);
  caller.keepSending(at, next());
  await sleep(ATTACK_MS);
  caller.stop();
  await expectUnharmed(
    { load, node, ledger },
    { name, figures: { attackers: caller.tally, createMs: summaryOf(load.createMs) } },
  );
  expect(Object.keys(caller.tally).filter((outcome) => !gets.test(outcome))).toEqual([]);
});
