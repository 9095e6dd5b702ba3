import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import { LogLine } from "./log-line.js";

const event = {
  name: "task.dead",
  level: "error",
  message: "attempt 3 of 3 of order.cancel failed",
  facts: { id: "1", type: "order.cancel", key: "42" },
  error: new Error("no luck"),
} as const;
const line = new LogLine(event, "the text", "no luck, at …");

test("a log line is its text where only text is printed", () => {
  expect([String(line), inspect(line)]).toEqual(["the text", "the text"]);
});

test("a logger that takes an object's fields gets an event's facts, its message and the error itself", () => {
  const fields = { id: "1", type: "order.cancel", key: "42", msg: event.message, event: "task.dead", err: event.error };
  expect(Object.assign({}, line)).toEqual(fields);
  const { message, ...rest } = line;
  expect([message, rest]).toEqual([event.message, fields]);
});

test("a log line as JSON has the facts, and the error as text", () => {
  expect(JSON.parse(JSON.stringify({ message: line }))).toEqual({
    message: {
      id: "1",
      type: "order.cancel",
      key: "42",
      msg: event.message,
      event: "task.dead",
      error: "no luck, at …",
    },
  });
  const calm = new LogLine(
    { name: "node.stop.done", level: "info", message: "Stopped", facts: { tookMs: 3 } },
    "Stopped",
  );
  expect(JSON.parse(JSON.stringify(calm))).toEqual({ msg: "Stopped", event: "node.stop.done", tookMs: 3 });
});
