import { type ClusterEvent, type ClusterEventStore, lastBeatAt } from "@tickwheel/core";
import type { GoneNode } from "../requests/requests.js";

const GONE_WITHIN_MS = 24 * 3_600_000;
/** A report tells of so many nodes that are gone at most. */
const MAX_GONE = 100;

/** The nodes that left within the last day. Null: nobody keeps that, or the store does not answer. */
export async function readGone(
  events: Pick<ClusterEventStore, "page"> | undefined,
  nowMs: number,
): Promise<GoneNode[] | null> {
  const query = { kinds: ["DEAD", "LEFT"] as const, from: Math.floor(nowMs - GONE_WITHIN_MS), limit: MAX_GONE };
  const page = await events?.page(query).catch(() => null);
  return page ? goneNodes(page.events) : null;
}

/** The nodes of the events that are deaths or goodbyes. */
export function goneNodes(events: readonly ClusterEvent[]): GoneNode[] {
  return events.flatMap((event): GoneNode[] => {
    const { kind, bootId, label, name, at, facts } = event;
    if ((kind !== "DEAD" && kind !== "LEFT") || bootId === null) return [];
    return [{ bootId, label, name, how: kind, at, lastBeatAt: lastBeatAt(event), orphanedTypes: facts.orphanedTypes }];
  });
}
