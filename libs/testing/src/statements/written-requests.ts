import {
  type CreateResult,
  MergeGroups,
  type MergeMisfit,
  mergePath,
  rejectedAmong,
  type RequestedTask,
  type Task,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";

/** What one request has written so far. */
export class Written {
  readonly results = new Map<number, CreateResult>();
  /** The tasks that hold the keys which its transaction has locked, by `keyNameOf`. */
  readonly holders = new Map<string, Task>();
  /** What became of tasks that may have been told of before, by id. */
  readonly changed = new Map<string, Task>();
  /** Which merges do not fit together. */
  readonly groups = new MergeGroups();

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

/** Refuses judged merges, if they are not to be tried again in smaller groups. Answers those that are. */
export function refused(
  written: Written,
  entries: readonly RequestedTask[],
  { misfit, existingId }: Refusal,
): readonly RequestedTask[] {
  if (written.groups.halvesOf(entries)) return entries;
  const { code, faults } = misfit;
  const path = code === "MERGE_CONFLICT" ? { path: mergePath(null) } : {};
  const rejected = rejectedAmong(entries, { outcome: "rejected", code, existingId, ...path, faults } as const);
  for (const { place } of entries) written.results.set(place, rejected);
  return [];
}
