import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Logger } from "@nestjs/common";
import type { DelayTask } from "@tickwheel/nestjs";
import { LINES_PER_WINDOW, LOGGED_CHARACTERS, LogTaskHandler, WINDOW_MS } from "./log-task.handler.js";

let lines: string[];
let nowMs: number;
let handler: LogTaskHandler;

beforeEach(() => {
  lines = [];
  nowMs = 0;
  handler = new LogTaskHandler();
  const keep = (line: unknown): void => void lines.push(String(line));
  jest.spyOn(Logger.prototype, "log").mockImplementation(keep);
  jest.spyOn(Logger.prototype, "warn").mockImplementation(keep);
  jest.spyOn(performance, "now").mockImplementation(() => nowMs);
});
afterEach(() => void jest.restoreAllMocks());

function run(task: Partial<DelayTask>): void {
  handler.log({ id: "a", key: null, payload: null, ...task } as DelayTask);
}

describe("the type that logs", () => {
  test("the type that logs writes id, key and payload", () => {
    run({ key: "42", payload: { orderId: "42" } });
    run({});
    expect(lines).toEqual(['task a key "42" payload {"orderId":"42"}', "task a payload null"]);
  });

  test("the type that logs writes one line whatever is in key and payload, and no command to a terminal", () => {
    run({ key: "a\nb", payload: "\u001b[2J\u009b2J\u2028next\u007f" });
    expect(lines).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  });

  test("the type that logs cuts a long payload and says how long it was", () => {
    run({ payload: "x".repeat(60_000) });
    expect(lines[0]!.length).toBeLessThan(LOGGED_CHARACTERS + 100);
    expect(lines[0]).toContain("(60002 characters)");
  });

  test("the type that logs writes a limited number of lines a second, and then how many more there were", () => {
    for (let i = 0; i < LINES_PER_WINDOW + 7; i++) run({});
    expect(lines).toHaveLength(LINES_PER_WINDOW);
    nowMs = WINDOW_MS;
    run({});
    expect(lines.slice(LINES_PER_WINDOW)).toEqual(["7 more tasks ran and were not logged", "task a payload null"]);
  });
});
