import { type MetricReading, turns } from "@tickwheel/core";
import type { Registry } from "prom-client";
import { registerMetrics } from "./prometheus-registry.js";

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  contentType: string;
  text: string;
}

/**
 * The text of `/metrics`. With a hundred types it is half a megabyte, which takes the client twenty milliseconds; so it
 * is written metric by metric, in turns with whatever else the loop has to do. Scrapers that come at once get the same
 * text. The client is loaded by the first scrape.
 */
export class MetricsWriter {
  private registry: Promise<Registry> | null = null;
  private readings: Promise<MetricReading[]> | null = null;
  private underWay: Promise<MetricsText> | null = null;

  /**
   * @param read never throws
   * @param options `ofProcess`: whether memory, garbage collection and handles of the process are told, too
   */
  constructor(
    private readonly read: () => Promise<MetricReading[]>,
    private readonly options: { ofProcess: boolean },
  ) {}

  text(): Promise<MetricsText> {
    this.underWay ??= this.write().finally(() => (this.underWay = this.readings = null));
    return this.underWay;
  }

  private async write(): Promise<MetricsText> {
    const registry = await (this.registry ??= this.open());
    this.readings = this.read();
    const texts: string[] = [];
    for (const { name } of registry.getMetricsAsArray()) {
      if (turns.isOver()) await turns.next();
      texts.push(await registry.getSingleMetricAsString(name));
    }
    return { contentType: registry.contentType, text: `${texts.join("\n\n")}\n` };
  }

  private async open(): Promise<Registry> {
    const { Registry: NewRegistry, collectDefaultMetrics } = await import("prom-client");
    const registry = new NewRegistry();
    registerMetrics(registry, () => this.readings ?? this.read());
    if (this.options.ofProcess) collectDefaultMetrics({ register: registry });
    return registry;
  }
}
