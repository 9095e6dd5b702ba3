import { expect, test } from "@jest/globals";
import type { Task } from "@tickwheel/core";
import { waitingFor } from "./waiting-for.js";

const task = {
  state: "scheduled",
  typeId: 1,
  dueAt: 1_000,
  scheduledAt: 1_000,
  fence: 0,
  lastError: null,
  delivery: null,
};
const run = (typeIds: number[]) => [{ bootId: "1", label: "1", typeIds }];
const putOff = { delivery: { kind: "webhook", url: "https://example.com" }, fence: 2, dueAt: 5_000 };

test.each([
  { what: "a task that is not due", now: 999, expected: null },
  { what: "a task that is just due", now: 1_100, expected: null },
  { what: "a due task whose type no live node runs", runs: [2], now: 1_000, expected: "HANDLER" },
  { what: "a task that is overdue although nodes run its type", now: 3_000, expected: "CAPACITY" },
  { what: "a due task that is paused with others", isPaused: true, now: 1_000, expected: "PAUSE" },
  { what: "the same where no live node runs its type", isPaused: true, runs: [2], now: 1_000, expected: "PAUSE" },
  { what: "a task that is not due, paused with others", isPaused: true, now: 999, expected: null },
  {
    what: "a running task, paused with others",
    change: { state: "running" },
    isPaused: true,
    now: 1_000,
    expected: null,
  },
  { what: "a due task that consumers fetch", isPulled: true, runs: [], now: 1_000, expected: "CONSUMER" },
  { what: "the same at a full limit", isPulled: true, runs: [], isLimitFull: true, now: 1_000, expected: "LIMIT" },
  { what: "a due task whose breaker is open", isBreakerOpen: true, isLimitFull: true, now: 1_000, expected: "BREAKER" },
  {
    what: "the same where no live node runs its type",
    isBreakerOpen: true,
    runs: [2],
    now: 1_000,
    expected: "HANDLER",
  },
  { what: "a task that is not due, whose breaker is open", isBreakerOpen: true, now: 999, expected: null },
  { what: "a due task whose limit is full", isLimitFull: true, now: 1_000, expected: "LIMIT" },
  { what: "the same where no live node runs its type", isLimitFull: true, runs: [2], now: 1_000, expected: "HANDLER" },
  { what: "the same, paused with others", isLimitFull: true, isPaused: true, now: 1_000, expected: "PAUSE" },
  { what: "a task that is not due, whose limit is full", isLimitFull: true, now: 999, expected: null },
  { what: "a task that was put off untried", change: putOff, now: 3_000, expected: "BREAKER" },
  { what: "a task in its backoff", change: { ...putOff, lastError: "500" }, now: 3_000, expected: null },
  { what: "a running task", change: { state: "running" }, runs: [2], now: 3_000, expected: null },
])(
  "$what waits for what it should",
  ({
    change = {},
    runs = [1],
    isPulled = false,
    isPaused = false,
    isBreakerOpen = false,
    isLimitFull = false,
    now,
    expected,
  }) => {
    const scene = { nodes: run(runs), isPulled, isPaused, isBreakerOpen, isLimitFull };
    expect(waitingFor({ ...task, ...change } as Task, scene, now)).toBe(expected);
  },
);
