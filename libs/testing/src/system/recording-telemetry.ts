import type { Telemetry, TelemetryEvent } from "@tickwheel/core";

/** Keeps every event, for assertions. */
export class RecordingTelemetry implements Telemetry {
  readonly events: TelemetryEvent[] = [];

  emit(event: TelemetryEvent): void {
    this.events.push(event);
  }

  /** The events with this name, oldest first. */
  named(name: string): TelemetryEvent[] {
    return this.events.filter((event) => event.name === name);
  }
}
