import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { ClusterBody } from "../support/api-client.js";
import { type AttackersPorts, EightAttackers, type Tallies } from "../support/attacks/attackers-process.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { lasting } from "../support/eventually.js";
import { printFigures, summaryOf, tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { type Acknowledged, gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";
import { NodeProcess } from "../support/node-process.js";
import type { TaskLoad } from "../support/task-load.js";

const ATTACK_MS = depth({ sample: 8_000, whole: 600_000 });
/** How long honest work is measured before the attack, once alone and once beside busy loops. */
const BESIDE_MS = depth({ sample: 2_500, whole: 20_000 });
const PER_SECOND = 50;
const HEAP_MIB = 512;
/**
 * Resident memory beyond that of the quiet node. Without a bound on answers that wait for their readers, it is
 * gigabytes.
 */
const MORE_MIB = 512;
const LOOK_MS = 500;
/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;
/** Node accepts one connection in a turn of its loop, so a caller's new connection waits behind hundreds of others.
 */
const CREATE_LIMIT_MS = 5_000;

/** The answers that each attacker gets. */
const GETS: Readonly<Record<string, RegExp>> = {
  "bodies of 16 MiB without a key": /^(401|cut off)$/,
  "bodies without an end": /^(401|cut off)$/,
  "made-up keys": /^(401|429|503|cut off)$/,
  "one variable of GraphQL, used often or full of unknown fields": /^(200|400|429|503)$/,
  "answers that nobody reads": /^cut off$/,
  "whole bulks of one key": /^(200|429|503|cut off)$/,
  "deep and manifold bodies": /^(400|429|503|cut off)$/,
  "webhooks to hosts that are dead or fail": /^(200|429|503|cut off)$/,
};

const stage = new TestStage();
let ports: AttackersPorts;
let ledger: Ledger;
let node: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  ports = await EightAttackers.ports();
  const webhookAllowedHosts = Object.values(ports).map((port) => `127.0.0.1:${port}`);
  node = await stage.app({ databaseUrl, types: ["order"], heapMib: HEAP_MIB, module: { webhookAllowedHosts } });
});
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

const residentMib = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, "utf8"))![1]) / 1_024);

/** Observations of a node that worked for honest callers for a while. */
interface Seen {
  load: TaskLoad;
  acknowledged: Acknowledged[];
  mostMib: number;
  /** Parts of the cluster that were reported as degraded, and looks at the cluster that were refused. */
  complaints: string[];
}

/** Honest work for this time, beside whatever else runs. */
async function honestWork(forMs: number): Promise<Seen> {
  const load = stage.load([node], {
    type: "order",
    perSecond: PER_SECOND,
    delayMs: [500, 3_000] as const,
    payload: { effect: true },
  });
  const complaints = new Set<string>();
  let mostMib = 0;
  for (const endMonoMs = performance.now() + forMs; performance.now() < endMonoMs; await lasting(LOOK_MS)) {
    mostMib = Math.max(mostMib, residentMib());
    const { status, body } = await node.client.get<ClusterBody>("/v1/cluster");
    if (status !== 200) complaints.add(`the cluster's state: ${status}`);
    else for (const { part, detail } of body.degraded) complaints.add(`${part}: ${detail}`);
  }
  return { load, acknowledged: await load.stop(), mostMib, complaints: [...complaints] };
}

async function besideLoops(): Promise<Seen> {
  const script = join(import.meta.dirname, "../support/busy-loops.mjs");
  const busy = new NodeProcess({ script, args: ["8", "19"] });
  await stage.add({ stop: () => busy.kill() });
  const seen = await honestWork(BESIDE_MS);
  await busy.kill();
  return seen;
}

async function attacked(): Promise<Seen & { tallies: Tallies }> {
  const attackers = await stage.add(await EightAttackers.start(node.url, { ledger, ports }));
  const seen = await honestWork(ATTACK_MS);
  return { ...seen, tallies: await attackers.end(Object.keys(GETS)) };
}

/** Reports how long honest callers waited. */
async function tell(beside: string, { load, acknowledged, mostMib, complaints }: Seen): Promise<void> {
  const ids = new Set(acknowledged.map(({ id }) => id));
  const lateness = latenessOf((await ledger.starts()).filter(({ taskId }) => ids.has(taskId)));
  const create = summaryOf(load.createMs);
  const refusals = load.refusals.map(({ status, code }) => `${status} ${code}`);
  printFigures(`honest work ${beside}`, {
    tasks: ids.size,
    mostMib,
    complaints,
    refusals,
    unanswered: load.unanswered,
  });
  tellTimes(`honest work ${beside}`, {
    "create, p50": { ms: create.p50, boundMs: LATENESS_LIMIT_MS },
    "create, p99": { ms: create.p99, boundMs: CREATE_LIMIT_MS },
    "lateness, p99": { ms: lateness.p99, boundMs: LATENESS_LIMIT_MS },
    "lateness, worst": { ms: lateness.max, boundMs: LATENESS_LIMIT_MS },
  });
}

/**
 * The attackers must use up no limit of honest callers. Refusals for lack of time are due to the machine: they are only
 * reported.
 */
function expectHonestlyServed({ load }: Seen): void {
  expect(load.refusals.filter(({ status }) => status < 500)).toEqual([]);
}

test("eight attackers at once harm nobody else", async () => {
  const alone = await honestWork(BESIDE_MS);
  const loops = await besideLoops();
  const attack = await attacked();
  printFigures("eight attackers", { seconds: ATTACK_MS / 1_000, tallies: attack.tallies });
  await quiet(node);
  await tell("alone", alone);
  await tell("beside eight busy loops", loops);
  await tell("beside eight attackers", attack);
  expect(node.endedByItself).toBe(false);
  for (const seen of [alone, loops, attack]) expectHonestlyServed(seen);
  const acknowledged = [alone, loops, attack].flatMap((seen) => seen.acknowledged);
  requirePromises(invariantsOf(await gatherEvidence(acknowledged, { ledger, client: node.client })));
  const wrong = Object.entries(GETS).map(([name, gets]) => ({
    name,
    outcomes: Object.keys(attack.tallies[name]!).filter((outcome) => !gets.test(outcome)),
  }));
  expect(wrong.filter(({ outcomes }) => outcomes.length > 0)).toEqual([]);
  expect(attack.mostMib - alone.mostMib).toBeLessThan(MORE_MIB);
});
