import { describe, expect, test } from "@jest/globals";
import { type ClaimedTask, type ExecutionResult, MAX_DELAY_MS } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import type { AbortCause } from "../held/abort-reasons.js";
import { outcomeOf } from "./outcome.js";

const policy = { random: new SeededRandom(1), maxSnoozes: 2 };

function ended(task: Partial<ClaimedTask> = {}, abortCause: AbortCause | null = null) {
  const backoff = { kind: "fixed", delayMs: 500 } as const;
  const claimed = {
    id: "a",
    owner: "1",
    fence: 4,
    attempt: 1,
    maxAttempts: 3,
    snoozeCount: 0,
    backoff,
    ...task,
  } as ClaimedTask;
  return { task: claimed, startedAt: 99, latenessParts: null, abortCause };
}

const failed = (more: Partial<Extract<ExecutionResult, { kind: "failed" }>> = {}): ExecutionResult => ({
  kind: "failed",
  error: "boom",
  retryable: true,
  ...more,
});

describe("outcomeOf", () => {
  const ref = { id: "a", owner: "1", fence: 4, startedAt: 99, latenessParts: null };

  test("a success is settled with its result", () => {
    expect(outcomeOf({ kind: "succeeded", result: '{"n":1}' }, ended(), policy)).toEqual({
      write: "settle",
      settlement: { ...ref, kind: "succeeded", result: '{"n":1}' },
    });
  });

  test.each([null, "cancel", "drain"] as const)(
    "a skip is settled as a skip, whatever was asked meanwhile: %p",
    (cause) => {
      expect(outcomeOf({ kind: "skipped" }, ended({}, cause), policy)).toEqual({
        write: "settle",
        settlement: { ...ref, kind: "skipped" },
      });
    },
  );

  test("a failure with attempts left is tried again after its backoff", () => {
    expect(outcomeOf(failed(), ended(), policy)).toEqual({
      write: "settle",
      settlement: { ...ref, kind: "retry", maxAttempts: 3, delayMs: 500, error: "boom" },
    });
  });

  test.each([
    [250.4, 250],
    [-5, 0],
    [Number.NaN, 0],
    [Infinity, MAX_DELAY_MS],
  ])("a failure's own delay (%p) overrides the backoff and is bounded", (retryAfterMs, delayMs) => {
    expect(outcomeOf(failed({ retryAfterMs }), ended(), policy)).toMatchObject({
      settlement: { kind: "retry", delayMs },
    });
  });

  test("a snooze puts the task off, whatever is left of its attempts; a snooze too many is a failed attempt", () => {
    const snoozed = { kind: "snoozed", delayMs: 4_000.4 } as const;
    expect(outcomeOf(snoozed, ended({ attempt: 3, snoozeCount: 1 }), policy)).toEqual({
      write: "settle",
      settlement: { ...ref, kind: "snoozed", delayMs: 4_000 },
    });
    const error = "It was put off 2 times, which is the most (maxSnoozes).";
    expect(outcomeOf(snoozed, ended({ snoozeCount: 2 }), policy)).toMatchObject({
      settlement: { kind: "retry", error },
    });
    expect(outcomeOf(snoozed, ended({ attempt: 3, snoozeCount: 2 }), policy)).toMatchObject({
      settlement: { kind: "dead", reason: "ATTEMPTS", error },
    });
  });

  test("the last attempt, or an error that is not retryable, ends the task dead", () => {
    const last = outcomeOf(failed(), ended({ attempt: 3 }), policy);
    expect(last).toMatchObject({ settlement: { kind: "dead", reason: "ATTEMPTS", error: "boom" } });
    const fatal = outcomeOf(failed({ retryable: false }), ended(), policy);
    expect(fatal).toMatchObject({ settlement: { kind: "dead", reason: "NON_RETRYABLE" } });
  });

  test.each([
    ["drain", "DRAIN"],
    ["lease_lost", "LEASE_LOST"],
  ] as const)(
    "a handler that fails because of %s is released as started, whatever attempts are left",
    (cause, reason) => {
      const outcome = outcomeOf(failed({ retryable: false }), ended({ attempt: 3 }, cause), policy);
      expect(outcome).toEqual({ write: "release", reason, startedAt: 99, latenessParts: null });
    },
  );

  test.each([
    [1, { kind: "retry", delayMs: 500 }],
    [3, { kind: "dead", reason: "ATTEMPTS" }],
  ])(
    "a handler that stops because of a cancel in attempt %p of 3 has failed, for a store that forgot the cancel",
    (attempt, settlement) => {
      const outcome = outcomeOf(failed(), ended({ attempt }, "cancel"), policy);
      expect(outcome).toMatchObject({ write: "settle", settlement });
    },
  );

  test("a handler that succeeds in spite of its abort has succeeded", () => {
    const outcome = outcomeOf({ kind: "succeeded", result: null }, ended({}, "drain"), policy);
    expect(outcome).toMatchObject({ write: "settle", settlement: { kind: "succeeded" } });
  });

  test("a deferral is no attempt", () => {
    expect(outcomeOf({ kind: "deferred", delayMs: 3_000 }, ended(), policy)).toEqual({
      write: "defer",
      delayMs: 3_000,
      reason: "BREAKER",
    });
    expect(outcomeOf({ kind: "deferred", delayMs: 3_000, reason: "NOT_READY" }, ended(), policy)).toMatchObject({
      reason: "NOT_READY",
    });
  });
});
