import {
  type DistributionReading,
  type MetricLabels,
  type MetricName,
  type MetricReading,
  METRICS,
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
 * reads the node once, whatever the number of metrics; between two scrapes nothing is done and nothing is kept.
 *
 * @param read answers every metric as it is now
 * @example registerMetrics(register, () => app.get(DelayTaskNode).metrics());
 */
export function registerMetrics(
  registry: Pick<Registry, "registerMetric">,
  read: () => Promise<MetricReading[]>,
): void {
  const scrape = new Scrape(read);
  for (const [name, { kind: type, help }] of Object.entries(METRICS)) {
    const get = async (): Promise<object> => {
      const samples = (await scrape.readings()).get(name as MetricName)?.samples ?? [];
      const values = samples.flatMap(({ labels = {}, value }) => valuesOf(name, labels, value));
      return { name, help, type, values, aggregator: "sum" };
    };
    // What the client asks of a metric when it is scraped, and no more.
    registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }
}

/** The metrics of one scrape are read together: all are asked for in one turn of the loop. */
class Scrape {
  private reading: Promise<ReadonlyMap<MetricName, MetricReading>> | null = null;

  constructor(private readonly read: () => Promise<MetricReading[]>) {}

  readings(): Promise<ReadonlyMap<MetricName, MetricReading>> {
    this.reading ??= this.read()
      .then((readings) => new Map(readings.map((reading) => [reading.name, reading])))
      .finally(() => (this.reading = null));
    return this.reading;
  }
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
