import { type CreateResult, type MergeMisfit, mergePath, type RequestedTask, type Task } from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";

/** What one request has written so far. */
export class Written {
  readonly results = new Map<number, CreateResult>();
  /** Of the keys that its transaction has locked, by `keyNameOf`. */
  readonly holders = new Map<string, Task>();
  /** What became of tasks that may have been told of before, by id. */
  readonly changed = new Map<string, Task>();
  /** Merges that cannot be written together, each of which is written by itself. */
  readonly alone = new Set<RequestedTask>();

  constructor(readonly namespace: string) {}

  /** The results in their order, each with its task as the whole request left it. */
  inTheEnd(count: number): CreateResult[] {
    return Array.from({ length: count }, (_, place) => {
      const result = this.results.get(place)!;
      const task = result.outcome === "rejected" ? undefined : this.changed.get(result.task.id);
      return task ? { ...result, task: copyOf(task) } : result;
    });
  }
}

/** Why judged merges are not written. */
export interface Refusal {
  misfit: MergeMisfit;
  existingId: string;
}

/** Refuses a judged merge. Of several none is: each is to be written by itself, and is answered. */
export function refused(
  written: Written,
  entries: readonly RequestedTask[],
  { misfit, existingId }: Refusal,
): readonly RequestedTask[] {
  if (entries.length > 1) return writtenAlone(written, entries);
  const { code, faults } = misfit;
  const path = code === "MERGE_CONFLICT" ? { path: mergePath(null) } : {};
  written.results.set(entries[0]!.place, { outcome: "rejected", code, existingId, ...path, faults });
  return [];
}

/** Merges that do not fit together: each is to be written by itself. */
export function writtenAlone({ alone }: Written, entries: readonly RequestedTask[]): readonly RequestedTask[] {
  for (const entry of entries) alone.add(entry);
  return entries;
}
