import {
  type DistributionReading,
  type MetricLabels,
  type MetricName,
  type MetricReading,
  METRICS,
  type MetricSample,
} from "@tickwheel/core";
import type { Metric, Registry } from "prom-client";

/** A value as the client writes it. */
interface PrometheusValue {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/** What a registry asks of its metrics, and of whom it reads them. */
type MetricRegistry = Pick<Registry, "registerMetric" | "getSingleMetric">;
type ReadMetrics = () => Promise<MetricReading[]>;

/** Who is read for a registry, in the order of their calls. */
const readersOf = new WeakMap<MetricRegistry, ReadMetrics[]>();
/** The metrics that are registered here. */
const ours = new WeakSet<object>();

/**
 * Registers all metrics of the catalogue with a registry of prom-client, an application's own or ours. Each scrape
 * reads the node once, whatever the number of metrics; between two scrapes nothing is done.
 *
 * It may be called again for the same registry, by a further application of the process or of a next test: then all of
 * them are read. Where two samples have the same labels, the one of the later call counts, so applications that live at
 * a time are told apart by {@link withLabels}.
 *
 * @param read answers every metric as it is now; of several nodes in one process all of them, told apart by
 *   {@link withLabels}
 * @returns call it, and it is read no more: where the application is closed and the registry lives on
 * @throws Error when somebody else has registered a metric of such a name
 * @example const unregister = registerMetrics(register, () => app.get(DelayTaskNode).metrics());
 */
export function registerMetrics(registry: MetricRegistry, read: ReadMetrics): () => void {
  const readers = readersOf.get(registry) ?? [];
  // A function of its own: the same one may be given twice.
  const reader: ReadMetrics = () => read();
  registerAll(registry, readers);
  readersOf.set(registry, readers);
  readers.push(reader);
  return () => {
    if (readers.includes(reader)) readers.splice(readers.indexOf(reader), 1);
  };
}

/** Those that are not there: a registry may have been cleared meanwhile. */
function registerAll(registry: MetricRegistry, readers: readonly ReadMetrics[]): void {
  const scrape = new Scrape(() => readAll(readers));
  for (const [name, { kind: type, help }] of Object.entries(METRICS)) {
    const known = registry.getSingleMetric(name);
    if (known !== undefined && ours.has(known)) continue;
    const get = async (): Promise<object> => {
      const samples = (await scrape.samples()).get(name as MetricName) ?? [];
      const values = samples.flatMap(({ labels = {}, value }) => valuesOf(name, labels, value));
      return { name, help, type, values, aggregator: "sum" };
    };
    // What the client asks of a metric when it is scraped, and no more.
    const metric = { name, help, type, get } as unknown as Metric;
    registry.registerMetric(metric);
    ours.add(metric);
  }
}

async function readAll(readers: readonly ReadMetrics[]): Promise<MetricReading[]> {
  if (readers.length === 1) return readers[0]!();
  const readings = (await Promise.all(readers.map((read) => read()))).flat();
  const samples = new Map(
    readings.flatMap(({ name, samples: all }) =>
      all.map((sample) => [placeOf(name, sample.labels), { name, sample }] as const),
    ),
  );
  return [...samples.values()].map(({ name, sample }) => ({ name, samples: [sample] }));
}

/** The same for the same name and labels, whatever their order. */
function placeOf(name: MetricName, labels: MetricLabels = {}): string {
  return JSON.stringify([name, ...Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

/**
 * The same metrics with further labels, for a process with several nodes.
 *
 * @example registerMetrics(register, async () => [
 *   ...withLabels(await orders.metrics(), { module: "orders" }),
 *   ...withLabels(await billing.metrics(), { module: "billing" }),
 * ]);
 */
export function withLabels(readings: readonly MetricReading[], more: MetricLabels): MetricReading[] {
  return readings.map(({ name, samples }) => ({
    name,
    samples: samples.map(({ labels, value }) => ({ labels: { ...labels, ...more }, value })),
  }));
}

/**
 * The metrics of one scrape are read together: those that are asked for in one turn of the loop, and those that the
 * same readings answer.
 */
class Scrape {
  private last: { readings: readonly MetricReading[]; samples: SamplesByName } | null = null;
  private reading: Promise<SamplesByName> | null = null;

  constructor(private readonly read: () => Promise<MetricReading[]>) {}

  samples(): Promise<SamplesByName> {
    this.reading ??= this.read()
      .then((readings) => this.indexed(readings))
      .finally(() => (this.reading = null));
    return this.reading;
  }

  private indexed(readings: readonly MetricReading[]): SamplesByName {
    if (this.last?.readings !== readings) this.last = { readings, samples: byName(readings) };
    return this.last.samples;
  }
}

type SamplesByName = ReadonlyMap<MetricName, readonly MetricSample[]>;

function byName(readings: readonly MetricReading[]): SamplesByName {
  const all = new Map<MetricName, MetricSample[]>();
  for (const { name, samples } of readings) {
    const known = all.get(name);
    if (known) known.push(...samples);
    else all.set(name, [...samples]);
  }
  return all;
}

function valuesOf(name: string, labels: MetricLabels, value: number | DistributionReading): PrometheusValue[] {
  return typeof value === "number" ? [{ labels, value }] : bucketsOf(name, labels, value);
}

/** Each bucket counts what is at or below its bound. */
function bucketsOf(
  name: string,
  labels: MetricLabels,
  { bounds, counts, sum }: DistributionReading,
): PrometheusValue[] {
  let count = 0;
  const buckets = counts.map((own, bucket) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: bounds[bucket] ?? "+Inf" },
    value: (count += own),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
