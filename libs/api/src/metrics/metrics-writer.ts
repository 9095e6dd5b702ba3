import { type Clock, type MetricReading, turns } from "@tickwheel/core";
import type { Registry } from "prom-client";
import { registerMetrics } from "./prometheus-registry.js";

/** A rendering is given to all who come within this time of its end, in milliseconds. */
export const METRICS_KEPT_MS = 1_000;

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  contentType: string;
  /** UTF-8, the same bytes for all who share it. */
  text: Buffer;
}

/**
 * The text of `/metrics`. With a hundred types it is half a megabyte, which takes the client twenty milliseconds; so it
 * is written metric by metric, in turns with whatever else the loop has to do. Those who scrape while it is made, or
 * within {@link METRICS_KEPT_MS} of then, get the same text, so a node renders once a second at most, however many
 * scrape it. All who may scrape may see all of it, and there is one format.
 *
 * On failure all who wait for it get the error, and the next one renders anew. The client is loaded by the first
 * scrape.
 */
export class MetricsWriter {
  private registry: Promise<Registry> | null = null;
  private readings: Promise<MetricReading[]> | null = null;
  private shared: Promise<MetricsText> | null = null;

  /** @param options `ofProcess`: whether memory, garbage collection and handles of the process are told, too */
  constructor(
    private readonly read: () => Promise<MetricReading[]>,
    private readonly options: { ofProcess: boolean; clock: Pick<Clock, "setTimer"> },
  ) {}

  text(): Promise<MetricsText> {
    this.shared ??= this.share();
    return this.shared;
  }

  private async share(): Promise<MetricsText> {
    try {
      const text = await this.write();
      this.options.clock.setTimer(METRICS_KEPT_MS, () => (this.shared = null));
      return text;
    } catch (error) {
      this.shared = null;
      throw error;
    } finally {
      this.readings = null;
    }
  }

  private async write(): Promise<MetricsText> {
    const registry = await this.opened();
    this.readings = this.read();
    // A failure has to be heard at once: one that nobody waits for yet would end the process.
    await this.readings;
    const texts: string[] = [];
    for (const { name } of registry.getMetricsAsArray()) {
      if (turns.isOver()) await turns.next();
      texts.push(await registry.getSingleMetricAsString(name));
    }
    return { contentType: registry.contentType, text: Buffer.from(`${texts.join("\n\n")}\n`) };
  }

  private async opened(): Promise<Registry> {
    this.registry ??= this.open();
    try {
      return await this.registry;
    } catch (error) {
      this.registry = null;
      throw error;
    }
  }

  private async open(): Promise<Registry> {
    const { Registry: NewRegistry, collectDefaultMetrics } = await import("prom-client");
    const registry = new NewRegistry();
    registerMetrics(registry, () => this.readings ?? this.read());
    if (this.options.ofProcess) collectDefaultMetrics({ register: registry });
    return registry;
  }
}
