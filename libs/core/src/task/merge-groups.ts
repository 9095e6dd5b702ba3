import type { NewTask, TypeId } from "./task.js";

/** A requested task, and the place of its result. */
export interface RequestedTask {
  place: number;
  task: NewTask;
}

/** Names the key of a task in memory. Tasks without a key have no name that counts. */
export function keyNameOf({ typeId, key }: { typeId: TypeId; key: string | null }): string {
  return `${typeId}\0${key}`;
}

/**
 * How many merges of one key and one call that do not fit are found one by one. Further ones that do not fit together
 * are refused together.
 */
const MOST_MISFITS = 8;

/**
 * The answer to one of several merges of one call that are refused.
 *
 * @param entries those that were refused together
 */
export function rejectedAmong<Rejected extends object>(
  entries: readonly RequestedTask[],
  rejected: Rejected,
): Rejected & { isUntried?: true } {
  return entries.length > 1 ? { ...rejected, isUntried: true } : rejected;
}

/**
 * Which merges of one call are folded together, after some did not fit: what they came to was too large, had too many
 * digits, or was refused by the application. Such merges are tried again in halves, and their halves in halves, until
 * those are found that do not fit by themselves. So each of them is answered as if it had come alone, one after the
 * other, and a single one that does not fit among n others takes 2 log n further folds.
 *
 * Bounded: after eight misfits of a key, merges of it that do not fit together are refused together. So a call of n
 * merges takes about 16 log n folds more for each key at most, whatever is in it.
 */
export class MergeGroups {
  private readonly groups = new Map<RequestedTask, object>();
  private readonly misfits = new Map<string, number>();

  /** Whether two merges may still be folded together. */
  areTogether(one: RequestedTask, other: RequestedTask): boolean {
    return this.groups.size === 0 || this.groups.get(one) === this.groups.get(other);
  }

  /**
   * What is to be tried again of merges of one key that do not fit together.
   *
   * @returns their halves; null: they are refused, all of them
   */
  halvesOf(entries: readonly RequestedTask[]): readonly (readonly RequestedTask[])[] | null {
    const key = keyNameOf(entries[0]!.task);
    const misfits = this.misfits.get(key) ?? 0;
    if (entries.length === 1) this.misfits.set(key, misfits + 1);
    if (entries.length === 1 || misfits >= MOST_MISFITS) return null;
    const middle = Math.ceil(entries.length / 2);
    const halves = [entries.slice(0, middle), entries.slice(middle)];
    for (const half of halves) {
      const group = {};
      for (const entry of half) this.groups.set(entry, group);
    }
    return halves;
  }
}
