import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Task } from "@tickwheel/core";
import { checkHistory, type HistoryEvent, rowChangesOf } from "@tickwheel/simulation";
import { MemoryWorld } from "@tickwheel/testing";
import {
  request,
  SimulatedCluster,
  type SimulatedNode,
  type Start,
  succeeded,
} from "../../test-support/simulated-cluster.js";

const KEYS = 20;

/** What callers received. */
interface Acknowledged {
  created: Map<string, Task>;
  cancelledAt: Map<string, number>;
}

/** Three nodes; hundreds of tasks; one node is killed between a claim and its reply. */
class Scenario {
  readonly effects: string[] = [];
  readonly acknowledged: Acknowledged = { created: new Map(), cancelledAt: new Map() };
  readonly refreshed: string[] = [];
  readonly cluster: SimulatedCluster<MemoryWorld>;
  nodes: SimulatedNode<MemoryWorld>[] = [];
  killedAt = 0;
  readonly kills: HistoryEvent[] = [];
  heldByKilled: string[] = [];
  finals = new Map<string, Task>();

  constructor(seed: number) {
    this.cluster = new SimulatedCluster(new MemoryWorld(seed), {
      steady: async ({ task }, pause) => {
        await pause(400);
        this.effects.push(task.id);
        return succeeded;
      },
      flaky: async ({ task }, pause) => {
        await pause(5);
        if (task.attempt === 1) return { kind: "failed", error: "not yet", retryable: true };
        this.effects.push(task.id);
        return succeeded;
      },
      keyed: async ({ task }) => {
        this.effects.push(task.id);
        return succeeded;
      },
    });
  }

  async run(): Promise<this> {
    for (const label of ["n1", "n2", "n3"]) this.nodes.push(await this.cluster.addNode(label));
    await this.cluster.world.clock.advance(2_000);
    await this.scheduleAll();
    await this.cancelSome();
    await this.killInMidClaim(this.nodes[1]!);
    await this.cluster.world.clock.advance(30_000);
    for (const id of this.acknowledged.created.keys())
      this.finals.set(id, (await this.nodes[0]!.node.service.get("default", id))!);
    return this;
  }

  stop(): Promise<void> {
    return this.cluster.stop([this.nodes[1]!]);
  }

  startsOf(id: string): Start[] {
    return this.cluster.starts.filter((start) => start.id === id);
  }

  /** What an observer of the database, the handlers and the kill has seen. */
  history(): HistoryEvent[] {
    const calls = this.cluster.calls.map(({ id, owner, ...call }): HistoryEvent => {
      const execution = { ...call, taskId: id, bootId: owner };
      return call.kind === "ended" ? { ...execution, kind: "ended" } : { ...call, ...execution, kind: "started" };
    });
    const events = [...rowChangesOf(this.cluster.world.database.log), ...calls, ...this.kills];
    return events.sort((a, b) => a.monoMs - b.monoMs);
  }

  private async scheduleAll(): Promise<void> {
    const wait = { kind: "fixed", delayMs: 700 } as const;
    for (let index = 0; index < 300; index++) {
      const { service } = this.nodes[index % 3]!.node;
      const type = index % 3 === 0 ? "flaky" : "steady";
      const { task } = await this.cluster.while(service.schedule(request(type, 1_000 + index * 30, { backoff: wait })));
      this.acknowledged.created.set(task.id, task);
    }
    for (let index = 0; index < 3 * KEYS; index++) {
      const more = { key: `k${index % KEYS}`, onConflict: "refresh" as const };
      const { service } = this.nodes[index % 3]!.node;
      const { task, outcome } = await this.cluster.while(service.schedule(request("keyed", 3_000 + index * 10, more)));
      this.acknowledged.created.set(task.id, task);
      if (outcome === "refreshed") this.refreshed.push(task.id);
    }
  }

  private async cancelSome(): Promise<void> {
    const ids = [...this.acknowledged.created.keys()].filter((_, index) => index % 10 === 7);
    for (const [index, id] of ids.entries()) {
      const { service } = this.nodes[index % 3]!.node;
      const reply = await this.cluster.while(service.cancel({ namespace: "default", id }, "test"));
      if (reply.outcome === "cancelled") this.acknowledged.cancelledAt.set(id, this.cluster.world.database.now());
    }
  }

