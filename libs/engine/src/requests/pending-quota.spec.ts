import { afterEach, expect, test } from "@jest/globals";
import { MemoryWorld } from "@tickwheel/testing";
import { request, SimulatedCluster, type SimulatedNode, succeeded } from "../../test-support/simulated-cluster.js";

const QUOTA = 5;
const HOUR_MS = 3_600_000;
/** Longer than a count is believed, and than it takes. */
const COUNTED_MS = 5_000;

let cluster: SimulatedCluster<MemoryWorld>;
let node: SimulatedNode<MemoryWorld>;
let counts: number;

async function begin(pendingTaskQuotaPerNamespace: number): Promise<void> {
  const options = { pendingTaskQuotaPerNamespace };
  cluster = new SimulatedCluster(new MemoryWorld(3), { later: async () => succeeded }, options);
  node = await cluster.addNode("n1");
  counts = 0;
  node.connection.gate = ({ statement, phase }) => {
    if (statement === "stats" && phase === "before") counts++;
  };
}

afterEach(() => cluster.stop());

const schedule = (more: object = {}) => cluster.while(node.node.service.schedule(request("later", HOUR_MS, more)));
const refused = { code: "RATE_LIMITED", details: { namespace: "default", quota: QUOTA } };

test("a namespace is refused tasks beyond its quota, another is not, and the first is let in again when there is room", async () => {
  await begin(QUOTA);
  const { task } = await schedule();
  for (let index = 1; index < QUOTA; index++) await schedule();
  await expect(schedule()).rejects.toMatchObject(refused);
  await schedule({ namespace: "other" });
  await cluster.while(node.node.service.cancel({ namespace: "default", id: task.id }, "somebody"));
  await cluster.world.clock.advance(COUNTED_MS);
  await schedule();
  await expect(schedule()).rejects.toMatchObject(refused);
});

test("tasks that exist when a node starts count, and only the first create waits for a count", async () => {
  await begin(QUOTA);
  for (let index = 0; index < QUOTA; index++) await schedule();
  expect(counts).toBe(1);
  const late = await cluster.addNode("n2");
  await expect(cluster.while(late.node.service.schedule(request("later", HOUR_MS)))).rejects.toMatchObject(refused);
});

test("a check that never waits for a count goes by the last one, and by what this node wrote since", async () => {
  await begin(QUOTA);
  const { quota } = node.node.service;
  expect(quota.hasRoom("default")).toBe(true);
  await cluster.world.clock.advance(COUNTED_MS);
  for (let index = 0; index < QUOTA; index++) quota.created("default");
  expect(quota.hasRoom("default")).toBe(false);
  await cluster.world.clock.advance(COUNTED_MS);
  expect(quota.hasRoom("other")).toBe(true);
  expect(counts).toBeGreaterThan(0);
});

test("a refresh uses no quota, and in a bulk the items with idempotency keys of their own are refused one by one", async () => {
  await begin(QUOTA);
  for (let index = 0; index < 3 * QUOTA; index++) await schedule({ key: "one", onConflict: "refresh" });
  const own = Array.from({ length: QUOTA }, (_, index) => ({ idempotency: { key: `k${index}`, bodyHash: "0" } }));
  const items = own.map((more) => request("later", HOUR_MS, more));
  const { results } = await cluster.while(node.node.service.scheduleMany("default", items));
  expect(results.map(({ status }) => status)).toEqual(["created", "created", "created", "created", "rejected"]);
  expect(results.at(-1)).toMatchObject({ error: { code: "RATE_LIMITED" } });
  await expect(cluster.while(node.node.service.scheduleMany("default", [request("later", 0)]))).rejects.toMatchObject(
    refused,
  );
});

test("tasks are let in while there is no count, and are not counted while there is no quota", async () => {
  await begin(1);
  node.connection.failNext("stats", 1_000);
  await schedule();
  await cluster.stop();
  await begin(0);
  for (let index = 0; index < QUOTA; index++) await schedule();
  expect(counts).toBe(0);
});
