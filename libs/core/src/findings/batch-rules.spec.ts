import { describe, expect, test } from "@jest/globals";
import type { TroubledBatch, TroubledBatches } from "../reports/troubled-batches.js";
import { causesOf } from "./finding-rules.js";
import type { FindingScene } from "./finding-scene.js";

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function batch(changes: Partial<TroubledBatch> = {}): TroubledBatch {
  return {
    id: "1",
    name: "settlement",
    at: NOW - HOUR_MS,
    left: 3,
    missing: 2,
    total: 10,
    isComplete: true,
    onComplete: "report",
    ...changes,
  };
}

function troubled(changes: Partial<TroubledBatches> = {}): TroubledBatches {
  const batches = changes.batches ?? [batch()];
  return { trouble: "OVERDUE", namespace: "shop", count: batches.length, batches, ...changes };
}

function causes(...troubledBatches: TroubledBatches[]): ReturnType<typeof causesOf> {
  const scene: FindingScene = {
    nowMs: NOW,
    self: { label: "a", postgresAwayForMs: null, redis: "works" },
    leader: null,
    nodes: [],
    types: [],
    policyConflicts: [],
    settings: null,
    breakers: [],
    stalledSchedules: [],
    troubledBatches,
    unseenDead: [],
    troubledOperations: [],
    typesCountedAt: NOW,
    unsafeSettings: [],
    heldSnapshots: [],
    overCapacity: null,
    limits: { suspectAfterMs: 3_000, deadAfterMs: 7_000, sweepMs: 1_000 },
  };
  return causesOf(scene).filter(({ code }) => code.startsWith("BATCH_"));
}

describe("a batch past its deadline", () => {
  test("a batch past its deadline is told with what was left then, what is missing now, and its end", () => {
    expect(causes(troubled())).toEqual([
      {
        code: "BATCH_OVERDUE",
        severity: "warning",
        subject: "shop",
        namespace: "shop",
        facts: {
          batches: ["settlement"],
          batchIds: ["1"],
          batchCount: 1,
          areMoreBatches: false,
          deadlineAt: new Date(NOW - HOUR_MS).toISOString(),
          left: 3,
          missing: 2,
          total: 10,
          isComplete: true,
          onComplete: "report",
        },
      },
    ]);
  });

  test("a batch past its deadline is one finding with all others of its namespace, which tells the latest deadline", () => {
    const batches = [batch({ at: NOW - 2 * HOUR_MS }), batch({ id: "2", name: null })];
    const [told, ...rest] = causes(troubled({ batches, count: 101 }));
    expect(rest).toEqual([]);
    expect(told!.facts).toEqual({
      batches: ["settlement", "2"],
      batchIds: ["1", "2"],
      batchCount: 101,
      areMoreBatches: true,
      deadlineAt: new Date(NOW - HOUR_MS).toISOString(),
    });
  });
});

describe("a batch that nobody seals", () => {
  test("batches that nobody seals are told with the age of the oldest, beside batches past their deadline, by namespace", () => {
    const batches = [batch({ at: NOW - 30 * HOUR_MS }), batch({ id: "2", at: NOW - 25 * HOUR_MS })];
    const told = causes(troubled({ trouble: "UNSEALED", batches }), troubled(), troubled({ namespace: "other" }));
    expect(told.map(({ code, subject }) => [code, subject])).toEqual([
      ["BATCH_OVERDUE", "other"],
      ["BATCH_OVERDUE", "shop"],
      ["BATCH_UNSEALED", "shop"],
    ]);
    expect(told[2]!.facts).toMatchObject({ openForMs: 30 * HOUR_MS, batchCount: 2, areMoreBatches: false });
  });
});
