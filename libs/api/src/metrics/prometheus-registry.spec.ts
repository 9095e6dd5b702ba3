import { expect, test } from "@jest/globals";
import { type MetricReading, METRICS } from "@tickwheel/core";
import { Registry } from "prom-client";
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

test("whatever a label is, it stays within its quotation marks", async () => {
  const labels = { namespace: 'a"} 1\nfake_total{x="', type: "back\\slash" };
  const { registry } = registryOf([{ name: "tickwheel_tasks_dead_total", samples: [{ labels, value: 1 }] }]);
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual(['tickwheel_tasks_dead_total{namespace="a\\"} 1\\nfake_total{x=\\"",type="back\\\\slash"} 1']);
});

test("a scrape reads the node once, and the next one again", async () => {
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
