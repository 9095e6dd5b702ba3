import { expect, test } from "@jest/globals";
import type { Pause } from "@tickwheel/core";
import { taskDefaults } from "@tickwheel/engine";
import { toTypeDetails } from "./type-details-view.js";

const UNSET = { concurrency: null, keepSucceededMs: null, keepCancelledMs: null, keepDeadMs: null };
const FREE = { ...UNSET, limits: null, isLimitFull: false, breaker: null, pause: null };
const STANDS = {
  settings: { concurrency: null, keepSucceeded: null, keepCancelled: null, keepDead: null },
  limits: null,
  breaker: null,
  pause: null,
};
const OF_NOBODY = { defaults: taskDefaults({}) };
const BACKOFF = { kind: "exponential", initial: 1_000, max: 3_600_000, jitter: 0.2 };
const DEFAULTS = { maxAttempts: 3, priority: 5, backoff: BACKOFF, timeout: 60_000, startDeadline: null };
const PAUSE: Pause = {
  namespace: "shop",
  typeId: 7,
  key: null,
  pausedAt: 0,
  until: 60_000,
  reason: "a bad deploy",
  pausedBy: "key:1",
};

test("the announcement of a type is shown as an object", () => {
  const shown = toTypeDetails("t", FREE, {
    payloadSchema: '{"type":"object"}',
    payloadVersion: 3,
    defaults: taskDefaults({
      maxAttempts: 7,
      priority: 1,
      timeoutMs: 90_000,
      startDeadlineMs: 1_000,
      backoff: { kind: "fixed", delayMs: 5_000 },
    }),
  });
  const backoff = { kind: "fixed", delay: 5_000 };
  const defaults = { maxAttempts: 7, priority: 1, backoff, timeout: 90_000, startDeadline: 1_000 };
  expect(shown).toEqual({ type: "t", payloadSchema: { type: "object" }, payloadVersion: 3, defaults, ...STANDS });
});

test.each([{}, { payloadSchema: "{" }])(
  "the documented defaults alone are shown of a type that announces %j",
  (policy) => {
    expect(toTypeDetails("t", FREE, { ...policy, ...OF_NOBODY })).toEqual({
      type: "t",
      payloadSchema: null,
      payloadVersion: null,
      defaults: DEFAULTS,
      ...STANDS,
    });
  },
);

test("a type's pause says who, since when, until when and why; a pause of the namespace names no type", () => {
  const told = { since: "1970-01-01T00:00:00.000Z", until: "1970-01-01T00:01:00.000Z", reason: "a bad deploy" };
  const shown = toTypeDetails(
    "t",
    {
      ...FREE,
      concurrency: 5,
      keepSucceededMs: 0,
      keepCancelledMs: 7_200_000,
      keepDeadMs: 3_600_000,
      pause: PAUSE,
    },
    OF_NOBODY,
  );
  const settings = { concurrency: 5, keepSucceeded: 0, keepCancelled: 7_200_000, keepDead: 3_600_000 };
  expect(shown).toMatchObject({ settings, pause: { type: "t", key: null, by: "key:1", ...told } });
  const ofNamespace = toTypeDetails("t", { ...FREE, pause: { ...PAUSE, typeId: null, until: null } }, OF_NOBODY);
  expect(ofNamespace.pause).toMatchObject({ type: null, until: null });
});

test("a type's limits say how much of them is used, and nothing else", () => {
  const limits = { maxRunning: 5, running: 3, rate: { count: 100, perMs: 1_000, burst: 20 }, tokens: 7 };
  expect(toTypeDetails("t", { ...FREE, limits, isLimitFull: true }, OF_NOBODY)).toEqual({
    type: "t",
    payloadSchema: null,
    payloadVersion: null,
    defaults: DEFAULTS,
    ...STANDS,
    limits,
  });
});

test("a type's open breaker says since when, until when, and who tries", () => {
  const breaker = { state: "HALF_OPEN", since: 0, until: 60_000, failedTrials: 2, node: "10.0.0.1:7" } as const;
  const told = { since: "1970-01-01T00:00:00.000Z", until: "1970-01-01T00:01:00.000Z" };
  expect(toTypeDetails("t", { ...FREE, breaker }, OF_NOBODY).breaker).toEqual({ ...breaker, ...told });
});
