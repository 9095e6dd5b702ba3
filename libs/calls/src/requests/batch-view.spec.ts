import { describe, expect, test } from "@jest/globals";
import type { Batch, BatchCounts, FollowUp } from "@tickwheel/core";
import { toBatchView } from "./batch-view.js";
import { asDate } from "./task-view.js";

const NO_MEMBERS: BatchCounts = { total: 0, succeeded: 0, dead: 0, cancelled: 0, expired: 0 };
const BATCH: Batch = {
  id: "b",
  namespace: "default",
  name: null,
  state: "filling",
  counts: NO_MEMBERS,
  shards: null,
  createdAt: 1_000,
  createdBy: "tester",
  sealedAt: null,
  finishedAt: null,
  deadlineAt: null,
  deadlineCheckedAt: null,
  leftovers: null,
  retryingSince: null,
  stop: null,
  isStopping: false,
  onComplete: null,
  onSuccess: null,
  onCompleteId: null,
  onSuccessId: null,
  failFast: false,
  retryDead: false,
};
const view = (change: Partial<Batch>) => toBatchView({ ...BATCH, ...change }, asDate);

describe("the view of a batch", () => {
  test("the view of a batch has every field, with Dates", () => {
    const named = [{ id: "t", type: "settle.shop", key: "7", state: "running" as const }];
    const followUp = { type: "settle.report" } as FollowUp;
    const shown = view({
      name: "settle",
      state: "complete",
      shards: 4,
      failFast: true,
      sealedAt: 2_000,
      finishedAt: 9_000,
      counts: { total: 10, succeeded: 4, dead: 1, cancelled: 2, expired: 1 },
      deadlineAt: 5_000,
      deadlineCheckedAt: 5_100,
      leftovers: { count: 3, named },
      stop: { reason: "FAIL_FAST", at: 6_000, by: "batch" },
      isStopping: true,
      retryingSince: 7_000,
      onComplete: followUp,
      onSuccess: followUp,
      onCompleteId: "f",
    });
    expect(shown).toEqual({
      id: "b",
      name: "settle",
      state: "complete",
      shards: 4,
      createdAt: new Date(1_000),
      createdBy: "tester",
      counts: { total: 10, live: 2, succeeded: 4, dead: 1, cancelled: 2, expired: 1 },
      progress: 0.8,
      sealedAt: new Date(2_000),
      finishedAt: new Date(9_000),
      deadlineAt: new Date(5_000),
      overdue: true,
      leftovers: { count: 3, named },
      failFast: true,
      retryDead: false,
      stop: { reason: "FAIL_FAST", at: new Date(6_000), by: "batch" },
      isStopping: true,
      retryingSince: new Date(7_000),
      onComplete: { type: "settle.report", taskId: "f" },
      onSuccess: { type: "settle.report", taskId: null },
    });
  });

  test("an empty batch has no progress while it fills, and all of it afterwards", () => {
    expect(view({ state: "filling" }).progress).toBeNull();
    expect(view({ state: "open" }).progress).toBe(1);
    expect(view({ state: "complete" }).progress).toBe(1);
    expect(view({ counts: { ...NO_MEMBERS, total: 3 } }).progress).toBe(0);
  });

  test("a batch is overdue once its deadline was looked at and something was not done", () => {
    expect(view({ deadlineAt: 5_000 }).overdue).toBe(false);
    expect(view({ deadlineCheckedAt: 5_000, leftovers: { count: 0, named: [] } }).overdue).toBe(false);
    expect(view({ deadlineCheckedAt: 5_000, leftovers: { count: 1, named: [] } }).overdue).toBe(true);
  });
});
