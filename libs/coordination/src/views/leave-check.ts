import type { BootId } from "@tickwheel/core";
import type { KnownView } from "./view-choice.js";

/** A view without this node must be this old before it stops claiming: by then everybody has read it. */
const VIEW_SETTLED_MS = 1_000;
/** No longer than this is waited for it. */
export const LEAVE_LIMIT_MS = 3_000;

interface LeavingInput {
  bootId: BootId;
  known: KnownView | null;
  nowMonoMs: number;
  /** When this node asked to be left out. */
  askedMonoMs: number;
}

/**
 * [orderly-drain]: whether a node that leaves may stop claiming. Not before the others had the time to learn that its
 * slots are theirs (or there is nobody to learn it), else what falls due meanwhile waits to be stolen; and in any case
 * after {@link LEAVE_LIMIT_MS}.
 */
export function mayStopClaiming({ bootId, known, nowMonoMs, askedMonoMs }: LeavingInput): boolean {
  if (nowMonoMs - askedMonoMs >= LEAVE_LIMIT_MS || known === null) return true;
  const { nodes } = known.view;
  if (nodes.some((node) => node.bootId === bootId)) return false;
  return nodes.length === 0 || nowMonoMs - known.sinceMonoMs >= VIEW_SETTLED_MS;
}
