import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import { Client } from "pg";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";

/** `ATTACK_SECONDS=600` attacks for longer, `ATTACK_ONLY="made-up keys"` by one of them alone. */
const ATTACK_MS = Number(process.env.ATTACK_SECONDS ?? 45) * 1_000;
const WARM_UP_MS = 3_000;
const BASELINE_MS = 20_000;
const PER_SECOND = 100;
/** How much worse than beside as many busy loops of the same priority. */
const WORSE = 3;
/** Figures below this are the machine's, in milliseconds. */
const NOISE_MS = 30;
/** How much more memory: mostly garbage, which V8 leaves for long while there is room. */
const MORE_BYTES = 3;
const REFUSED_OR_SERVED: Readonly<Record<string, RegExp>> = {
  "bodies of 16 MiB without a key": /^(401|cut off)$/,
  "bodies without an end": /^(401|cut off)$/,
  "made-up keys": /^(401|429|cut off)$/,
  "unknown fields of a variable": /^(400|200|403|429)$/,
  "answers that nobody reads": /^cut off$/,
  "whole bulks of one key": /^(200|429|503|cut off)$/,
  "deep and manifold bodies": /^(400|429|cut off)$/,
  "webhooks to a dead host": /^(200|429|cut off)$/,
};

const stage = new TestStage();
const held = new Set<Socket>();
let dead: Server;
let node: TestNode;
let ledger: Ledger;
let keys: { viewer: string; operator: string };

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  dead = createServer((socket) => void held.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => dead.listen(0, "127.0.0.1", resolve));
  node = await stage.app({ databaseUrl, types: ["order"], module: { webhookAllowedHosts: [deadHost()] } });
  keys = { viewer: newTestKey(), operator: newTestKey() };
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  for (const [role, key] of Object.entries(keys))
    await database.query("INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ($1, 'attackers', $2)", [
      ...[hashApiKey(key), role],
    ]);
  await database.end();
});
afterEach(() => stage.endLoads());
afterAll(async () => {
  for (const socket of held) socket.destroy();
  dead.close();
  await stage.stop();
});

function deadHost(): string {
  return `127.0.0.1:${(dead.address() as { port: number }).port}`;
}

const script = (name: string): string => join(repositoryRoot, "test/support", name);

const residentBytes = (): number =>
  1_024 * Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, "utf8"))![1]);

/** Honest work for so long, beside what else runs. */
async function honestWork(forMs: number) {
  const load = stage.load([node], {
    ...{ type: "order", perSecond: PER_SECOND, delayMs: [500, 3_000] as const },
    payload: { effect: true },
  });
  let mostBytes = 0;
  for (const endMonoMs = performance.now() + forMs; performance.now() < endMonoMs; await sleep(500))
    mostBytes = Math.max(mostBytes, residentBytes());
  const acknowledged = await load.stop();
  return { load, acknowledged, mostBytes, createMs: summaryOf(load.createMs) };
}

async function latenessOfTasks(ids: ReadonlySet<string>): Promise<{ p99: number }> {
  await eventually(async () => {
    const starts = (await ledger.starts()).filter(({ taskId }) => ids.has(taskId));
    expect(new Set(starts.map(({ taskId }) => taskId)).size).toBe(ids.size);
  }, 60_000);
  return latenessOf((await ledger.starts()).filter(({ taskId }) => ids.has(taskId)));
}

/** What each attacker was answered, and how often. */
type Tallies = Record<string, Record<string, number>>;

async function attack(): Promise<{ attackers: NodeProcess; tallies: () => Promise<Tallies> }> {
  const args = [JSON.stringify({ url: node.url, ...keys, deadHost: deadHost(), only: process.env.ATTACK_ONLY })];
  const attackers = new NodeProcess({ script: script("attackers.mjs"), args });
  await stage.add({ stop: () => attackers.kill() });
  await sleep(2_000);
  const tallies = async (): Promise<Tallies> => {
    process.kill(attackers.pid, "SIGUSR2");
    await eventually(() => expect(attackers.log()).toContain("{"), 30_000);
    return JSON.parse(attackers.log().trim().split("\n").at(-1)!) as Tallies;
  };
  return { attackers, tallies };
}

/** Honest work beside busy loops of the attackers' number and priority: what a machine with so much to do makes of it. */
async function honestWorkBesideLoops() {
  const busy = new NodeProcess({ script: script("busy-loops.mjs"), args: ["8", "19"] });
  await stage.add({ stop: () => busy.kill() });
  await honestWork(WARM_UP_MS);
  const quietly = await honestWork(BASELINE_MS);
  await busy.kill();
  return { ...quietly, lateness: await latenessOfTasks(new Set(quietly.acknowledged.map(({ id }) => id))) };
}

function expectRefused(tallies: Tallies): void {
  for (const [name, gets] of Object.entries(REFUSED_OR_SERVED)) {
    const outcomes = Object.keys(tallies[name] ?? {});
    expect({ name, others: outcomes.filter((outcome) => !gets.test(outcome)) }).toEqual({ name, others: [] });
    if (!process.env.ATTACK_ONLY) expect({ name, outcomes: outcomes.length }).not.toEqual({ name, outcomes: 0 });
  }
}

test(
  "eight attackers at once harm nobody else",
  async () => {
    const quietly = await honestWorkBesideLoops();
    const { attackers, tallies: ask } = await attack();
    const attacked = await honestWork(ATTACK_MS);
    const tallies = await ask();
    await attackers.kill();
    const lateness = await latenessOfTasks(new Set(attacked.acknowledged.map(({ id }) => id)));
    printFigures("eight attackers", {
      ...{ seconds: ATTACK_MS / 1_000, tallies, createMs: [quietly.createMs, attacked.createMs] },
      latenessMs: [quietly.lateness, lateness],
      mebibytes: [quietly.mostBytes, attacked.mostBytes].map((bytes) => Math.round(bytes / 1_048_576)),
    });
    expect(node.endedByItself).toBe(false);
    const { refusals, unanswered } = attacked.load;
    expect({ refusals, unanswered }).toEqual({ refusals: [], unanswered: 0 });
    expectRefused(tallies);
    const evidence = await gatherEvidence(attacked.acknowledged, { ledger, client: node.client });
    expect(invariantsOf(evidence)).toEqual([]);
    expect(attacked.mostBytes).toBeLessThan(MORE_BYTES * quietly.mostBytes);
    expect(attacked.createMs.p99).toBeLessThanOrEqual(WORSE * Math.max(quietly.createMs.p99, NOISE_MS));
    expect(lateness.p99).toBeLessThanOrEqual(WORSE * Math.max(quietly.lateness.p99, NOISE_MS));
  },
  ATTACK_MS + 300_000,
);
