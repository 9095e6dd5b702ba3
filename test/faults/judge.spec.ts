import { describe, expect, test } from "@jest/globals";
import { type Evidence, invariantsOf } from "../support/invariants.js";
import type { Start } from "../support/ledger.js";

const start = (change: Partial<Start> = {}): Start => ({
  taskId: "a",
  type: "order",
  node: "1",
  fence: 1,
  attempt: 1,
  atMs: 1_000,
  dueAtMs: 1_000,
  createdAtMs: 0,
  ...change,
});
const effect = { taskId: "a", node: "1", fence: 1, atMs: 1_001 };
const clean: Evidence = {
  acknowledged: [{ id: "a", cancel: null }],
  starts: [start()],
  effects: [effect],
  returns: new Map(),
};

describe("the list of invariants", () => {
  test("the list of broken invariants is empty if each task has run once and on time", () => {
    expect(invariantsOf(clean)).toEqual([]);
  });

  test.each<[string, Partial<Evidence>, RegExp]>([
    ["a lost task", { effects: [] }, /^lost: task a/],
    ["a second effect", { effects: [effect, effect] }, /two effects/],
    [
      "an effect after an acknowledged cancel",
      { acknowledged: [{ id: "a", cancel: "cancelled" }] },
      /acknowledged cancel/,
    ],
    ["an effect of an execution that never started", { effects: [{ ...effect, fence: 2 }] }, /never started/],
    ["an early start", { starts: [start({ atMs: 998 })] }, /2\.0 ms early/],
    [
      "one claim that started twice",
      { starts: [start(), start({ node: "2" })], returns: new Map([["a", 1]]) },
      /started twice/,
    ],
    [
      "a second start that the journal does not know",
      { starts: [start(), start({ fence: 2 })] },
      /its journal tells of 0/,
    ],
  ])("the list of broken invariants names %s", (_name, planted, fault) => {
    expect(invariantsOf({ ...clean, ...planted })).toEqual([expect.stringMatching(fault)]);
  });

  test("the judge accepts a further start that the journal explains, and either end of a task with a cancel only requested", () => {
    const starts = [start(), start({ fence: 2, node: "2" })];
    expect(invariantsOf({ ...clean, starts, returns: new Map([["a", 1]]) })).toEqual([]);
    const requested = { ...clean, acknowledged: [{ id: "a", cancel: "cancel_requested" as const }] };
    expect(invariantsOf(requested)).toEqual([]);
    expect(invariantsOf({ ...requested, effects: [] })).toEqual([]);
  });
});
