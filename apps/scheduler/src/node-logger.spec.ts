import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Logger } from "@nestjs/common";
import type { LogFormat, LogLevel } from "./environment.js";
import { NodeLogger } from "./node-logger.js";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/;

let written: Record<"stdout" | "stderr", string>;

beforeEach(() => {
  written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    jest.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
});
afterEach(() => {
  jest.restoreAllMocks();
  Logger.overrideLogger(true);
});

/** As the library's own events come: fields, a text, and JSON of their own. */
function event(fields: object, text: string, error?: string): object {
  const said = { toString: () => text, toJSON: () => ({ ...fields, ...(error !== undefined && { error }) }) };
  return Object.assign(Object.create(said) as object, fields, { err: new Error("secret") });
}

const dead = event({ msg: "it is dead", event: "task.dead", key: "a\nb" }, "it is dead: no luck\n    at x", "no luck");

/** What a logger of Nest's says through a node's. */
function say(format: LogFormat, level: LogLevel = "info"): Logger {
  const logger = new NodeLogger({ format, level });
  Logger.overrideLogger(logger);
  return new Logger("Tickwheel");
}

function objects(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("as JSON", () => {
  test("an event logged as JSON is one object with its facts beside time, level and text, and its error as a text", () => {
    say("json").error(dead);
    const time: unknown = expect.stringMatching(TIME);
    const fields = { event: "task.dead", msg: "it is dead", key: "a\nb", error: "no luck", context: "Tickwheel" };
    expect(objects(written.stderr)).toEqual([{ time, level: "error", ...fields }]);
    expect(written.stderr).toMatch(/^\{"time":"[^"]+","level":"error","msg":"it is dead","event":"task.dead"/);
  });

  test("texts, errors and objects of others are logged as one JSON object each", () => {
    const logger = say("json");
    logger.log("two\nlines");
    logger.warn({ any: "thing" });
    logger.error(new TypeError("broken"));
    logger.error("failed", "Error: why\n    at somewhere (a.js:1:1)");
    expect(objects(written.stdout)).toMatchObject([
      { level: "info", msg: "two\nlines" },
      { level: "warn", msg: "{ any: 'thing' }" },
    ]);
    expect(objects(written.stderr)).toMatchObject([
      { level: "error", msg: "broken", error: expect.stringMatching(/^TypeError: broken\n {4}at /) },
      { level: "error", msg: "failed", error: expect.stringContaining("at somewhere") },
    ]);
  });

  test("a text logged as JSON holds no command for the terminal, and is what was said", () => {
    const text = "a\u001b[2J\u009b31m\u007f\u0085\u2028b\u202e";
    say("json").log(text);
    expect(written.stdout.slice(0, -1)).not.toMatch(/\p{Cc}|[\u2028\u202e]/u);
    expect(objects(written.stdout)).toMatchObject([{ msg: text }]);
  });

  test("no field of an event logged as JSON takes the place of time and level", () => {
    say("json").log(event({ msg: "mine", time: "never", level: "loud" }, "mine"));
    expect(objects(written.stdout)).toMatchObject([{ time: expect.stringMatching(TIME), level: "info", msg: "mine" }]);
  });

  test("a line for the operator who starts the node is logged as a JSON object, too", () => {
    const logger = new NodeLogger({ format: "json", level: "error" });
    logger.print("PORT=3000");
    logger.printFailure("Port 3000\nis in use");
    expect(objects(written.stdout)).toMatchObject([{ level: "info", msg: "PORT=3000" }]);
    expect(objects(written.stderr)).toMatchObject([{ level: "error", msg: "Port 3000\nis in use" }]);
  });
});

describe("as text", () => {
  test("an event logged as text is one line, and further lines of its error are indented", () => {
    say("text").error(dead);
    expect(written.stderr.replace(TIME, "TIME")).toBe("TIME ERROR [Tickwheel] it is dead: no luck\n    at x\n");
  });

  test("no text logged as text makes a line of its own, or a command for the terminal", () => {
    say("text").warn(`a\n2026-01-01T00:00:00.000Z ERROR forged\u001b[2J\r\nb\u2028c\u202e`);
    expect(written.stdout.replace(TIME, "TIME")).toBe(
      "TIME WARN  [Tickwheel] a\n    2026-01-01T00:00:00.000Z ERROR forged\\u001b[2J\n    b\\u2028c\\u202e\n",
    );
  });

  test("a line for the operator who starts the node is logged as text as it is", () => {
    const logger = new NodeLogger({ format: "text", level: "error" });
    logger.print("PORT=3000");
    logger.printFailure("Port 3000\nis in use");
    expect(written).toEqual({ stdout: "PORT=3000\n", stderr: "tickwheel: Port 3000\nis in use\n" });
  });
});

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
] as const)("a log at level %s has what is graver, too", (level, expected) => {
  const logger = say("json", level);
  for (const method of ["debug", "log", "warn", "error"] as const) logger[method]("x");
  const levels = objects(written.stdout + written.stderr).map((line) => (line as { level: string }).level);
  expect(levels).toEqual(expected);
});

test("the node's log leaves out the list of modules and routes", () => {
  const logger = new NodeLogger({ format: "text", level: "info" });
  logger.log("AppModule dependencies initialized", "InstanceLoader");
  expect(written.stdout).toBe("");
});
