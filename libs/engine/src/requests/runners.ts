import type { BootId, LastRunner, Runners, TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { ClusterReport } from "./requests.js";

/** The nodes of the view that run a type. */
export function runnersIn({ nodes }: Pick<Ownership, "nodes">, typeId: TypeId): BootId[] {
  return nodes.filter(({ typeIds }) => typeIds.includes(typeId)).map(({ bootId }) => bootId);
}

/** How busy these nodes are, by their last beats. */
export function placesOn(runners: readonly BootId[], { nodes }: Pick<ClusterReport, "nodes">): Runners {
  const told = nodes.filter(({ bootId }) => runners.includes(bootId));
  const sum = (of: "inFlight" | "places"): number => told.reduce((total, node) => total + node[of], 0);
  return { count: runners.length, inUse: sum("inFlight"), places: sum("places"), last: null };
}

/** The last node that ran a type which no live node runs; null: it is not on record. */
export function lastRunnerOf(type: string, { gone }: Pick<ClusterReport, "gone">): LastRunner | null {
  const last = gone?.find(({ orphanedTypes }) => orphanedTypes.includes(type));
  return last ? { node: last.label, how: last.how, at: last.at } : null;
}
