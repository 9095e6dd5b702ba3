import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { requirePromises } from "../support/broken-promise.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { Ledger } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole faults -- paused-types` has so many, 20 minutes of them. */
const PAUSES = depth({ sample: 4, whole: 160 });
const TYPE = "feed";
const BLOCKER = "blocker";
/** How long a pause lasts: a node that joins meanwhile has time to claim. */
const PAUSE_MS = 1_500;
const BLOCK_MS = 3_000;

/** Between the answer to a pause and the request of its end, by this machine's clock, which all processes share. */
interface Interval {
  fromMs: number;
  toMs: number;
  /** What happened to a node meanwhile. */
  disturbance: string;
}

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;

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
  return stage.app({ databaseUrl, redisUrl, types: [TYPE, BLOCKER], module: { concurrency: 20 } });
}

/** The last of the nodes goes, in one way or another, and a new one comes. */
const DISTURBANCES: Readonly<Record<string, () => Promise<void>>> = {
  "a kill": async () => {
    await nodes.pop()!.kill();
    nodes.unshift(await startNode());
  },
  "a drain": async () => {
    const [, joined] = await Promise.all([nodes.pop()!.stop(), startNode()]);
    nodes.unshift(joined);
  },
  "a join": async () => {
    nodes.unshift(await startNode());
    await nodes.pop()!.stop();
  },
  "a blocked loop": async () => {
    await nodes[0]!.client.schedule({ type: BLOCKER, payload: { blockMs: BLOCK_MS }, timeout: 60_000 });
    await lasting(BLOCK_MS);
  },
};

/** Null: some node did not obey in time, so the answer promises nothing about it. */
async function pauseDuring(disturbance: string): Promise<Interval | null> {
  // The first stays, whatever becomes of the others.
  const [{ client }] = nodes as [TestNode];
  const disturbed = DISTURBANCES[disturbance]!();
  const { status, body } = await client.patientPost<{ waitingFor: string[] | null }>(
    `/v1/types/${TYPE}/pause`,
    { reason: disturbance },
    { isRepeatable: true },
  );
  const fromMs = Date.now();
  expect([status, body.waitingFor?.length === 0]).toEqual([status === 202 ? 202 : 200, status === 200]);
  await lasting(PAUSE_MS);
  await disturbed;
  const toMs = Date.now();
  const resumed = await nodes[1]!.client.patientPost(`/v1/types/${TYPE}/resume`, {}, { isRepeatable: true });
  expect([200, 202]).toContain(resumed.status);
  return status === 200 ? { fromMs, toMs, disturbance } : null;
}

test("no task of a paused type starts after the answer to the pause, while nodes die, drain, join, and block", async () => {
  const load = stage.load(nodes, {
    type: TYPE,
    perSecond: 60,
    delayMs: [0, 600],
    payload: { effect: true, holdMs: 20 },
  });
  await eventually(async () => expect((await ledger.starts()).length).toBeGreaterThan(20));
  const kinds = Object.keys(DISTURBANCES);
  const intervals: Interval[] = [];
  for (let round = 0; round < PAUSES; round += 1) {
    load.turnTo(nodes.slice(0, 2));
    const interval = await pauseDuring(kinds[round % kinds.length]!);
    if (interval) intervals.push(interval);
    await eventually(() => expectOneView(nodes));
  }
  const acknowledged = await load.stop();
  await quiet(nodes[0]!);
  const starts = (await ledger.starts()).filter(({ type }) => type === TYPE);
  const during = ({ fromMs, toMs, disturbance }: Interval): string[] =>
    starts
      .filter(({ calledAtMs }) => calledAtMs! > fromMs && calledAtMs! < toMs)
      .map(
        ({ taskId, calledAtMs }) =>
          `task ${taskId} started ${calledAtMs! - fromMs} ms into a pause, beside ${disturbance}`,
      );
  const waited = starts.filter(({ dueAtMs }) =>
    intervals.some(({ fromMs, toMs }) => dueAtMs > fromMs && dueAtMs < toMs),
  );
  printFigures("paused types", {
    pauses: PAUSES,
    obeyedByAll: intervals.length,
    starts: starts.length,
    dueInPauses: waited.length,
  });
  expect(intervals.length).toBeGreaterThan(0);
  expect(waited.length).toBeGreaterThan(0);
  const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
  requirePromises([...intervals.flatMap(during), ...invariantsOf(evidence)]);
});
