import {
  type BootId,
  type Capacity,
  type EpochMs,
  type SlotOwners,
  type ViewNode,
  WHEEL_SECONDS,
  type WheelReading,
  type WheelSecond,
  type WheelShare,
} from "@tickwheel/core";
import type { ClusterStatus } from "@tickwheel/coordination";

/** How many nodes are told, those with most to come first. */
export const MAX_WHEEL_NODES = 100;
/** How many of the fullest seconds are told. */
export const MAX_FULLEST = 10;

/** The minute to come of the whole cluster. */
export interface ClusterWheel {
  countedAt: EpochMs;
  /** The view whose nodes have the shares; 0: there is no view yet. */
  view: number;
  /** There is more than was counted, or shares are not known of all types. */
  incomplete: boolean;
  capacity: Capacity;
  /** The share of all nodes, and of what nobody owns. */
  all: Share;
  /** Most first. */
  fullest: (WheelSecond & { inS: number })[];
  /** The shares of the nodes in the view. */
  nodes: NodeShare[];
  /** Nodes that are not told. */
  otherNodes: number;
  /** What no node owns: no node in the view runs its type. */
  nobody: Share;
}

export interface Share {
  /** By second. */
  seconds: number[];
  overdue: number;
  nextDueAt: EpochMs | null;
}

export interface NodeShare extends Share {
  bootId: BootId;
  label: string;
  /** Entries in its wheel, as of its newest beat; null: no beat of it is known. */
  inMemory: number | null;
}

interface Seen {
  owners: SlotOwners;
  nodes: readonly ViewNode[];
  status: Pick<ClusterStatus, "nodes">;
  capacity: Capacity;
}

/** The wheel of what was counted, for the nodes that it was counted for. */
export function clusterWheelOf(reading: WheelReading, { owners, nodes, status, capacity }: Seen): ClusterWheel {
  const shareOf = (owner: number | null): Share => told(reading.shares.filter((share) => share.owner === owner));
  const inMemory = new Map(status.nodes.map(({ bootId, vitals }) => [bootId, vitals?.wheelSize ?? null]));
  const shares = nodes.map(({ bootId, label }, place): NodeShare => ({
    bootId,
    label,
    inMemory: inMemory.get(bootId) ?? null,
    ...shareOf(place),
  }));
  const most = shares.sort((one, other) => sumOf(other.seconds) - sumOf(one.seconds)).slice(0, MAX_WHEEL_NODES);
  return {
    countedAt: reading.countedAt,
    view: owners.viewNumber,
    incomplete: reading.incomplete || !owners.isWhole,
    capacity,
    all: { ...told(reading.shares), seconds: reading.seconds.map(({ due }) => due) },
    fullest: fullestOf(reading.seconds),
    nodes: most,
    otherNodes: shares.length - most.length,
    nobody: shareOf(null),
  };
}

function told(shares: readonly WheelShare[]): Share {
  const seconds = Array.from({ length: WHEEL_SECONDS }, () => 0);
  for (const { dues } of shares) dues.forEach((due, second) => (seconds[second]! += due));
  const next = shares.flatMap(({ nextDueAt }) => nextDueAt ?? []);
  const overdue = shares.reduce((sum, share) => sum + share.overdue, 0);
  return { seconds, overdue, nextDueAt: next.length === 0 ? null : Math.min(...next) };
}

function fullestOf(seconds: readonly WheelSecond[]): ClusterWheel["fullest"] {
  return seconds
    .map((second, index) => ({ inS: index + 1, ...second }))
    .filter(({ due }) => due > 0)
    .sort((one, other) => other.due - one.due || one.inS - other.inS)
    .slice(0, MAX_FULLEST);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
