import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { HostileMessages } from "@tickwheel/simulation";
import { SeededRandom } from "@tickwheel/testing";
import { type TestNode, TestStage } from "../support/cluster.js";
import { quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";
import { Stranger } from "../support/stranger.js";

/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;
/** Messages over NOTIFY, and as many over Redis. */
const MESSAGES = depth({ sample: 3_000, whole: 10_000 });
const SEED = 19;

/** Each of these once ended every node of a cluster. */
const DEADLY = [
  '[{"to":"all","message":{"kind":"hints"}}]',
  '[{"to":"all","message":null}]',
  '[{"to":"all","message":{"kind":"hints","hints":[null]}}]',
  '[{"to":"all","message":{"kind":"hints","hints":[{"id":"x","typeId":1,"version":1,"dueAt":1,"priority":5}]}}]',
];

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;
let stranger: Stranger;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const types = [["order"], ["order", "bill"], ["bill"]];
  nodes = await Promise.all(types.map((some) => stage.app({ databaseUrl, redisUrl, types: some })));
  await eventually(expectOneCluster);
  stranger = await stage.add(await Stranger.arrive({ databaseUrl, redisUrl: redisUrl! }));
});
afterAll(() => stage.stop());

/** Expects all nodes to be live, in one view, under one leader. */
async function expectOneCluster(): Promise<void> {
  const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
  for (const report of reports) expect(report.nodes.map(({ state }) => state)).toEqual(["live", "live", "live"]);
  expect(new Set(reports.map(({ view, leader }) => `${view} ${leader?.bootId}`)).size).toBe(1);
}

async function bootIds(): Promise<string[]> {
  const report = await nodes[1]!.client.cluster();
  return report.nodes.map(({ bootId, state }) => `${bootId} ${state}`).sort();
}

async function partsDegraded(): Promise<string[][]> {
  const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
  return reports.map(({ degraded }) => degraded.map(({ part }) => part));
}

test("thousands of messages of a stranger over NOTIFY, as many over Redis, and forged beats end no node and no task, and make no task later than a lost hint does", async () => {
  const before = await bootIds();
  const how = { perSecond: 20, delayMs: [0, 3_000] as const, payload: { effect: true } };
  const loads = ["order", "bill"].map((type) => stage.load(nodes, { type, ...how, cancelEvery: 10 }));
  for (const payload of DEADLY) await stranger.notify([payload]);
  await stranger.attack(new HostileMessages(new SeededRandom(SEED)), MESSAGES);
  await eventually(async () => {
    for (const parts of await partsDegraded()) expect(parts).toContain("messages");
  });

  const acknowledged = (await Promise.all(loads.map((load) => load.stop()))).flat();
  await quiet(nodes[0]!);
  const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
  const lateness = latenessOf(evidence.starts);
  tellTimes("hostile messages", {
    "lateness, worst": { ms: lateness.max, boundMs: LATENESS_LIMIT_MS },
  });
  expect(acknowledged.length).toBeGreaterThan(50);
  expect(nodes.filter((node) => node.endedByItself)).toEqual([]);
  expect(await bootIds()).toEqual(before);
  const dead = await nodes[0]!.client.get<{ items: object[] }>("/v1/tasks?state=dead&limit=3");
  expect(dead.body.items).toEqual([]);
  requirePromises(invariantsOf(evidence));

  // The stranger has left: no effect of its messages remains.
  await eventually(async () => expect(await partsDegraded()).toEqual([[], [], []]));
  await eventually(expectOneCluster);
});
