import type { Note, StepEffect } from "./step-records.js";

/** All evidence about one task of the stepping handler. */
export interface StepEvidence {
  id: string;
  /** How many rows its payload asks for. */
  rows: number;
  /** As the API shows it at the end. */
  state: string;
  notes: readonly Note[];
  effects: readonly StepEffect[];
}

/**
 * What `ctx.once` and `ctx.checkpoint` promise, held against what one task's executions did: each effect is there once;
 * every answer is that of the execution which wrote the effect, and no later one worked in that step; an execution
 * began behind the last checkpoint that was acknowledged before, and behind none that nobody wrote. Pure, and it
 * compares fences, not instants.
 *
 * @returns the broken promises, one sentence each; empty if all are kept
 */
export function stepFaultsOf(evidence: StepEvidence): string[] {
  const { id, state } = evidence;
  const ending = state === "succeeded" ? [] : [`is ${state}`];
  return [...ending, ...effectFaults(evidence), ...checkpointFaults(evidence)].map((fault) => `task ${id} ${fault}`);
}

function effectFaults({ rows, notes, effects }: StepEvidence): string[] {
  const steps = ["first", ...Array.from({ length: rows }, (_, index) => `row ${index + 1}`)];
  return steps.flatMap((step) => {
    const written = effects.filter((effect) => effect.step === step);
    if (written.length !== 1) return [`has ${written.length} effects of the step ${step}`];
    const [{ fence }] = written as [StepEffect];
    const ofStep = notes.filter((note) => note.step === step);
    return ofStep.flatMap((note) => {
      if (note.what === "answered" && note.value !== fence)
        return [`was told of fence ${note.value} by the step ${step}, which fence ${fence} wrote`];
      if (note.what === "works" && note.fence > fence)
        return [`worked at fence ${note.fence} in the step ${step}, which fence ${fence} wrote`];
      return [];
    });
  });
}

function checkpointFaults({ notes }: StepEvidence): string[] {
  const greatest = (what: Note["what"], before: number): number =>
    Math.max(0, ...notes.filter((note) => note.what === what && note.fence < before).map(({ value }) => value!));
  return notes
    .filter(({ what }) => what === "began")
    .flatMap(({ fence, value }) => {
      const acknowledged = greatest("checkpointed", fence);
      const asked = greatest("checkpoints", fence);
      if (value! >= acknowledged && value! <= asked) return [];
      return [`began at row ${value} at fence ${fence}; ${acknowledged} was acknowledged, ${asked} asked for`];
    });
}
