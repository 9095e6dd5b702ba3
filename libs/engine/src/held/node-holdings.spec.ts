import { afterEach, expect, test } from "@jest/globals";
import { MemoryWorld } from "@tickwheel/testing";
import { type Handler, request, SimulatedCluster, succeeded } from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;

async function begin(handlers: Record<string, Handler>) {
  cluster = new SimulatedCluster(new MemoryWorld(5), handlers, { concurrency: 1 });
  const n1 = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
  const schedule = async (type: string, delayMs: number) =>
    (await cluster.while(n1.node.service.schedule(request(type, delayMs)))).task;
  return { ...n1, schedule };
}

afterEach(() => cluster.stop());

test("a node at rest holds its place in the cluster and its waiting tasks", async () => {
  const { node, schedule } = await begin({ ok: async () => succeeded });
  const near = await schedule("ok", 5_000);
  await schedule("ok", 60_000);
  expect(node.holdings()).toEqual({
    bootId: cluster.world.database.cluster.term.holder,
    phase: "live",
    view: 1,
    term: 1,
    typeIds: [near.typeId],
    entries: [{ taskId: near.id, dueAt: near.dueAt }],
    claimsInFlight: [],
    claimsInDoubt: [],
    executions: [],
    degraded: [],
  });
});

test("a node's waiting tasks are in its entries, its running tasks in its executions", async () => {
  const { node, schedule } = await begin({ slow: async (_, pause) => (await pause(1_000), succeeded) });
  const running = await schedule("slow", 0);
  const waiting = await schedule("slow", 0);
  await cluster.world.clock.advance(20);
  expect(node.holdings()).toMatchObject({
    entries: [{ taskId: waiting.id, dueAt: waiting.dueAt }],
    executions: [{ id: running.id, fence: 1, state: "running" }],
  });
});

test("a claim is in flight until its answer, and in doubt from its loss until the store was asked", async () => {
  const { node, connection, schedule } = await begin({ ok: async () => succeeded });
  const seen: unknown[] = [];
  connection.gate = ({ statement, phase }) => {
    if (statement === "claim" && phase === "after") seen.push(node.holdings().claimsInFlight);
    if (statement === "runningUnder" && phase === "before") seen.push(node.holdings().claimsInDoubt);
  };
  connection.loseNextReply("claim");
  const { id } = await schedule("ok", 0);
  await cluster.world.clock.advance(50);
  expect(seen).toEqual([[id], [id]]);
  expect(node.holdings()).toMatchObject({ claimsInFlight: [], claimsInDoubt: [] });
});

test("a node without an engine holds nothing", async () => {
  await begin({ ok: async () => succeeded });
  const { node } = await cluster.addNode("writer", { roles: ["api"] });
  expect(node.holdings()).toMatchObject({ bootId: null, phase: null, view: 1, term: null, entries: [] });
});
