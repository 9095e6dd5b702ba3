import type { CreateOutcome, ExecutionRef, KeyRun, RequestedTask, Task } from "@tickwheel/core";
import type { ReplacedTask } from "../statements/create/insert-replaced-tasks.js";
import type { CycleTask } from "../statements/create/new-rows.js";

/** A run whose key is free, or which has no key. */
export interface Insertion extends KeyRun {
  task: CycleTask;
  /** The outcome of the run's first entry. */
  outcome: CreateOutcome;
  interrupted?: ExecutionRef;
}

/** A run whose key has a holder. This transaction has locked the holder. */
export interface NextCycle extends KeyRun {
  outcome: CreateOutcome;
  holder: Task;
}

/** An entry that the next entry of its run replaces. */
export interface Replaced extends RequestedTask, ReplacedTask {
  told: Pick<Insertion, "outcome" | "interrupted">;
}

/** The entries of runs that the next entry of their run replaces. */
export function* replacedIn(runs: readonly Insertion[]): Generator<Replaced> {
  for (const { entries, outcome, interrupted } of runs) {
    if (entries[0]!.task.onConflict !== "replace") continue;
    let told: Replaced["told"] = interrupted ? { outcome, interrupted } : { outcome };
    for (const [index, { task: next }] of entries.slice(1).entries()) {
      yield { ...entries[index]!, replacedBy: next.actor, told };
      told = { outcome: "replaced" };
    }
  }
}

/** The execution of a replaced holder. If the key only goes on to the next cycle, the execution is not interrupted. */
export function interruptedBy({ outcome, holder }: NextCycle): ExecutionRef | undefined {
  const { id, state, owner, fence } = holder;
  return outcome === "replaced" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}
