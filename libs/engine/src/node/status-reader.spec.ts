import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { MemoryWorld } from "@tickwheel/testing";
import { SimulatedCluster, type SimulatedNode, succeeded } from "../../test-support/simulated-cluster.js";

describe("the cluster as seen by a node without the engine", () => {
  let cluster: SimulatedCluster<MemoryWorld>;
  let worker: SimulatedNode<MemoryWorld>;
  let edge: SimulatedNode<MemoryWorld>;
  let dead: SimulatedNode<MemoryWorld>[];

  beforeEach(async () => {
    dead = [];
    cluster = new SimulatedCluster(new MemoryWorld(11), { ok: async () => succeeded });
    worker = await cluster.addNode("worker");
    edge = await cluster.addNode("edge", { types: [], roles: ["api"] });
    await cluster.world.clock.advance(3_000);
  });
  afterEach(() => cluster.stop(dead));

  const report = () => cluster.while(edge.node.service.cluster());

  test("a node without the engine sees the nodes of the view with their beats, and the leader, but not itself", async () => {
    const { coordination, leader, degraded, nodes } = await report();
    expect([coordination, leader?.node, degraded]).toEqual(["redis", "worker", []]);
    expect(nodes.map(({ label, state }) => [label, state])).toEqual([["worker", "live"]]);
    expect(nodes[0]!.heartbeatAgeMs).toBeLessThan(2_000);
  });

  test("a node without the engine reports that Redis is away, since when and why, until Redis is back", async () => {
    const { bus, clock, database } = cluster.world;
    bus.setAvailable(false, "connection refused");
    await clock.advance(5_000);
    const { coordination, degraded } = await report();
    expect([coordination, degraded.map(({ part, detail }) => [part, detail])]).toEqual([
      "postgres-degraded",
      [["redis", "connection refused"]],
    ]);
    expect(database.now() - degraded[0]!.since).toBeGreaterThan(3_500);
    bus.setAvailable(true);
    await clock.advance(2_000);
    expect(await report()).toMatchObject({ coordination: "redis", degraded: [] });
  });

  test("a node without the engine shows a node that died as suspect", async () => {
    cluster.kill(worker);
    dead = [worker];
    await cluster.addNode("second");
    await cluster.world.clock.advance(6_000);
    const states = Object.fromEntries((await report()).nodes.map(({ label, state }) => [label, state]));
    expect(states).toEqual({ worker: "suspect", second: "live" });
  });
});
