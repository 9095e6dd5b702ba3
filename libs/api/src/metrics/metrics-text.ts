import type { MetricReading } from "@tickwheel/core";
import { registerMetrics } from "./prometheus-registry.js";

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  contentType: string;
  text: string;
}

/**
 * Makes the text of `/metrics`. The client is loaded when the first of them is asked for.
 *
 * @param ofProcess whether memory, garbage collection and handles of the process are told, too
 */
export function metricsText(
  read: () => Promise<MetricReading[]>,
  { ofProcess }: { ofProcess: boolean },
): () => Promise<MetricsText> {
  let opened: ReturnType<typeof open> | null = null;
  const open = async () => {
    const { Registry, collectDefaultMetrics } = await import("prom-client");
    const registry = new Registry();
    registerMetrics(registry, read);
    if (ofProcess) collectDefaultMetrics({ register: registry });
    return registry;
  };
  return async () => {
    const registry = await (opened ??= open());
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
}
