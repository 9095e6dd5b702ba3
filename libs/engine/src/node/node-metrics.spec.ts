import { describe, expect, test } from "@jest/globals";
import type { Finding, FlowLimit, MetricReading, TypeFigures } from "@tickwheel/core";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { ManualClock } from "@tickwheel/testing";
import { NodeMeters } from "../counting/node-meters.js";
import { MAX_NAMED_TYPES, OTHER } from "../counting/type-totals.js";
import { type MetricSources, nodeMetrics } from "./node-metrics.js";

const clock = new ManualClock();

function sources(more: Partial<MetricSources> = {}): MetricSources {
  return {
    clock,
    meters: new NodeMeters(),
    types: { get: () => undefined },
    health: { list: () => [] },
    ownership: new RendezvousOwnership(null, null),
    member: null,
    engine: null,
    settings: null,
    breakers: null,
    queues: null,
    isReady: true,
    findings: { known: () => [] },
    figures: { types: () => Promise.reject(new Error("away")) },
    ...more,
  };
}

const leader = { leadership: () => ({ term: 7, holder: "1" }) };
const samplesOf = (readings: MetricReading[], name: string): unknown =>
  readings.find((reading) => reading.name === name)?.samples;
const typeOf = (number: number): TypeFigures =>
  ({ namespace: "default", type: `t${number}`, overdue: 1, oldestDueAt: 1_000_000 - number * 1_000 }) as TypeFigures;

describe("a node's metrics", () => {
  test("a node's metrics tell of the parts that must work whether they do, and of other parts only that they do not", async () => {
    const issue = { forMs: 1, detail: "" };
    const list = () => [
      { part: "redis", ...issue } as const,
      { part: "node a", ...issue } as const,
      { part: "node b", ...issue } as const,
      { part: "engine.claim", ...issue } as const,
    ];
    const readings = await nodeMetrics(sources({ health: { list } }));
    const told = samplesOf(readings, "tickwheel_degraded") as { labels: { part: string }; value: number }[];
    expect(told.map(({ labels, value }) => [labels.part, value])).toEqual([
      ["postgres", 0],
      ["redis", 1],
      ["heartbeat", 0],
      ["messages", 0],
      ["node", 1],
      ["engine.claim", 1],
    ]);
  });

  test("a node's metrics tell of the cluster only while the node leads", async () => {
    const findings = { known: () => [{ code: "NODE_DIED", severity: "warning" } as Finding] };
    const follows = await nodeMetrics(sources({ findings }));
    expect(samplesOf(follows, "tickwheel_findings")).toBeUndefined();
    expect(samplesOf(follows, "tickwheel_leader_term")).toEqual([{ value: 0 }]);
    const leads = await nodeMetrics(sources({ findings, member: leader }));
    expect(samplesOf(leads, "tickwheel_findings")).toEqual([
      { labels: { code: "NODE_DIED", severity: "warning" }, value: 1 },
    ]);
    expect(samplesOf(leads, "tickwheel_leader_term")).toEqual([{ value: 7 }]);
  });

  test("a leader's metrics tell how full the limits of the cluster are, the fullest by name and the rest as one", async () => {
    const limitOf = (id: number, typeId: number | null, maxRunning: number | null): FlowLimit =>
      ({ id, namespace: "shop", typeId, maxRunning, rate: null }) as FlowLimit;
    const many = Array.from({ length: MAX_NAMED_TYPES + 3 }, (_, index) => limitOf(10 + index, 10 + index, 4));
    const types = { get: (id: number) => (id === 3 ? undefined : { namespace: "shop", type: `t${id}` }) };
    const running = new Map([
      [1, 5],
      [2, 17],
    ]);
    const settingsOf = (limits: readonly FlowLimit[]): MetricSources["settings"] => ({
      metrics: () => [],
      current: { limits },
      levelOf: (id) => (running.has(id) ? { running: running.get(id)! } : null),
    });
    const few = [limitOf(4, 4, null), limitOf(3, 3, 9), limitOf(2, null, 200), limitOf(1, 1, 5), limitOf(5, 5, 8)];
    const asked = sources({ types, settings: settingsOf(few) });
    expect(samplesOf(await nodeMetrics(asked), "tickwheel_limit_max")).toBeUndefined();
    const told = await nodeMetrics({ ...asked, member: leader });
    const full = { type: "t1" };
    const all = { type: "" };
    const unknown = { type: "t5" };
    expect(samplesOf(told, "tickwheel_limit_max")).toMatchObject([
      { labels: full, value: 5 },
      { labels: all, value: 200 },
      { labels: unknown, value: 8 },
    ]);
    expect(samplesOf(told, "tickwheel_limit_running")).toMatchObject([
      { labels: full, value: 5 },
      { labels: all, value: 17 },
    ]);
    const crowd = await nodeMetrics({ ...asked, member: leader, settings: settingsOf([...many, ...few]) });
    const most = samplesOf(crowd, "tickwheel_limit_max") as unknown[];
    expect(most).toHaveLength(MAX_NAMED_TYPES + 1);
    expect(most.at(-1)).toEqual({ labels: { namespace: OTHER, type: OTHER }, value: 5 * 4 + 8 });
  });

  test("a node's metrics go without what the store does not answer", async () => {
    const asked = nodeMetrics(sources({ member: leader, figures: { types: () => new Promise(() => undefined) } }));
    await clock.advance(1_001);
    expect(samplesOf(await asked, "tickwheel_overdue_tasks")).toBeUndefined();
  });

  test("a node's metrics name the types with the oldest overdue tasks, and tell of the rest as one", async () => {
    const types = Array.from({ length: MAX_NAMED_TYPES + 3 }, (_, number) => typeOf(number));
    const figures = { types: () => Promise.resolve({ countedAt: 1_000_000, types }) };
    const readings = await nodeMetrics(sources({ member: leader, figures }));
    const oldest = samplesOf(readings, "tickwheel_oldest_overdue_seconds") as unknown[];
    expect(oldest.length).toBe(MAX_NAMED_TYPES + 1);
    expect(oldest[0]).toEqual({ labels: { namespace: "default", type: "t102" }, value: 102 });
    expect(oldest.at(-1)).toEqual({ labels: { namespace: OTHER, type: OTHER }, value: 2 });
    expect((samplesOf(readings, "tickwheel_overdue_tasks") as unknown[]).at(-1)).toMatchObject({ value: 3 });
  });
});
