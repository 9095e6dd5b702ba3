import type { BootId } from "@tickwheel/core";

/** Who was silent at a leader's look, and in which term. */
export interface SilenceLook {
  term: number;
  suspects: ReadonlySet<BootId>;
}

/**
 * What a look says about silences that the one before did not. A leader's first look of a term says it of all present
 * nodes: what the leader before has told is in the store, which leaves out what it knows.
 */
export function silenceNews(
  before: SilenceLook | null,
  { term, suspects }: SilenceLook,
  present: readonly BootId[],
): { silent: BootId[]; recovered: BootId[] } {
  const isFirst = before === null || before.term !== term;
  const wasSuspect = (bootId: BootId): boolean => before!.suspects.has(bootId);
  return {
    silent: present.filter((bootId) => suspects.has(bootId) && (isFirst || !wasSuspect(bootId))),
    recovered: present.filter((bootId) => !suspects.has(bootId) && (isFirst || wasSuspect(bootId))),
  };
}