  /** The claim is applied, its reply is lost, and nothing of the node happens any more. */
  private async killInMidClaim(node: SimulatedNode<MemoryWorld>): Promise<void> {
    await this.cluster.world.clock.advance(3_000);
    node.connection.gate = ({ statement, phase }) => {
      if (statement !== "claim" || phase !== "after" || this.killedAt > 0) return;
      this.killedAt = this.cluster.world.database.now();
      this.cluster.kill(node);
      this.kills.push(this.crashOf(node.label));
    };
    await this.cluster.world.clock.runUntil(() => this.killedAt > 0, 5_000);
    this.heldByKilled = this.runningUnder(node.label);
  }

  private crashOf(label: string): HistoryEvent {
    const { clock, database } = this.cluster.world;
    const bootId = [...database.cluster.nodes.values()].find((node) => node.label === label)!.bootId;
    const fault = { name: "crash" as const, bootId };
    return { kind: "fault-began", fault, at: database.now(), monoMs: clock.monotonicMs() };
  }

  /** The tasks that the database holds as running under a node. */
  private runningUnder(label: string): string[] {
    const last = new Map<string, { node: string; isRunning: boolean }>();
    for (const { node, changes } of this.cluster.world.database.log)
      for (const { after } of changes) if (after) last.set(after.id, { node, isRunning: after.state === "running" });
    return [...last].filter(([, { node, isRunning }]) => isRunning && node === label).map(([id]) => id);
  }
}

describe.each([1, 2, 3])("three nodes on one clock, one of them killed in mid-claim (seed %i)", (seed) => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await new Scenario(seed).run();
    await scenario.stop();
  });
  const live = (): Task[] =>
    [...scenario.finals.values()].filter(({ id }) => !scenario.acknowledged.cancelledAt.has(id));

  test("the scenario of a node killed in mid-claim is as intended", () => {
    expect(scenario.acknowledged.created.size).toBe(300 + KEYS);
    expect(scenario.refreshed).toHaveLength(2 * KEYS);
    expect(scenario.acknowledged.cancelledAt.size).toBeGreaterThan(20);
    expect(scenario.heldByKilled.length).toBeGreaterThan(1);
  });

  test("[durable-create]: with a node killed in mid-claim nothing is lost, and everything ends as it should", () => {
    expect(live().filter(({ state }) => state !== "succeeded")).toEqual([]);
  });

  test("the history of a node killed in mid-claim breaks no rule", () => {
    expect(checkHistory({ events: scenario.history() })).toEqual([]);
  });

  test("with a node killed in mid-claim each task has one effect, a cancelled task has none", () => {
    expect(scenario.effects.toSorted()).toEqual(
      live()
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test("with a node killed in mid-claim no task starts after its cancel was acknowledged", () => {
    const { cancelledAt } = scenario.acknowledged;
    expect(scenario.cluster.starts.filter(({ id, at }) => at >= (cancelledAt.get(id) ?? Infinity))).toEqual([]);
  });

  test("with a node killed in mid-claim no task starts before it is due", () => {
    const early = scenario.cluster.starts.filter(({ id, at }) => at < scenario.finals.get(id)!.scheduledAt);
    expect(early).toEqual([]);
  });

  test("with a node killed in mid-claim failed attempts are tried again after their backoff", () => {
    const flaky = live().filter(({ type }) => type === "flaky");
    expect(flaky.length).toBeGreaterThan(50);
    expect(flaky.filter(({ attempt }) => attempt !== 2)).toEqual([]);
  });

  test("tasks that a node killed in mid-claim had claimed or begun run again within 10 s", () => {
    for (const id of scenario.heldByKilled) {
      const again = scenario.startsOf(id).filter(({ at, node }) => at > scenario.killedAt && node !== "n2");
      expect(again).not.toEqual([]);
      expect(again[0]!.at - scenario.killedAt).toBeLessThanOrEqual(10_000);
    }
  });

  test("tasks that a node killed in mid-claim had not claimed start at most 3 s late", () => {
    const pending = scenario.cluster.starts.filter(({ at, fence }) => at > scenario.killedAt && fence === 1);
    const latenesses = pending.map(({ id, at }) => at - scenario.finals.get(id)!.scheduledAt);
    expect(latenesses.length).toBeGreaterThan(50);
    expect(Math.max(...latenesses)).toBeLessThanOrEqual(3_000);
  });

  test("before a node is killed in mid-claim no task is more than a few milliseconds late", () => {
    const before = scenario.cluster.starts.filter(({ at, fence }) => at < scenario.killedAt && fence === 1);
    const latenesses = before.map(({ id, at }) => at - scenario.finals.get(id)!.scheduledAt);
    expect(Math.max(...latenesses)).toBeLessThanOrEqual(3);
  });
});
