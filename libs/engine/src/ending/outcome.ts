import {
  backoffMs,
  type DeadReason,
  type DeferralReason,
  type EpochMs,
  type ExecutionResult,
  type LatenessParts,
  MAX_DELAY_MS,
  type Random,
  type Settlement,
  storableText,
} from "@tickwheel/core";
import type { AbortCause } from "../held/abort-reasons.js";
import type { ExecutionEntry } from "../held/executions.js";

/** What is to be written about an execution that ended. */
export type Outcome =
  | { write: "settle"; settlement: Settlement }
  /** `startedAt`: its handler was called. */
  | { write: "release"; reason: string; startedAt?: EpochMs; latenessParts?: LatenessParts | null }
  | { write: "defer"; delayMs: number; reason: DeferralReason };

/** What decides about an end beside its result. */
export interface EndPolicy {
  random: Random;
  /** How often a task may be put off by its handler. */
  maxSnoozes: number;
}

type Ended = Pick<ExecutionEntry, "task" | "startedAt" | "latenessParts" | "abortCause">;

/**
 * What an execution's result means for its task. A handler that fails because it was aborted did not fail. After a
 * cancel the task is cancelled: the store does so to any failure of a task with a cancel request; if a fail-over lost
 * the request, the attempt counts. After a drain or a lost lease the task is released and the attempt is not charged. A
 * handler that succeeds, or puts its task off, in spite of the abort has done so; so has a condition that said no.
 */
export function outcomeOf(result: ExecutionResult, execution: Ended, policy: EndPolicy): Outcome {
  switch (result.kind) {
    case "succeeded":
      return { write: "settle", settlement: completionOf(result, execution) };
    case "skipped":
      return { write: "settle", settlement: skipOf(execution) };
    case "deferred":
      return { write: "defer", delayMs: boundedDelayMs(result.delayMs), reason: result.reason ?? "BREAKER" };
    case "snoozed":
      return outcomeOfSnooze(result.delayMs, execution, policy);
    case "failed":
      return outcomeOfFailure(result, execution, policy.random);
  }
}

/** The settlement of a failed attempt: the next try after its backoff, or the end. */
export function failureOf(
  failure: { error: string; retryable: boolean; reason?: DeadReason; retryAfterMs?: number },
  execution: Ended,
  random: Random,
): Settlement {
  const { task, startedAt, latenessParts } = execution;
  const { id, owner, fence } = task;
  const error = storableText(failure.error);
  const reason = deadReason(failure, task);
  const of = { id, owner, fence, startedAt, latenessParts, maxAttempts: task.maxAttempts };
  if (reason) return { kind: "dead", ...of, reason, error };
  const delayMs = boundedDelayMs(failure.retryAfterMs ?? backoffMs(task.backoff, task.attempt, random));
  return { kind: "retry", ...of, delayMs, error };
}

/** A handler that puts its task off once too often has failed. */
function outcomeOfSnooze(delayMs: number, execution: Ended, { random, maxSnoozes }: EndPolicy): Outcome {
  const { task, startedAt, latenessParts } = execution;
  const { id, owner, fence } = task;
  if (task.snoozeCount < maxSnoozes)
    return {
      write: "settle",
      settlement: { kind: "snoozed", id, owner, fence, startedAt, latenessParts, delayMs: boundedDelayMs(delayMs) },
    };
  const error = `It was put off ${task.snoozeCount} times, which is the most (maxSnoozes).`;
  return { write: "settle", settlement: failureOf({ error, retryable: true }, execution, random) };
}

function outcomeOfFailure(
  failure: Extract<ExecutionResult, { kind: "failed" }>,
  execution: Ended,
  random: Random,
): Outcome {
  const { abortCause, startedAt, latenessParts } = execution;
  if (abortCause === "drain" || abortCause === "lease_lost")
    return { write: "release", reason: releaseReason(abortCause), startedAt, latenessParts };
  return { write: "settle", settlement: failureOf(failure, execution, random) };
}

/**
 * The reason in the journal of an execution that is given back.
 *
 * @param isHeldBack whether its type's breaker has opened since it was claimed
 */
export function releaseReason(cause: AbortCause | null, isHeldBack = false): string {
  if (cause === "drain") return "DRAIN";
  if (cause === "lease_lost") return "LEASE_LOST";
  return isHeldBack ? "BREAKER_OPEN" : "NOT_STARTED";
}

/** The journal's reason for a task that timed out while it waited for what its own earlier execution held. */
export const WAITED_FOR_ITSELF = "WAITED_FOR_ITSELF";

function deadReason(failure: { retryable: boolean; reason?: DeadReason }, task: Ended["task"]): DeadReason | null {
  if (!failure.retryable) return failure.reason ?? "NON_RETRYABLE";
  return task.attempt >= task.maxAttempts ? "ATTEMPTS" : null;
}

function completionOf(
  { result, spawned }: Extract<ExecutionResult, { kind: "succeeded" }>,
  { task, startedAt, latenessParts }: Ended,
): Settlement {
  const { id, owner, fence } = task;
  const ended: Settlement = { kind: "succeeded", id, owner, fence, startedAt, latenessParts, result };
  if (task.member) ended.isMember = true;
  if (spawned) ended.spawned = spawned;
  return ended;
}

function skipOf({ task, startedAt, latenessParts }: Ended): Settlement {
  const { id, owner, fence } = task;
  return { kind: "skipped", id, owner, fence, startedAt, latenessParts, ...membershipOf(task) };
}

/** A member's end is tallied. */
function membershipOf({ member }: Ended["task"]): { isMember?: true } {
  return member ? { isMember: true } : {};
}

function boundedDelayMs(delayMs: number): number {
  if (!(delayMs > 0)) return 0;
  return Math.min(Math.round(delayMs), MAX_DELAY_MS);
}
