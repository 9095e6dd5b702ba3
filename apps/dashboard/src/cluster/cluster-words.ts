import type { ClusterEvent } from "../api/cluster-wire.js";
import type { Cluster } from "../api/wire.js";
import { formatCount, formatNumberOf } from "../time/format.js";

/** Since when the present leader leads, as an ISO 8601 text; null: no event tells of its term. Pure. */
export function leadsSince({ leader }: Pick<Cluster, "leader">, events: readonly ClusterEvent[]): string | null {
  const isIts = (event: ClusterEvent): boolean =>
    event.kind === "TERM" && event.facts.term === leader?.term && event.node?.bootId === leader.bootId;
  return events.find(isIts)?.at ?? null;
}

/** `3 of 3 nodes live, 4,096 slots, all owned.` Without who leads, which the page adds. Pure. */
export function clusterSentence({ nodes, slots }: Pick<Cluster, "nodes" | "slots">): string {
  const live = nodes.filter(({ state }) => state === "live").length;
  const owned = nodes.reduce((sum, { state, ownedSlots }) => sum + (state === "dead" ? 0 : (ownedSlots ?? 0)), 0);
  const ownedText = owned >= slots ? "all owned" : `${formatCount(owned)} of them owned`;
  return `${formatCount(live)} of ${formatNumberOf(nodes.length, "node")} live, ${formatNumberOf(slots, "slot")}, ${ownedText}.`;
}
