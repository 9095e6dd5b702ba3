import { afterEach, expect, test } from "@jest/globals";
import { MemoryWorld } from "@tickwheel/testing";
import { type Handler, request, SimulatedCluster, succeeded } from "../../test-support/simulated-cluster.js";

const PLACES = 10;
const SHARE = 8;
const OTHER = "other";
const LONG_MS = 20_000;

let cluster: SimulatedCluster<MemoryWorld>;

afterEach(() => cluster.stop());

/** A node with one node's places, whose own namespace has long tasks. */
async function begin(types: readonly string[]): Promise<void> {
  const long: Handler = async (_execution, pause) => (await pause(LONG_MS), succeeded);
  const handlers = Object.fromEntries(types.map((type) => [type, type === "quick" ? async () => succeeded : long]));
  cluster = new SimulatedCluster(new MemoryWorld(5), handlers, { concurrency: PLACES });
  await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

const service = () => cluster.nodes[0]!.node.service;
const runningNow = (): number => cluster.calls.reduce((sum, { kind }) => sum + (kind === "started" ? 1 : -1), 0);

async function schedule(type: string, delayMs: number, namespace = "default"): Promise<string> {
  const { task } = await cluster.while(service().schedule(request(type, delayMs, { namespace })));
  return task.id;
}

test("a namespace with long tasks leaves a fifth of a node's places to another, and goes on as its places become free", async () => {
  await begin(["long", "longer", "quick"]);
  await schedule("quick", 0, OTHER);
  await cluster.world.clock.advance(1_000);
  const many: string[] = [];
  for (let index = 0; index < 2 * SHARE; index++) many.push(await schedule(index % 2 === 0 ? "long" : "longer", 100));
  await cluster.world.clock.advance(3_000);
  expect(runningNow()).toBe(SHARE);

  const quick = await schedule("quick", 500, OTHER);
  await cluster.world.clock.advance(1_000);
  const start = cluster.starts.find(({ id }) => id === quick)!;
  expect(start.at - start.dueAt).toBeGreaterThanOrEqual(0);
  expect(start.at - start.dueAt).toBeLessThan(50);

  await cluster.world.clock.advance(LONG_MS);
  const firstEnd = cluster.calls.find(({ kind, id }) => kind === "ended" && many.includes(id))!;
  const later = cluster.starts.filter(({ id, at }) => many.includes(id) && at >= firstEnd.at);
  expect(later).toHaveLength(SHARE);
  for (const { at } of later) expect(at - firstEnd.at).toBeLessThan(500);
  await cluster.world.clock.advance(LONG_MS);
  expect(new Set(cluster.starts.map(({ id }) => id))).toEqual(new Set([...many, quick, cluster.starts[0]!.id]));
  expect(cluster.starts).toHaveLength(many.length + 2);
});

test("the only namespace of a node takes all its places", async () => {
  await begin(["long", "longer"]);
  for (let index = 0; index < 2 * PLACES; index++) await schedule(index % 2 === 0 ? "long" : "longer", 100);
  await cluster.world.clock.advance(3_000);
  expect(runningNow()).toBe(PLACES);
});
