import type { BootId } from "@tickwheel/core";
import type { KnownView } from "./view-choice.js";

/** A view without this node must be this old before it stops claiming: by then all nodes have read it. */
const VIEW_SETTLED_MS = 1_000;
/** The longest wait for that. */
export const LEAVE_LIMIT_MS = 3_000;

interface LeavingInput {
  bootId: BootId;
  known: KnownView | null;
  nowMonoMs: number;
  /** When this node asked to be left out. */
  askedMonoMs: number;
}

/**
 * [orderly-drain]: whether a leaving node may stop claiming. The others must first have had time to learn that its
 * slots are theirs, if there are others; otherwise tasks that fall due meanwhile wait to be stolen. It may stop in any
 * case after {@link LEAVE_LIMIT_MS}.
 */
export function mayStopClaiming({ bootId, known, nowMonoMs, askedMonoMs }: LeavingInput): boolean {
  if (nowMonoMs - askedMonoMs >= LEAVE_LIMIT_MS || known === null) return true;
  const { nodes } = known.view;
  if (nodes.some((node) => node.bootId === bootId)) return false;
  return nodes.length === 0 || nowMonoMs - known.sinceMonoMs >= VIEW_SETTLED_MS;
}
