import type { Cluster, ClusterEvent } from "../api/wire.js";
import { formatCount, formatNumberOf } from "../time/format.js";

/** Since when the present leader leads, as an ISO 8601 text; null: no event tells of its term. Pure. */
export function leadsSince({ leader }: Pick<Cluster, "leader">, events: readonly ClusterEvent[]): string | null {
  const isIts = (event: ClusterEvent): boolean =>
    event.kind === "TERM" && event.facts.term === leader?.term && event.node?.bootId === leader.bootId;
  return events.find(isIts)?.at ?? null;
}

/**
 * `3 of 3 nodes live, which share all 4,096 slots.` Each type's slots fall to the nodes of the view that run it, so
 * none is without an owner while one of these lives. Without who leads, which the page adds. Pure.
 */
export function clusterSentence({ nodes, slots }: Pick<Cluster, "nodes" | "slots">): string {
  const live = nodes.filter(({ state }) => state === "live").length;
  const liveText = `${formatCount(live)} of ${formatNumberOf(nodes.length, "node")} live`;
  if (live === 0) return `${liveText}: no slot has a live owner.`;
  return `${liveText}, which ${live === 1 ? "has" : "share"} all ${formatNumberOf(slots, "slot")}.`;
}
