import type { BootId, NodeRecord, View, ViewNode } from "@tickwheel/core";

/** What a leader knows when it plans the next view. */
export interface ViewPlanInput {
  nodes: readonly NodeRecord[];
  suspects: ReadonlySet<BootId>;
  /** Nodes whose beats ask to be left out. */
  leaving: ReadonlySet<BootId>;
  present: View | null;
}

/**
 * The nodes that the next view should hold: those that are live, not suspect and not leaving, in the order of their boot ids.
 *
 * @returns null where the present view says so already, or where there is neither a view nor anybody to put into one
 */
export function planView({ nodes, suspects, leaving, present }: ViewPlanInput): ViewNode[] | null {
  const planned = nodes
    .filter((node) => node.state === "live" && !suspects.has(node.bootId) && !leaving.has(node.bootId))
    .map(({ bootId, label, typeIds }) => ({ bootId, label, typeIds: [...typeIds].sort((a, b) => a - b) }))
    .sort((left, right) => (left.bootId < right.bootId ? -1 : 1));
  if (present === null) return planned.length > 0 ? planned : null;
  return fingerprint(planned) === fingerprint(present.nodes) ? null : planned;
}

function fingerprint(nodes: readonly ViewNode[]): string {
  return nodes
    .map(({ bootId, label, typeIds }) => JSON.stringify([bootId, label, [...typeIds].sort((a, b) => a - b)]))
    .sort()
    .join();
}
