import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { scraped } from "../support/servers/scraped.js";

const stage = new TestStage();
let both: TestNode;
let engine: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  both = await stage.scheduler({ databaseUrl });
  engine = await stage.scheduler({ databaseUrl, env: { TICKWHEEL_ROLES: "engine" } });
});
afterAll(() => stage.stop());

const valueOf = async (node: TestNode, name: string): Promise<number> =>
  (await scraped(node, stage.apiKey, name)).get("")!;

test("every node has metrics, also a node without the API, with those of its process", async () => {
  for (const node of [both, engine]) {
    await eventually(async () => expect(await valueOf(node, "tickwheel_nodes")).toBe(2));
    expect(await valueOf(node, "process_resident_memory_bytes")).toBeGreaterThan(0);
    expect(await valueOf(node, "tickwheel_places")).toBe(100);
  }
  expect((await fetch(`${engine.url}/metrics`)).status).toBe(401);
  expect((await fetch(`${engine.url}/v1/tasks`)).status).toBe(404);
  const terms = await Promise.all([both, engine].map((node) => valueOf(node, "tickwheel_leader_term")));
  expect(terms.filter((term) => term > 0)).toHaveLength(1);
});

test("a killed node is a lost node and a takeover in the metrics of the other one", async () => {
  expect(await valueOf(both, "tickwheel_nodes_lost_total")).toBe(0);
  expect(await valueOf(both, "tickwheel_takeover_seconds_count")).toBe(0);
  await engine.kill();
  await eventually(async () => {
    expect(await valueOf(both, "tickwheel_nodes_lost_total")).toBe(1);
    expect(await valueOf(both, "tickwheel_takeover_seconds_count")).toBe(1);
  });
  // It was silent for longer than a beat before anybody took over.
  expect(await valueOf(both, "tickwheel_takeover_seconds_sum")).toBeGreaterThan(1);
  expect(await valueOf(both, "tickwheel_nodes")).toBe(1);
  expect(await valueOf(both, "tickwheel_leader_term")).toBeGreaterThan(0);
});
