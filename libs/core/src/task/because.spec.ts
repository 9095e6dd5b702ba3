import { describe, expect, test } from "@jest/globals";
import { becauseOf, type Surroundings } from "./because.js";
import { type LatenessParts, noLateness } from "./lateness.js";
import type { Task } from "./task.js";

const NOW = 1_000_000;
const waiting = {
  state: "scheduled",
  reason: null,
  dueAt: NOW - 10,
  createdAt: 0,
  scheduledAt: NOW - 10,
  startedAt: null,
  cancelRequestedAt: null,
  lastError: null,
  snoozeCount: 0,
  latenessParts: null,
  delivery: null,
  fence: 0,
} as const satisfies Partial<Task>;
const free: Surroundings = { count: 2, inUse: 3, places: 200, last: null, pause: null, breaker: null, limit: null };
const LIMIT: NonNullable<Surroundings["limit"]> = { of: "TYPE", maxRunning: 5, running: 5, rate: null };
const BREAKER = { state: "open", openedAt: 5, until: NOW + 9, failedTrials: 1 } as const;
type SharedPause = NonNullable<Surroundings["pause"]>;
const PAUSE: SharedPause = {
  typeId: 7,
  key: null,
  pausedAt: 5,
  until: NOW + 9,
  reason: "a bad deploy",
  pausedBy: "key:1",
};

const codeOf = (task: Partial<Task>, runners: Partial<Surroundings> = {}): string =>
  becauseOf({ ...waiting, ...task }, { ...free, ...runners }, NOW).code;

describe("why a task stands as it does", () => {
  const later = { dueAt: NOW + 500, scheduledAt: NOW + 500 };

  test.each<[string, Partial<Task>, Partial<Surroundings>]>([
    ["SCHEDULED", later, {}],
    ["SCHEDULED", later, { count: 0 }],
    ["RETRIES", { ...later, lastError: "Error", fence: 2 }, {}],
    ["PUT_OFF", { ...later, snoozeCount: 1, fence: 2 }, {}],
    [
      "BREAKER",
      { ...later, scheduledAt: NOW - 10, fence: 2, delivery: { kind: "webhook", url: "https://a.example" } },
      {},
    ],
    ["PAUSED", { state: "paused" }, {}],
    ["PAUSED", { state: "paused" }, { pause: PAUSE }],
    ["HALTED", {}, { pause: PAUSE }],
    ["HALTED", {}, { pause: PAUSE, count: 0 }],
    ["SCHEDULED", later, { pause: PAUSE }],
    ["RUNNING", { state: "running" }, { pause: PAUSE }],
    ["NO_NODE", {}, { count: 0 }],
    ["BREAKER", {}, { breaker: BREAKER }],
    ["BREAKER", {}, { breaker: BREAKER, limit: LIMIT, inUse: 200 }],
    ["HALTED", {}, { breaker: BREAKER, pause: PAUSE }],
    ["NO_NODE", {}, { breaker: BREAKER, count: 0 }],
    ["SCHEDULED", later, { breaker: BREAKER }],
    ["LIMITED", {}, { limit: LIMIT }],
    ["LIMITED", {}, { limit: LIMIT, inUse: 200 }],
    ["HALTED", {}, { limit: LIMIT, pause: PAUSE }],
    ["NO_NODE", {}, { limit: LIMIT, count: 0 }],
    ["SCHEDULED", later, { limit: LIMIT }],
    ["NO_PLACE", {}, { inUse: 200 }],
    ["NO_PLACE", { dueAt: NOW - 1_501 }, {}],
    ["DUE", { dueAt: NOW - 1_500 }, {}],
    ["DUE", {}, { inUse: 0, places: 0 }],
    ["RUNNING", { state: "running" }, { count: 0 }],
    ["STOPPING", { state: "running", cancelRequestedAt: NOW }, {}],
    ["SUCCEEDED", { state: "succeeded" }, {}],
    ["SKIPPED", { state: "succeeded", reason: "SKIPPED" }, {}],
    ["DEAD", { state: "dead", reason: "ATTEMPTS" }, {}],
    ["CANCELLED", { state: "cancelled", reason: "REQUESTED" }, {}],
    ["EXPIRED", { state: "expired" }, {}],
  ])("the reason why a task stands as it does is %s", (code, task, runners) => {
    expect(codeOf(task, runners)).toBe(code);
  });

  test("the reason of a task tells of the breaker of its type only where that keeps the task from starting", () => {
    const breakerOf = (task: Partial<Task>, more: Partial<Surroundings> = {}) =>
      becauseOf({ ...waiting, ...task }, { ...free, breaker: BREAKER, ...more }, NOW).breaker;
    expect(breakerOf({})).toEqual({ state: "OPEN", since: 5, until: NOW + 9, failedTrials: 1 });
    expect([breakerOf(later), breakerOf({}, { pause: PAUSE }), breakerOf({ state: "running" })]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("the reason of a task tells of the pause only where that keeps the task from starting", () => {
    const told = { since: 5, until: NOW + 9, reason: "a bad deploy", by: "key:1" };
    const haltOf = (pause: Partial<SharedPause>, task: Partial<Task> = {}) =>
      becauseOf({ ...waiting, ...task }, { ...free, pause: { ...PAUSE, ...pause } }, NOW).halt;
    expect(haltOf({})).toEqual({ of: "TYPE", ...told });
    expect(haltOf({ key: "42" })).toEqual({ of: "KEY", ...told });
    expect(haltOf({ typeId: null })).toEqual({ of: "NAMESPACE", ...told });
    expect(haltOf({}, { state: "running" })).toBeNull();
  });

  test("the reason of a task names the last node that ran its type only where none does now", () => {
    const last = { node: "10.0.0.1:7", how: "LEFT", at: 5 } as const;
    expect(becauseOf(waiting, { ...free, count: 0, last }, NOW)).toMatchObject({ hasNoNode: true, lastRunner: last });
    expect(becauseOf(waiting, { ...free, last }, NOW)).toMatchObject({ hasNoNode: false, lastRunner: null });
  });

  test("the reason of a task tells the places only where the task waits for a place", () => {
    expect(becauseOf(waiting, { ...free, inUse: 200 }, NOW).places).toEqual({ inUse: 200, all: 200 });
    expect(becauseOf(waiting, free, NOW).places).toBeNull();
  });

  test("the reason of a task tells of a late start by the part that most of it went to, from 100 ms on", () => {
    const latenessParts: LatenessParts = { ...noLateness(), wheel: 40, place: 60, clockErrorUs: 200, takenFrom: null };
    const ended = { ...waiting, state: "succeeded", latenessParts } as const;
    expect(becauseOf(ended, free, NOW).late).toEqual({ latenessMs: 100, part: "place", partMs: 60, takenFrom: null });
    expect(becauseOf({ ...ended, latenessParts: { ...latenessParts, wheel: 39 } }, free, NOW).late).toBeNull();
    expect(becauseOf({ ...ended, latenessParts: null }, free, NOW).late).toBeNull();
  });
});
