import { afterEach, describe, expect, test } from "@jest/globals";
import type { SchedulerOptions } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;
let node: SimulatedNode<MemoryWorld>;
const ok: Handler = async () => succeeded;

async function begin(types: readonly string[], options: Partial<SchedulerOptions>): Promise<void> {
  const handlers = Object.fromEntries(types.map((type) => [type, ok]));
  cluster = new SimulatedCluster(new MemoryWorld(11), handlers, options);
  node = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

afterEach(() => cluster.stop());

describe("a namespace's quota of types", () => {
  test("a namespace's quota of types refuses an item whose type would exceed it, and no other item", async () => {
    await begin(["a", "b"], { typeQuotaPerNamespace: 3 });
    const types = ["a", "c", "d", "b", "c"];
    const requests = types.map((type) => request(type, 60_000));
    const { results } = await cluster.while(node.node.service.scheduleMany("default", requests));
    expect(results.map(({ status }) => status)).toEqual(["created", "created", "rejected", "created", "created"]);
    expect(results[2]).toMatchObject({ error: { code: "VALIDATION_FAILED" } });
    await expect(cluster.while(node.node.service.schedule(request("d", 0)))).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path: "type" }],
    });
  });

  test("a namespace's quota of types does not keep a node from starting with its own handlers", async () => {
    await begin(["a", "b", "c"], { typeQuotaPerNamespace: 2 });
    const { task } = await cluster.while(node.node.service.schedule(request("c", 10)));
    await cluster.world.clock.advance(1_000);
    expect(cluster.starts.map(({ id }) => id)).toEqual([task.id]);
  });
});

describe("more types than a sweep asks for", () => {
  const types = ["a", "b", "c", "d", "e", "f"];

  test("more types than a sweep asks for are all found by it, even if hints and loads are lost", async () => {
    await begin(types, { probedTypeCount: 2 });
    node.connection.failNext("loadWindow", 1_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    const tasks = [];
    for (const type of [...types, ...types]) {
      tasks.push((await cluster.while(writer.node.service.schedule(request(type, 2_000)))).task);
    }
    await cluster.world.clock.advance(5_000);
    for (const { id, scheduledAt } of tasks) {
      const start = cluster.starts.find((candidate) => candidate.id === id);
      expect(start!.at - scheduledAt).toBeLessThanOrEqual(1_200);
    }
  });

  test("more types than a sweep asks for cause queries only for those that have tasks", async () => {
    await begin(types, { probedTypeCount: 2 });
    const asked: number[] = [];
    node.connection.gate = ({ statement, phase, request: asking }) => {
      if (statement === "findDue" && phase === "before") asked.push((asking as { scopes: unknown[] }).scopes.length);
    };
    await cluster.while(node.node.service.schedule(request("d", 3_600_000)));
    await cluster.world.clock.advance(10_000);
    expect(new Set(asked)).toEqual(new Set([1]));
  });
});

describe("a dropped type", () => {
  test("a dropped type is forgotten by the nodes, and created again by its next task", async () => {
    await begin(["a"], {});
    const { tasks } = node;
    const { task } = await cluster.while(node.node.service.schedule(request("rare", 0)));
    const known = () => cluster.while(tasks.listTypes());
    await cluster.while(node.node.service.cancel({ namespace: "default", id: task.id }, "somebody"));
    const days = 10 / 86_400;
    const retention = { historyRetentionDays: days, deadRetentionDays: days, typeRetentionDays: days };
    const dropped: string[] = [];
    // The first look still sees the task in history, which it forgets.
    for (let look = 0; look < 2; look++) {
      await cluster.world.clock.advance(30_000);
      dropped.push(...(await cluster.while(tasks.maintain(retention))).droppedTypes);
    }
    expect(dropped).toEqual(["rare"]);
    await cluster.world.clock.advance(10_000);
    expect((await known()).map(({ type }) => type)).toEqual(["a"]);
    const again = await cluster.while(node.node.service.schedule(request("rare", 0)));
    expect(again.task.typeId).toBe(task.typeId);
    expect((await known()).map(({ type }) => type)).toEqual(["a", "rare"]);
  });
});
