import { expect, test } from "@jest/globals";
import { handlerLoggers } from "./handler-logger.js";
import { LogLine } from "./log-line.js";

const execution = { id: "0198", type: "order.cancel", attempt: 2, fence: 3 };

function loggerOf() {
  const lines: [string, LogLine][] = [];
  const note = (level: string) => (line: unknown) => void lines.push([level, line as LogLine]);
  const source = handlerLoggers({ debug: note("debug"), log: note("log"), warn: note("warn"), error: note("error") });
  return { lines, logger: source(execution) };
}

test("a line of a handler's log has its own fields and those of the execution, which win", () => {
  const { lines, logger } = loggerOf();
  const err = new Error("no luck");
  logger.warn("no seat", { seat: 4, id: "another", err });
  expect(lines[0]![0]).toBe("warn");
  expect(Object.assign({}, lines[0]![1])).toEqual({ msg: "no seat", event: "handler.log", seat: 4, err, ...execution });
});

test("the execution follows the message of a handler's line where only text is printed", () => {
  const { lines, logger } = loggerOf();
  logger.info("booked");
  expect(String(lines[0]![1])).toBe("booked [order.cancel 0198, attempt 2, fence 3]");
});

test("each level of a handler's log is Nest's level of the same meaning", () => {
  const { lines, logger } = loggerOf();
  for (const level of ["debug", "info", "warn", "error"] as const) logger[level]("a line");
  expect(lines.map(([level]) => level)).toEqual(["debug", "log", "warn", "error"]);
});
