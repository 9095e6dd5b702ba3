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

/**
 * Registers all metrics of the catalogue with a registry of prom-client, an application's own or ours. Each scrape
 * reads the node once, whatever the number of metrics; between two scrapes nothing is done.
 *
 * @param read answers every metric as it is now; of several nodes in one process all of them, told apart by
 *   {@link withLabels}
 * @example registerMetrics(register, () => app.get(DelayTaskNode).metrics());
 */
export function registerMetrics(
  registry: Pick<Registry, "registerMetric">,
  read: () => Promise<MetricReading[]>,
): void {
  const scrape = new Scrape(read);
  for (const [name, { kind: type, help }] of Object.entries(METRICS)) {
    const get = async (): Promise<object> => {
      const samples = (await scrape.samples()).get(name as MetricName) ?? [];
      const values = samples.flatMap(({ labels = {}, value }) => valuesOf(name, labels, value));
      return { name, help, type, values, aggregator: "sum" };
    };
    // What the client asks of a metric when it is scraped, and no more.
    registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }
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
