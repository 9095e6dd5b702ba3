import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { ConsoleLogger } from "@nestjs/common";
import { ManualClock } from "@tickwheel/testing";
import { handlerLoggers, LINES_PER_WINDOW, LOG_WINDOW_MS, NodeTelemetry } from "@tickwheel/node/internals";

/** A line of its own, and what makes a terminal go up, clear, begin a command and write backwards. */
const FORGED = "x\n[Nest] 1 ERROR forged\r\x1b[1A\x1b[2K\x9b31m\x7f\x85\u2028\u2029\u202e";
const LINE_BEGINS = /^\[Nest\] \d+ /;

let printed: string[];
let telemetry: NodeTelemetry;
let clock: ManualClock;
let logger: ConsoleLogger;

beforeEach(() => {
  printed = [];
  const write = (text: unknown): boolean => printed.push(String(text)) > 0;
  jest.spyOn(process.stdout, "write").mockImplementation(write);
  jest.spyOn(process.stderr, "write").mockImplementation(write);
  clock = new ManualClock();
  logger = new ConsoleLogger("Tickwheel", { colors: false });
  telemetry = new NodeTelemetry(logger, clock);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Each text that was printed is one line of the log: those after its first are indented, and hold no control. */
function requireHonest(count: number): void {
  jest.restoreAllMocks();
  expect(printed).toHaveLength(count);
  for (const text of printed) {
    expect(text).toMatch(/\n$/);
    const [first, ...rest] = text.slice(0, -1).split("\n");
    expect(first).toMatch(LINE_BEGINS);
    for (const line of rest) expect(line).toMatch(/^ {2}/);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029\u202e]/u);
    expect(text).toContain("forged");
  }
}

test("an error that a handler throws forges no line of the log, and is no command to a terminal", () => {
  const fields = { name: "task.failed", message: "task failed" } as const;
  for (const level of ["error", "warn", "info", "debug"] as const)
    telemetry.emit({ ...fields, level, facts: { type: level }, error: new Error(FORGED) });
  const cause = new Error(FORGED, { cause: new Error(FORGED) });
  telemetry.emit({ ...fields, level: "warn", facts: { type: "caused" }, error: cause });
  telemetry.emit({ ...fields, level: "warn", facts: { type: "told" }, errorText: FORGED });
  requireHonest(6);
});

test("a text that a caller sends forges no line of the log, as a part of a message or as a name of a type that is left out", async () => {
  for (let count = 0; count <= LINES_PER_WINDOW; count++)
    telemetry.emit({
      name: "task.dead",
      level: "info",
      message: `the key ${FORGED} is paused`,
      facts: { type: FORGED },
    });
  await clock.advance(LOG_WINDOW_MS);
  requireHonest(LINES_PER_WINDOW + 1);
});

test("a text that a handler writes, or an error that a listener throws, forges no line of the log", async () => {
  const execution = { type: "a", id: "1", attempt: 1, fence: "1" };
  const loggerOf = handlerLoggers(logger);
  loggerOf(execution as unknown as Parameters<typeof loggerOf>[0]).warn(FORGED, { any: FORGED });
  const listen = (): never => {
    throw new Error(FORGED);
  };
  telemetry.use([{ event: "node.started", listen }] as unknown as Parameters<NodeTelemetry["use"]>[0]);
  telemetry.emit({ name: "node.started", level: "debug", message: "forged" });
  await clock.advance(0);
  requireHonest(3);
});
