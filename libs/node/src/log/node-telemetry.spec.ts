import { beforeEach, describe, expect, test } from "@jest/globals";
import { type TelemetryEvent, TickwheelError } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { LINES_PER_WINDOW, LOG_WINDOW_MS, MAX_LOG_KINDS } from "./log-limit.js";
import { NodeTelemetry } from "./node-telemetry.js";

let clock: ManualClock;
let lines: string[];
let telemetry: NodeTelemetry;

beforeEach(() => {
  clock = new ManualClock();
  lines = [];
  const write = (line: unknown): number => lines.push(String(line));
  telemetry = new NodeTelemetry({ error: write, warn: write, log: write, debug: write }, clock);
});

function failed(type: string): TelemetryEvent {
  return { name: "task.failed", level: "warn", message: `${type} failed`, facts: { type }, error: "Error: no luck" };
}

describe("the log", () => {
  test("the log of a node has a line for each event, with its error", () => {
    telemetry.emit(failed("a"));
    const error = new TickwheelError("INTERNAL", "no right to do so");
    telemetry.emit({ name: "engine.claim.degraded", level: "warn", message: "engine.claim does not work", error });
    expect(lines).toEqual([
      "a failed [task.failed]: Error: no luck",
      "engine.claim does not work [engine.claim.degraded]: no right to do so",
    ]);
  });

  test("the log has few lines of one type in a storm, says how many there were, and hides no other type", async () => {
    for (let count = 0; count < 5_000; count++) telemetry.emit(failed("stormy"));
    telemetry.emit(failed("calm"));
    expect(lines).toHaveLength(LINES_PER_WINDOW + 1);
    expect(lines.at(-1)).toContain("calm failed");
    await clock.advance(LOG_WINDOW_MS);
    expect(lines.at(-1)).toBe("4990 more lines of task.failed of stormy were not logged");
    telemetry.emit(failed("stormy"));
    expect(lines.at(-1)).toContain("stormy failed");
    expect(clock.pendingTimers).toBe(0);
  });

  test("the log of a node has a bounded number of lines however many types there are", async () => {
    for (let count = 0; count < 3 * MAX_LOG_KINDS; count++) telemetry.emit(failed(`type ${count}`));
    expect(lines).toHaveLength(MAX_LOG_KINDS + LINES_PER_WINDOW);
    await clock.advance(LOG_WINDOW_MS);
    expect(lines.at(-1)).toBe(
      `${2 * MAX_LOG_KINDS - LINES_PER_WINDOW} more lines of events of other kinds were not logged`,
    );
  });
});

describe("listeners", () => {
  test("listeners hear every event, and a listener that throws is told of, whatever it throws", async () => {
    const heard: unknown[] = [];
    const listen = (event: unknown): void => {
      heard.push(event);
      throw Object.create(null) as Error;
    };
    telemetry.use([{ event: "task.failed", listen }]);
    for (let count = 0; count < 100; count++) telemetry.emit(failed("a"));
    await clock.settle();
    expect(heard).toHaveLength(100);
    expect(lines.filter((line) => line.startsWith("A listener of task.failed failed"))).toHaveLength(LINES_PER_WINDOW);
  });
});
