import { describe, expect, test } from "@jest/globals";
import { type StepEvidence, stepFaultsOf } from "./step-accounts.js";
import type { Note, StepEffect } from "./step-records.js";

const note = (fence: number, what: Note["what"], { step = null, value = null }: Partial<Note> = {}): Note => ({
  taskId: "t",
  node: "1",
  fence,
  what,
  step,
  value,
});
const effect = (step: string, fence: number): StepEffect => ({ taskId: "t", step, fence });

/** One row; its node died behind the row's checkpoint, and the next execution ended. */
const KEPT: StepEvidence = {
  id: "t",
  rows: 1,
  state: "succeeded",
  notes: [
    note(1, "began", { value: 0 }),
    note(1, "works", { step: "row 1" }),
    note(1, "answered", { step: "row 1", value: 1 }),
    note(1, "checkpoints", { value: 1 }),
    note(1, "checkpointed", { value: 1 }),
    note(2, "began", { value: 1 }),
    note(2, "answered", { step: "first", value: 1 }),
    note(2, "ended"),
  ],
  effects: [effect("first", 1), effect("row 1", 1)],
};

describe("the judge of steps and checkpoints", () => {
  test("the judge of steps and checkpoints finds nothing where all is kept", () => {
    expect(stepFaultsOf(KEPT)).toEqual([]);
  });

  test.each<[string, Partial<StepEvidence>]>([
    ["a task that has not succeeded", { state: "dead" }],
    ["an effect that is lost", { effects: [effect("first", 1)] }],
    ["an effect that is there twice", { effects: [...KEPT.effects, effect("row 1", 2)] }],
    ["an answer that is not the stored one", { notes: [note(2, "answered", { step: "first", value: 2 })] }],
    ["a step that runs again after its commit", { notes: [note(2, "works", { step: "row 1" })] }],
    ["an execution that begins before the last checkpoint", { notes: [note(2, "began", { value: 0 })] }],
    ["an execution that begins behind what was never stored", { notes: [note(2, "began", { value: 2 })] }],
  ])("the judge of steps and checkpoints finds %s", (_what, { notes = [], ...other }) => {
    const before = KEPT.notes.filter(({ fence }) => fence === 1);
    expect(stepFaultsOf({ ...KEPT, ...other, notes: [...before, ...notes] })).toHaveLength(1);
  });
});
