import { expect, test } from "@jest/globals";
import type { Settlement, TaskState } from "@tickwheel/core";
import { RecordingTelemetry } from "@tickwheel/testing";
import { cureOfDead, cureOfFailed } from "./failure-lines.js";
import { AttemptFailures } from "./attempt-failures.js";
import type { ExecutionEntry } from "../held/executions.js";

const task = { id: "a", key: "4\n2", owner: "1", fence: 3, attempt: 2, maxAttempts: 5 };
const entry = { task, type: { namespace: "shop", type: "order.cancel" } } as ExecutionEntry;
const { id, owner, fence } = task;
const about = { id, owner, fence, startedAt: 0 };
const retry: Settlement = { ...about, kind: "retry", delayMs: 500, error: "Error: no luck\n    at f" };
const dead: Settlement = { ...about, kind: "dead", reason: "NON_RETRYABLE", error: "Error: never" };

test("a failed attempt and a dead task are reported with their known details, and counted", () => {
  const telemetry = new RecordingTelemetry();
  const failures = new AttemptFailures(telemetry);
  failures.note(entry, retry, "scheduled");
  failures.note(entry, dead, "dead");
  const facts = {
    id,
    namespace: "shop",
    type: "order.cancel",
    key: task.key,
    attempt: 2,
    maxAttempts: 5,
    fence,
    owner,
  };
  const failed = { delayMs: 500, cure: cureOfFailed(500) };
  const ended = { reason: "NON_RETRYABLE", cure: cureOfDead(id, "NON_RETRYABLE") };
  expect(telemetry.events).toEqual([
    expect.objectContaining({ name: "task.failed", facts: { ...facts, ...failed }, error: retry.error }),
    expect.objectContaining({ name: "task.dead", facts: { ...facts, ...ended }, error: dead.error }),
  ]);
  for (const { message } of telemetry.events)
    expect(message).toMatch(/^attempt 2 of 5 of order\.cancel a \(key "4\ufffd2"\) failed.*(again|retry)/);
  expect([failures.failed, failures.dead]).toEqual([1, 1]);
});

test.each<[string, Parameters<AttemptFailures["note"]>[1], TaskState]>([
  ["a success", { ...about, kind: "succeeded", result: null }, "succeeded"],
  ["a failure of a task that was asked to be cancelled", retry, "cancelled"],
  ["a release", { ...about, reason: "DRAIN" }, "scheduled"],
  ["a deferral", { ...about, delayMs: 100 }, "scheduled"],
])("%s is no failed attempt", (_what, write, state) => {
  const telemetry = new RecordingTelemetry();
  new AttemptFailures(telemetry).note(entry, write, state);
  expect(telemetry.events).toEqual([]);
});
