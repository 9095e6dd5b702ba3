import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { CutProxy } from "../support/servers/cut-proxy.js";

/** How often a node is struck in a test, and how many tests there are of each way; the nodes take turns. */
const ROUNDS = depth({ sample: 1, whole: 10 });
const TESTS = depth({ sample: 1, whole: 7 });
/** How long a handler runs: longer than any fault lasts. */
const HOLD_MS = depth({ sample: 4_000, whole: 7_000 });
const TASKS = 12;

const stage = new TestStage();
const ways: CutProxy[] = [];
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;
let database: Client;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  const { databaseUrl, redisUrl } = services;
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  for (let place = 0; place < 3; place++) ways.push(await stage.add(await CutProxy.to(databaseUrl)));
  const starts = ways.map((way) => () => stage.app({ databaseUrl: way.url, redisUrl: redisUrl!, types: ["order"] }));
  nodes = [];
  for (const start of starts) nodes.push(await start());
  database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await eventually(() => expectOneView(nodes));
});
afterAll(async () => {
  await database?.end();
  await stage.stop();
});

/** The boot ids of the nodes that live, in the order of the nodes. */
async function bootIds(): Promise<string[]> {
  const { rows } = await database.query<{ id: string; pid: string }>(
    "SELECT boot_id::text AS id, split_part(label, ':', 2) AS pid FROM tickwheel.node WHERE state = 'live'",
  );
  return nodes.map(({ pid }) => rows.find((row) => row.pid === String(pid))!.id);
}

/** Lets every node run tasks that last longer than a fault. */
async function runTasks(): Promise<string[]> {
  const input = { type: "order", payload: { holdMs: HOLD_MS }, delay: 0 };
  const tasks = await Promise.all(
    Array.from({ length: TASKS }, (_, place) => nodes[place % nodes.length]!.client.schedule(input)),
  );
  const ids = tasks.map(({ id }) => id);
  await eventually(async () => {
    const started = new Set((await ledger.starts()).map(({ taskId }) => taskId));
    expect(ids.filter((id) => !started.has(id))).toEqual([]);
  });
  return ids;
}

/** @returns the tasks that it made */
type Strike = (place: number, round: number) => Promise<readonly string[]>;

/** Ends the session that holds a node's lock, and no other. */
const endSession: Strike = async (place) => {
  const bootId = (await bootIds())[place]!;
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = $1::bigint`,
    [bootId],
  );
  return [];
};

const cutOff: Strike = async (place, round) => {
  ways[place]!.cut();
  await lasting(1_600 + ((round * 730) % 2_400));
  ways[place]!.heal();
  return [];
};

const pause: Strike = async (place, round) => {
  const { pid } = nodes[place]!;
  process.kill(pid, "SIGSTOP");
  await lasting(1_600 + ((round * 910) % 3_000));
  process.kill(pid, "SIGCONT");
  return [];
};

/** Its beats come from a thread of their own. Which node takes the task, the cluster decides. */
const block: Strike = async (place, round) => {
  const payload = { blockMs: 1_600 + ((round * 830) % 3_000) };
  const { id } = await nodes[place]!.client.schedule({ type: "order", payload, delay: 0 });
  return [id];
};

const STRIKES: [string, Strike][] = [
  ["whose session Postgres ends", endSession],
  ["that is cut off from Postgres for up to four seconds, with a reset", cutOff],
  ["that is paused for up to four and a half seconds", pause],
  ["whose loop is blocked for up to four and a half seconds", block],
];
const CASES = STRIKES.flatMap(([what, strike]) =>
  Array.from({ length: TESTS }, (_, turn) => [what, turn + 1, strike] as const),
);

test.each(CASES)("a living node %s keeps its boot id, and its tasks run once (%i)", async (_, turn, strike) => {
  const before = await bootIds();
  for (let round = turn * ROUNDS; round < (turn + 1) * ROUNDS; round++) {
    const ids = new Set(await runTasks());
    for (const made of await strike(round % nodes.length, round)) ids.add(made);
    await eventually(async () => {
      const ended = new Set((await ledger.ends()).map(({ taskId }) => taskId));
      expect([...ids].filter((id) => !ended.has(id))).toEqual([]);
    });
    const starts = (await ledger.starts()).filter(({ taskId }) => ids.has(taskId));
    expect(starts.map(({ taskId }) => taskId).sort()).toEqual([...ids].sort());
  }
  expect(await bootIds()).toEqual(before);
});

test("tasks that a killed node was running run again on another, also where it led, and no other task runs twice", async () => {
  const ids = new Set(await runTasks());
  const { node: label } = (await nodes[0]!.client.cluster()).leader!;
  const leader = nodes.find(({ pid }) => label.endsWith(`:${pid}`))!;
  const lost = new Set((await ledger.runningOn(String(leader.pid))).filter((id) => ids.has(id)));
  expect(lost.size).toBeGreaterThan(0);
  const killedAtMs = await ledger.now();
  await leader.kill();
  const again = await eventually(async () => {
    const starts = (await ledger.starts()).filter(({ taskId, atMs }) => ids.has(taskId) && atMs > killedAtMs);
    expect(new Set(starts.map(({ taskId }) => taskId))).toEqual(lost);
    return starts;
  });
  expect(again).toHaveLength(lost.size);
  const ms = Math.max(...again.map(({ atMs }) => atMs - killedAtMs));
  tellTimes("a leader killed, with Redis", { "its running tasks run again": { ms, boundMs: 3_500 } });
});
