import { headersAlone, NO_TRACING, type Tracing } from "@tickwheel/core";
import { OpenTelemetryTracing } from "./open-telemetry-tracing.js";
import type { TracingOptions } from "./tracing-options.js";

/** What Node says, and what other loaders say, of a package that is not there. */
const NOT_THERE: readonly unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/**
 * Loads OpenTelemetry's API where the application has it; where not, tasks carry the headers of requests and nothing is
 * traced. With `false` nothing is loaded, read or traced.
 *
 * @throws what the API throws when it is loaded, but not that it is not there
 */
export async function openTracing(options: TracingOptions | false): Promise<Tracing> {
  if (options === false) return NO_TRACING;
  const { baggage = [], runs = "same-trace" } = options;
  const api = await import("@opentelemetry/api").catch(orNull);
  return api ? new OpenTelemetryTracing(api, { baggage, runs }) : headersAlone(baggage);
}

function orNull(error: unknown): null {
  if (NOT_THERE.includes((error as { code?: unknown } | null)?.code)) return null;
  throw error;
}
