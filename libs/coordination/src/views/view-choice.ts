import type { View } from "@tickwheel/core";

/** A view that a node goes by. */
export interface KnownView {
  readonly view: View;
  readonly sinceMonoMs: number;
}

/** What a node knows of views. */
export interface ViewKnowledge {
  readonly known: KnownView | null;
  /** The last view in the store, if that is not the known view. */
  readonly doubtful: View | null;
}

export const NO_VIEW_KNOWN: ViewKnowledge = { known: null, doubtful: null };

/** [newest-view]: a view that was published here, or heard of, is followed if it is newer. */
export function afterHearing(knowledge: ViewKnowledge, view: View, nowMonoMs: number): ViewKnowledge {
  return isNewer(view, knowledge) ? { ...knowledge, known: { view, sinceMonoMs: nowMonoMs } } : knowledge;
}

/**
 * [newest-view]: a view read from the store is followed if it is newer, or if the store shows it twice in a row. A
 * promoted standby may have lost views, and the next one then reuses a number. A single older reading may only be late.
 */
export function afterReading(knowledge: ViewKnowledge, read: View, nowMonoMs: number): ViewKnowledge {
  const { known, doubtful } = knowledge;
  if (known !== null && isSameView(read, known.view)) return { known, doubtful: null };
  const isConfirmed = doubtful !== null && isSameView(read, doubtful);
  if (isNewer(read, knowledge) || isConfirmed) return { known: { view: read, sinceMonoMs: nowMonoMs }, doubtful: null };
  return { known, doubtful: read };
}

function isNewer(view: View, { known }: ViewKnowledge): boolean {
  return known === null || view.number > known.view.number;
}

/** Two views with the same number may differ: each was published once, at its own time. */
function isSameView(one: View, other: View): boolean {
  return one.number === other.number && one.term === other.term && one.publishedAt === other.publishedAt;
}
