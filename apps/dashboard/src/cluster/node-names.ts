import type { ClusterEvent, ClusterNode, EventNode } from "../api/wire.js";

/** What a node is called: `node-3`, or its label where several have that name. */
export type NameOf = (node: EventNode) => string;

/** The names of all nodes that are known, or that events tell of. Pure. */
export function namesOf(events: readonly ClusterEvent[], nodes: readonly ClusterNode[]): NameOf {
  const named = [...events.flatMap(({ node }) => node ?? []), ...nodes].filter(({ name }) => name !== null);
  const nameByLabel = new Map(named.flatMap(({ label, name }) => (label === null ? [] : [[label, name!] as const])));
  const labels = new Map<string, number>();
  for (const name of nameByLabel.values()) labels.set(name, (labels.get(name) ?? 0) + 1);
  return ({ label, bootId }) => {
    if (label === null) return `node ${bootId}`;
    const name = nameByLabel.get(label);
    return name !== undefined && labels.get(name) === 1 ? name : label;
  };
}
