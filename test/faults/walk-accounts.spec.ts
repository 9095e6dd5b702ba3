import { describe, expect, test } from "@jest/globals";
import type { StepEvidence } from "./step-accounts.js";
import type { Note, StepEffect } from "./step-records.js";
import { walkFaultsOf } from "./walk-accounts.js";

const note = (fence: number, what: Note["what"], value: number | null = null): Note => ({
  taskId: "t",
  node: "1",
  step: null,
  fence,
  what,
  value,
});
const effect = (row: number, fence: number): StepEffect => ({ taskId: "t", step: `row ${row}`, fence });

/** Two pages of two rows; the node died behind the first, and the next execution did the second. */
const KEPT: StepEvidence = {
  id: "t",
  rows: 4,
  state: "succeeded",
  notes: [note(1, "began", 0), note(1, "works", 0), note(2, "began", 2), note(2, "works", 2), note(2, "ended")],
  effects: [effect(1, 1), effect(2, 1), effect(3, 2), effect(4, 2)],
};

describe("the judge of walks", () => {
  test("the judge of walks finds nothing where all is kept", () => {
    expect(walkFaultsOf(KEPT)).toEqual([]);
  });

  test.each<[string, Partial<StepEvidence>]>([
    ["a task that has not succeeded", { state: "dead" }],
    ["a row that is lost", { effects: KEPT.effects.slice(0, 3) }],
    ["a row that is done twice", { effects: [...KEPT.effects, effect(4, 2)] }],
    ["an execution that begins before the last commit", { notes: [note(2, "began", 0)] }],
    ["an execution that begins behind what was never committed", { notes: [note(2, "began", 4)] }],
    ["a page that is worked at again after its commit", { notes: [...KEPT.notes, note(2, "works", 0)] }],
  ])("the judge of walks finds %s", (_what, changes) => {
    expect(walkFaultsOf({ ...KEPT, ...changes })).toHaveLength(1);
  });
});
