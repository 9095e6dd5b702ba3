/** The view that a node loads by, as far as it matters to the entries of the view before. */
export interface LoadedView {
  readonly number: number;
  /** When the first load by it began. */
  readonly sinceMonoMs: number;
  /** Whether entries of the view before may still be there. */
  readonly holdsForeign: boolean;
}

/** Before the first load there is nothing to drop. */
export const NO_VIEW_LOADED: LoadedView = { number: 0, sinceMonoMs: 0, holdsForeign: false };

interface LoadInput {
  viewNumber: number;
  nowMonoMs: number;
  reloadIntervalMs: number;
}

/**
 * [hand-over]: when the entries that a new view gives to others are dropped: one reload interval after the first load
 * by it, however often this node loads in between. By then the new owner has loaded them. Until then both nodes hold
 * them, which is harmless.
 */
export function atLoad(
  loaded: LoadedView,
  { viewNumber, nowMonoMs, reloadIntervalMs }: LoadInput,
): { loaded: LoadedView; dropsForeign: boolean } {
  if (viewNumber !== loaded.number) {
    return { loaded: { number: viewNumber, sinceMonoMs: nowMonoMs, holdsForeign: true }, dropsForeign: false };
  }
  const dropsForeign = loaded.holdsForeign && nowMonoMs - loaded.sinceMonoMs >= reloadIntervalMs;
  return { loaded: dropsForeign ? { ...loaded, holdsForeign: false } : loaded, dropsForeign };
}
