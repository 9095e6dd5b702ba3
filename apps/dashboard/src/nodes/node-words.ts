import type { ClusterNode } from "../api/wire.js";
import { formatDuration } from "../time/format.js";

/** From when on a node's figure is marked. */
export const limits = {
  /** Three missed beats make a node suspect. */
  heartbeatAgeMs: 3_000,
  loopLagMs: 100,
  clockOffsetMs: 500,
} as const;

export function isTooMuch(value: number | null, limit: number): boolean {
  return value !== null && Math.abs(value) > limit;
}

/** `Its loop is blocked for 14 s by report × 2.` */
export function blockedWords({ forMs, running }: NonNullable<ClusterNode["blocked"]>): string {
  const by = running.map(({ type, count }) => (count === 1 ? type : `${type} × ${count}`)).join(", ");
  return `Its loop is blocked for ${formatDuration(forMs)}${by === "" ? "; no handler runs" : ` by ${by}`}.`;
}
