import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { NodeTelemetry } from "./node-telemetry.js";
import { consoleLogger } from "./system-console-logger.js";

const NOW = "2026-11-27T04:45:06.120Z";

function written() {
  const lines: [string, string][] = [];
  const note = (where: string) => (line: string) => void lines.push([where, line]);
  const logger = consoleLogger({ error: note("stderr"), log: note("stdout") }, () => new Date(NOW));
  return { lines, logger, telemetry: new NodeTelemetry(logger, new ManualClock()) };
}

test("an event is one line, with its facts and its error, where its level belongs", () => {
  const { lines, telemetry } = written();
  telemetry.emit({ name: "node.stop.done", level: "info", message: "Stopped after 3 ms", facts: { tookMs: 3 } });
  telemetry.emit({ name: "task.failed", level: "warn", message: "it failed", facts: { type: "a" }, errorText: "x\ny" });
  telemetry.emit({ name: "node.started", level: "debug", message: "for nobody" });
  expect(lines).toEqual([
    ["stdout", `${NOW} INFO Stopped after 3 ms [node.stop.done] {"tookMs":3}`],
    ["stderr", `${NOW} WARN it failed [task.failed] {"type":"a","error":"x\\ny"}`],
  ]);
});

test("no text and no fact forges a line, or is a command to a terminal; what JSON cannot hold is told all the same", () => {
  const { lines, logger, telemetry } = written();
  logger.error("x\nERROR forged\u001b[2K");
  const facts = { type: "\u202e\u2028", size: 5n } as unknown as { type: string };
  telemetry.emit({ name: "task.failed", level: "error", message: "a\nb", facts });
  for (const [where, line] of lines) expect([where, /[\p{Cc}\u2028\u202e]/u.test(line)]).toEqual(["stderr", false]);
  expect(lines[1]![1]).toContain("size: 5n");
});
