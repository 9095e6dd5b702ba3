/**
 * What happens inside a node, as events. A listener must be quick and must not throw. Implemented by the Nest logger of
 * the nestjs library and by the recorder of the testing library.
 */
export interface Telemetry {
  emit(event: TelemetryEvent): void;
}

/** One event. `level` is for logs: `error` and `warn` want an operator's eye. */
export interface TelemetryEvent {
  /** Dotted name, such as `cluster.node.dead`, `engine.sweep.degraded`. */
  name: string;
  level: "debug" | "info" | "warn" | "error";
  /** A sentence for people. */
  message: string;
  /** Facts for programs; never payloads or secrets. */
  facts?: Record<string, unknown>;
  /** What failed. For a task whose handler failed, it is what the handler threw. */
  error?: unknown;
  /** Its text where that is not simply the error's own: what the task keeps as its last error. */
  errorText?: string;
}
