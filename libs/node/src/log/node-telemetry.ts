import {
  type Clock,
  errorText,
  framesText,
  indentedLines,
  oneLine,
  SystemContext,
  type Telemetry,
  type TelemetryEvent,
  TickwheelError,
} from "@tickwheel/core";
import type { NodeListener } from "../handlers/node-handler.js";
import { EventCounts } from "@tickwheel/engine";
import { LogLimit } from "./log-limit.js";
import { LogLine } from "./log-line.js";
import type { NodeLogger } from "./node-logger.js";

/**
 * Events go to the node's logger with their facts as fields ({@link LogLine}), some lines of each event and task type
 * in ten seconds ({@link LogLimit}), and all of them to their listeners. A listener's error is logged, never thrown on.
 * Whatever caused an event, each of them is called in an asynchronous context of its own.
 */
export class NodeTelemetry implements Telemetry {
  private readonly home = new SystemContext();
  private listeners: readonly NodeListener[] = [];
  private readonly limit: LogLimit;
  /** What `/metrics` tells of events. */
  readonly counts = new EventCounts();

  constructor(
    readonly logger: NodeLogger,
    clock: Clock,
  ) {
    this.limit = new LogLimit(clock, (line) => this.logger.warn(oneLine(line)));
  }

  use(listeners: readonly NodeListener[]): void {
    this.listeners = listeners;
  }

  emit(event: TelemetryEvent): void {
    this.counts.note(event);
    if (this.limit.admits(event)) this.home.fork().run(() => this.log(event));
    for (const listener of this.listeners)
      if (listener.event === event.name) void this.home.fork().run(() => this.call(listener, event));
  }

  private async call(listener: NodeListener, event: TelemetryEvent): Promise<void> {
    try {
      await listener.listen(event);
    } catch (error) {
      const { name } = event;
      if (this.limit.admits({ name: `listeners of ${name}` }))
        this.logger.error(indentedLines(`A listener of ${name} failed: ${textOf(error)}`));
    }
  }

  private log(event: TelemetryEvent): void {
    const { level, name, message, error, errorText: told = error === undefined ? "" : textOf(error) } = event;
    const line = new LogLine(event, `${message} [${name}]${told && `: ${told}`}`, told);
    if (level === "error") this.logger.error(line);
    else if (level === "warn") this.logger.warn(line);
    else if (level === "info") this.logger.log(line);
    else this.logger.debug(line);
  }
}

/** Our own errors say what there is to say; of others, and of what caused ours, it is told where they come from. */
function textOf(error: unknown): string {
  return error instanceof TickwheelError ? error.message + framesText(error.cause) : errorText(error);
}
