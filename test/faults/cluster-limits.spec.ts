import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { requirePromises } from "../support/broken-promise.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { Ledger, type Start } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole faults -- cluster-limits` has so many, 20 minutes of them. */
const KILLS = depth({ sample: 2, whole: 150 });
/** Between two kills. */
const LIFE_MS = depth({ sample: 2_000, whole: 5_000 });
const EXPORT = "export";
const MOST_AT_ONCE = 5;
const MAIL = "mail";
const RATE = { count: 100, per: "1s", burst: 20 };
/** What the guide promises: this long after its token was granted a task may start. */
const RATE_SLACK_MS = 500;

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;
/** When processes were killed, by this machine's clock, which all share. */
const killedAtMs = new Map<string, number>();

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
});
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: [EXPORT, MAIL], module: { concurrency: 20 } });
}

async function limit(type: string, values: object): Promise<void> {
  await eventually(async () => {
    const { status, body } = await nodes[0]!.client.patch<object>(`/v1/types/${type}`, values);
    expect([status, body]).toMatchObject([200, { waitingFor: [] }]);
  });
}

/** The last of the nodes is killed, and a new one comes. */
async function killOne(): Promise<void> {
  const killed = nodes.pop()!;
  await killed.kill();
  killedAtMs.set(String(killed.pid), Date.now());
  nodes.unshift(await startNode());
}

/** A call of a handler, as far as its task's row was running for certain. */
interface Call {
  start: Start;
  endMs: number;
}

/**
 * A call ends for our count before its task's row leaves `running`: with its effect, which its transaction wrote before
 * it completed the task, or when its process was killed.
 */
async function callsOf(type: string): Promise<Call[]> {
  const [starts, effects] = await Promise.all([ledger.starts(), ledger.effects()]);
  const effectMs = new Map(effects.map(({ taskId, fence, atMs }) => [`${taskId} ${fence}`, atMs]));
  return starts
    .filter((start) => start.type === type)
    .map((start) => {
      const killedMs = killedAtMs.get(start.node) ?? Infinity;
      return { start, endMs: Math.min(effectMs.get(`${start.taskId} ${start.fence}`) ?? Infinity, killedMs) };
    })
    .filter(({ start, endMs }) => endMs < Infinity && endMs > start.calledAtMs!);
}

/** The most calls that went on at one moment, and those moments above the limit. */
function atOnce(calls: readonly Call[]): { most: number; faults: string[] } {
  const moments = calls
    .flatMap(({ start, endMs }) => [
      { atMs: start.calledAtMs!, change: 1, id: start.taskId },
      { atMs: endMs, change: -1, id: start.taskId },
    ])
    .sort((one, other) => one.atMs - other.atMs || one.change - other.change);
  let count = 0;
  let most = 0;
  const faults: string[] = [];
  for (const { atMs, change, id } of moments) {
    count += change;
    most = Math.max(most, count);
    if (change > 0 && count > MOST_AT_ONCE) faults.push(`task ${id} started as number ${count}, at ${atMs}`);
  }
  return { most, faults };
}

/** How many more started in any window than the rate allows in it; below 0: fewer. */
function worstExcess(atMs: readonly number[]): number {
  let worst = -Infinity;
  for (let first = 0; first < atMs.length; first++)
    for (let last = first; last < atMs.length; last++) {
      const windowMs = atMs[last]! - atMs[first]! + RATE_SLACK_MS;
      worst = Math.max(worst, last - first + 1 - RATE.burst - (RATE.count * windowMs) / 1_000);
    }
  return worst;
}

test("no more tasks than the limit run at once, whatever nodes are killed", async () => {
  await limit(EXPORT, { maxRunning: MOST_AT_ONCE });
  const load = stage.load(nodes, {
    type: EXPORT,
    perSecond: 30,
    delayMs: [0, 500],
    payload: { effect: true, holdMs: 100 },
  });
  for (let kill = 0; kill < KILLS; kill++) {
    load.turnTo(nodes.slice(0, 2));
    await lasting(LIFE_MS);
    await killOne();
    await eventually(() => expectOneView(nodes));
  }
  const acknowledged = await load.stop();
  await quiet(nodes[0]!);
  const calls = await callsOf(EXPORT);
  const { most, faults } = atOnce(calls);
  printFigures("a limit of five", { kills: KILLS, calls: calls.length, mostAtOnce: most });
  expect([calls.length > 0, most]).toEqual([true, MOST_AT_ONCE]);
  const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
  requirePromises([...faults, ...invariantsOf(evidence)]);
});

test("no more tasks start in any time than the rate allows, whatever nodes are killed", async () => {
  await limit(MAIL, { rate: RATE });
  const load = stage.load(nodes, { type: MAIL, perSecond: 150, delayMs: [0, 500], payload: { effect: true } });
  await lasting(LIFE_MS);
  load.turnTo(nodes.slice(0, 2));
  await killOne();
  await lasting(LIFE_MS);
  const acknowledged = await load.stop();
  await quiet(nodes[0]!);
  const starts = (await ledger.starts()).filter(({ type }) => type === MAIL);
  const atMs = starts.map(({ calledAtMs }) => calledAtMs!).sort((one, other) => one - other);
  const excess = worstExcess(atMs);
  const perSecond = Math.round(starts.length / ((atMs.at(-1)! - atMs[0]!) / 1_000));
  printFigures("a hundred a second", { starts: starts.length, perSecond, worstExcess: Math.round(excess) });
  const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
  const faults = excess > 0 ? [`${excess} more started than the rate allows`] : [];
  requirePromises([...faults, ...invariantsOf(evidence)]);
});
