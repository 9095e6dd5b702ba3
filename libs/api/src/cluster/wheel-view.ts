import { type Capacity, type EpochMs, MAX_COUNTED_OVERDUE } from "@tickwheel/core";
import type { ClusterWheel, Share } from "@tickwheel/engine";

/** `GET /cluster/wheel` as a client sees it. */
export interface ClusterWheelView {
  countedAt: string;
  view: number;
  incomplete: boolean;
  capacity: Capacity;
  all: ShareView;
  fullest: ClusterWheel["fullest"];
  nodes: (ShareView & { bootId: string; label: string; inMemory: number | null })[];
  otherNodes: number;
  nobody: ShareView;
}

export interface ShareView {
  seconds: number[];
  overdue: number;
  /** Counting ended before all overdue tasks were seen: there may be more. */
  overdueAtLeast: boolean;
  nextDueAt: string | null;
}

export function toWheelView(wheel: ClusterWheel): ClusterWheelView {
  const { countedAt, view, incomplete, capacity, all, fullest, nodes, otherNodes, nobody } = wheel;
  // They are counted of all shares together.
  const overdueAtLeast = all.overdue > MAX_COUNTED_OVERDUE;
  const shown = (share: Share): ShareView => ({ ...shareView(share), overdueAtLeast });
  return {
    countedAt: instantOf(countedAt),
    view,
    incomplete,
    capacity,
    all: shown(all),
    fullest,
    nodes: nodes.map(({ bootId, label, inMemory, ...share }) => ({ bootId, label, inMemory, ...shown(share) })),
    otherNodes,
    nobody: shown(nobody),
  };
}

function shareView({ seconds, overdue, nextDueAt }: Share): Omit<ShareView, "overdueAtLeast"> {
  return {
    seconds,
    overdue: Math.min(overdue, MAX_COUNTED_OVERDUE),
    nextDueAt: nextDueAt === null ? null : instantOf(nextDueAt),
  };
}

function instantOf(at: EpochMs): string {
  return new Date(at).toISOString();
}
