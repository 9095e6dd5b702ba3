import { expect, test } from "@jest/globals";
import { type MetricReading, METRICS } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { METRICS_KEPT_MS, MetricsWriter } from "./metrics-writer.js";

const TYPES = 100;
const BOUNDS = Array.from({ length: 19 }, (_, bucket) => 2 ** bucket / 1_000);

/** As many values as a node can have. */
function fullReadings(): MetricReading[] {
  return Object.entries(METRICS).map(([name, { kind, labels }]) => ({
    name: name as MetricReading["name"],
    samples: Array.from({ length: labels.some((label) => label === "type") ? TYPES : 1 }, (_, index) => ({
      labels: Object.fromEntries(labels.map((label) => [label, `${label}.${index}`])),
      value: kind === "histogram" ? { bounds: BOUNDS, counts: [...BOUNDS, 1], sum: index } : index,
    })),
  }));
}

test("a text of metrics is of one reading, whatever happens while it is written", async () => {
  let reads = 0;
  const writer = new MetricsWriter(
    async () => fullReadings().map((reading) => ({ ...reading, samples: [{ value: ++reads }] })),
    { ofProcess: false, clock: new ManualClock() },
  );
  const text = String((await writer.text()).text);
  const count = Object.keys(METRICS).length;
  expect(reads).toBe(count);
  expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toHaveLength(count);
});

test("scrapes that come at once or within a second get the same text, and the next scrape gets another", async () => {
  let reads = 0;
  const clock = new ManualClock();
  const read = async (): Promise<MetricReading[]> => [{ name: "tickwheel_places", samples: [{ value: ++reads }] }];
  const writer = new MetricsWriter(read, { ofProcess: false, clock });
  const [one, ...others] = await Promise.all(Array.from({ length: 8 }, () => writer.text()));
  await clock.advance(METRICS_KEPT_MS - 1);
  for (const other of [...others, await writer.text()]) expect(other).toBe(one);
  expect(String(one!.text)).toContain("\ntickwheel_places 1\n");
  await clock.advance(1);
  expect(String((await writer.text()).text)).toContain("\ntickwheel_places 2\n");
});

test("an error while metrics are read is told to the scrapes that wait for them, and not kept", async () => {
  let reads = 0;
  const read = async (): Promise<MetricReading[]> => {
    if (++reads === 1) throw new Error("unreadable");
    return [{ name: "tickwheel_places", samples: [{ value: reads }] }];
  };
  const writer = new MetricsWriter(read, { ofProcess: false, clock: new ManualClock() });
  const results = await Promise.allSettled([writer.text(), writer.text()]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(String((await writer.text()).text)).toContain("\ntickwheel_places 2\n");
});

test("the event loop goes on while a text of metrics of half a megabyte is written", async () => {
  const writer = new MetricsWriter(async () => fullReadings(), { ofProcess: false, clock: new ManualClock() });
  let isWritten = false;
  let rounds = 0;
  const count = (): void => {
    rounds++;
    if (!isWritten) setImmediate(count);
  };
  setImmediate(count);
  const text = String((await writer.text()).text);
  isWritten = true;
  expect(text.length).toBeGreaterThan(250_000);
  expect(rounds).toBeGreaterThan(1);
});

test("the process's own metrics are told where they are wanted", async () => {
  const writer = new MetricsWriter(async () => [], { ofProcess: true, clock: new ManualClock() });
  const text = String((await writer.text()).text);
  expect(text).toContain("# TYPE process_resident_memory_bytes gauge\n");
});
