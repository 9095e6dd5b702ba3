import { describe, expect, test } from "@jest/globals";
import { type MetricReading, METRICS } from "@tickwheel/core";
import { Gauge, Registry } from "prom-client";
import { registerMetrics, withLabels } from "./prometheus-registry.js";

function registryOf(readings: MetricReading[]): { registry: Registry; reads: () => number } {
  const registry = new Registry();
  let reads = 0;
  registerMetrics(registry, () => {
    reads++;
    return Promise.resolve(readings);
  });
  return { registry, reads: () => reads };
}

test("a distribution is a histogram of all that is at or below each bound", async () => {
  const value = { bounds: [0.001, 0.002], counts: [2, 1, 4], sum: 12.5 };
  const { registry } = registryOf([{ name: "tickwheel_claim_seconds", samples: [{ value }] }]);
  const text = await registry.metrics();
  expect(text).toContain(
    [
      "# TYPE tickwheel_claim_seconds histogram",
      'tickwheel_claim_seconds_bucket{le="0.001"} 2',
      'tickwheel_claim_seconds_bucket{le="0.002"} 3',
      'tickwheel_claim_seconds_bucket{le="+Inf"} 7',
      "tickwheel_claim_seconds_sum 12.5",
      "tickwheel_claim_seconds_count 7",
    ].join("\n"),
  );
});

test("a label of a metric stays within its quotation marks, whatever it is", async () => {
  const labels = { namespace: 'a"} 1\nfake_total{x="', type: "back\\slash" };
  const { registry } = registryOf([{ name: "tickwheel_tasks_dead_total", samples: [{ labels, value: 1 }] }]);
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual(['tickwheel_tasks_dead_total{namespace="a\\"} 1\\nfake_total{x=\\"",type="back\\\\slash"} 1']);
});

test("a scrape reads the node once, and the next scrape reads it again", async () => {
  const { registry, reads } = registryOf([]);
  await registry.metrics();
  expect(reads()).toBe(1);
  await registry.metrics();
  expect(reads()).toBe(2);
});

test("a metric that is not read is told with its help, and no value", async () => {
  const text = await registryOf([]).registry.metrics();
  for (const [name, { help }] of Object.entries(METRICS)) expect(text).toContain(`# HELP ${name} ${help}\n`);
  expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
});

test("two nodes of one process are told apart by a label", async () => {
  const places: MetricReading[] = [{ name: "tickwheel_places", samples: [{ value: 100 }] }];
  const registry = new Registry();
  const read = () => [...withLabels(places, { module: "orders" }), ...withLabels(places, { module: "billing" })];
  registerMetrics(registry, () => Promise.resolve(read()));
  const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("tickwheel_places{"));
  expect(lines).toEqual(['tickwheel_places{module="orders"} 100', 'tickwheel_places{module="billing"} 100']);
});

describe("a registry that several applications register with", () => {
  const places = (value: number, labels?: Record<string, string>) => (): Promise<MetricReading[]> =>
    Promise.resolve([{ name: "tickwheel_places", samples: [{ value, ...(labels && { labels }) }] }]);
  const lines = async (registry: Registry) =>
    (await registry.metrics()).split("\n").filter((line) => /^tickwheel_places[ {]/.test(line));

  test("a metrics registry tells all applications that register with it, and of the same labels the later one", async () => {
    const registry = new Registry();
    registerMetrics(registry, places(1));
    registerMetrics(registry, places(2, { module: "a", zone: "x" }));
    registerMetrics(registry, places(3));
    registerMetrics(registry, places(4, { zone: "x", module: "a" }));
    expect(await lines(registry)).toEqual(["tickwheel_places 3", 'tickwheel_places{zone="x",module="a"} 4']);
  });

  test("a metrics registry does not read applications any more that took themselves out", async () => {
    const registry = new Registry();
    const [first, second] = [1, 2].map((value) => registerMetrics(registry, places(value)));
    second!();
    second!();
    expect(await lines(registry)).toEqual(["tickwheel_places 1"]);
    first!();
    expect(await lines(registry)).toEqual([]);
    registerMetrics(registry, places(3));
    expect(await lines(registry)).toEqual(["tickwheel_places 3"]);
  });

  test("a metrics registry has an application's metrics again after it was cleared", async () => {
    const registry = new Registry();
    registerMetrics(registry, places(1))();
    registry.clear();
    registerMetrics(registry, places(2));
    expect(await lines(registry)).toEqual(["tickwheel_places 2"]);
  });

  test("an application refuses to take the place of somebody else's metric in a registry", () => {
    const registry = new Registry();
    void new Gauge({ name: "tickwheel_places", help: "mine", registers: [registry] });
    expect(() => registerMetrics(registry, places(1))).toThrow("tickwheel_places");
  });
});
