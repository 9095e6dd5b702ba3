import type { FindingValues } from "../reports/finding.js";
import type { TypeId } from "../task/task.js";
import type { SceneNode } from "./finding-scene.js";

/** Nodes that run tasks: joined, and not dead or gone. A suspect one may still be alive. */
export function presentNodes<Node extends Pick<SceneNode, "state" | "roles">>({
  nodes,
}: {
  nodes: readonly Node[];
}): Node[] {
  return nodes.filter(({ state, roles }) => PRESENT.has(state) && roles.includes("engine"));
}

const PRESENT: ReadonlySet<SceneNode["state"]> = new Set(["live", "draining", "suspect"]);

/** The node that ran this type last, of those that are gone; undefined: none is known. */
export function lastNodeOf({ nodes }: { nodes: readonly SceneNode[] }, typeId: TypeId): SceneNode | undefined {
  return nodes
    .filter(({ typeIds, endedAt }) => endedAt !== null && typeIds.includes(typeId))
    .sort((one, other) => other.endedAt! - one.endedAt!)[0];
}

/** The same as facts of a finding. */
export function lastNodeFacts(last: SceneNode | undefined): FindingValues {
  return {
    lastNode: last?.label ?? null,
    lastNodeDied: last?.state === "dead",
    lastNodeEndedAt: last ? new Date(last.endedAt!).toISOString() : null,
  };
}

/**
 * The share of a node's places that a type may take where the node has types of several namespaces, and none a limit of
 * its own.
 */
const SHARE_OF_ONE = 0.8;

/** Whether tasks may have to wait for a place on this node, although some are kept for other types and namespaces. */
export function isFull({ places, inFlight }: { places: number; inFlight: number }): boolean {
  return places > 0 && inFlight >= Math.max(1, Math.floor(places * SHARE_OF_ONE));
}
