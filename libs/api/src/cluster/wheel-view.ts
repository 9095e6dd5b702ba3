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
  nextDueAt: string | null;
}

export function toWheelView(wheel: ClusterWheel): ClusterWheelView {
  const { countedAt, view, incomplete, capacity, all, fullest, nodes, otherNodes, nobody } = wheel;
  return {
    ...{ countedAt: instantOf(countedAt), view, incomplete, capacity, all: shareView(all), fullest },
    nodes: nodes.map(({ bootId, label, inMemory, ...share }) => ({ bootId, label, inMemory, ...shareView(share) })),
    ...{ otherNodes, nobody: shareView(nobody) },
  };
}

function shareView({ seconds, overdue, nextDueAt }: Share): ShareView {
  return {
    seconds,
    overdue: Math.min(overdue, MAX_COUNTED_OVERDUE),
    nextDueAt: nextDueAt === null ? null : instantOf(nextDueAt),
  };
}

function instantOf(at: EpochMs): string {
  return new Date(at).toISOString();
}
