import type { Logger } from "@nestjs/common";
import { SystemContext, type Telemetry, type TelemetryEvent } from "@tickwheel/core";
import type { FoundListener } from "./delay-task-handler.explorer.js";

/**
 * Events go to Nest's logger, and to the methods that `@OnDelayTaskEvent` marks. A listener's error is logged, never thrown on. Whatever
 * caused an event, each of them is called in an asynchronous context of its own.
 */
export class NestTelemetry implements Telemetry {
  private readonly home = new SystemContext();
  private listeners: readonly FoundListener[] = [];

  constructor(private readonly logger: Logger) {}

  use(listeners: readonly FoundListener[]): void {
    this.listeners = listeners;
  }

  emit(event: TelemetryEvent): void {
    this.home.fork().run(() => this.log(event));
    for (const listener of this.listeners)
      if (listener.event === event.name) void this.home.fork().run(() => this.call(listener, event));
  }

  private async call(listener: FoundListener, event: TelemetryEvent): Promise<void> {
    try {
      await listener.listen(event);
    } catch (error) {
      this.logger.error(`A listener of ${event.name} failed: ${textOf(error)}`);
    }
  }

  private log({ level, name, message, error }: TelemetryEvent): void {
    const text = `${message} [${name}]${error === undefined ? "" : `: ${textOf(error)}`}`;
    if (level === "error") this.logger.error(text);
    else if (level === "warn") this.logger.warn(text);
    else if (level === "info") this.logger.log(text);
    else this.logger.debug(text);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
