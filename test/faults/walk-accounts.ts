import type { StepEvidence } from "./step-accounts.js";

/**
 * What `ctx.walk` promises, held against what one task's executions did: each row was done once; an execution began
 * right behind the rows that were committed before it; and none worked at a page that an earlier one had committed.
 * Pure, and it compares fences, not instants: a page is committed under the lock of the task's row, so what an earlier
 * execution has committed is there before a later one begins.
 *
 * @returns the broken promises, one sentence each; empty if all are kept
 */
export function walkFaultsOf(evidence: StepEvidence): string[] {
  const { id, state } = evidence;
  const ending = state === "succeeded" ? [] : [`is ${state}`];
  return [...ending, ...rowFaults(evidence), ...placeFaults(evidence)].map((fault) => `task ${id} ${fault}`);
}

function rowFaults({ rows, effects }: StepEvidence): string[] {
  return Array.from({ length: rows }, (_, index) => `row ${index + 1}`).flatMap((row) => {
    const times = effects.filter(({ step }) => step === row).length;
    return times === 1 ? [] : [`did ${row} ${times} times`];
  });
}

function placeFaults({ notes, effects }: StepEvidence): string[] {
  const committedBefore = (fence: number): number => effects.filter((effect) => effect.fence < fence).length;
  return notes.flatMap(({ what, fence, value }) => {
    const committed = committedBefore(fence);
    if (what === "began" && value !== committed)
      return [`began at row ${value} at fence ${fence}; ${committed} were committed before`];
    if (what === "works" && value! < committed)
      return [`worked from row ${value} on at fence ${fence}; ${committed} were committed before`];
    return [];
  });
}
