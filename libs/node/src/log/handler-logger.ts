import type { TelemetryEvent } from "@tickwheel/core";
import type { LogFields, LoggerSource } from "@tickwheel/executors";
import { LogLine } from "./log-line.js";
import type { NodeLogger } from "./node-logger.js";

/** The event of each line that a handler writes. */
const HANDLER_LINE = "handler.log";

/**
 * `ctx.logger` of each execution over the node's logger: each line has the task's id and type, the attempt and the
 * fence as fields, after the handler's own. Where only text is printed, the line tells them behind the message. All
 * lines are written: the handler decides how many there are.
 */
export function handlerLoggers(logger: NodeLogger): LoggerSource {
  return (execution) => {
    const { type, id, attempt, fence } = execution;
    const place = `[${type} ${id}, attempt ${attempt}, fence ${fence}]`;
    const line = (level: TelemetryEvent["level"], message: string, fields: LogFields = {}): LogLine =>
      new LogLine({ name: HANDLER_LINE, level, message, facts: { ...fields, ...execution } }, `${message} ${place}`);
    return {
      debug: (message, fields) => logger.debug(line("debug", message, fields)),
      info: (message, fields) => logger.log(line("info", message, fields)),
      warn: (message, fields) => logger.warn(line("warn", message, fields)),
      error: (message, fields) => logger.error(line("error", message, fields)),
    };
  };
}
