import type { Cluster, ClusterEvent, ClusterNode, EventNode, GoneNode } from "../api/wire.js";

/** What a node is called: `node-3`, or its label where several have that name at once. */
export type NameOf = (node: EventNode) => string;

interface Source {
  readonly nodes: readonly ClusterNode[];
  /** Those that left within a day. */
  readonly gone?: readonly GoneNode[] | null;
  /** They tell of nodes that left before. */
  readonly events?: readonly ClusterEvent[];
}

/** The names of all nodes that are known. One that restarted keeps its name, whatever its label. Pure. */
export function namesOf({ nodes, gone, events = [] }: Source): NameOf {
  const named = [...events.flatMap(({ node }) => node ?? []), ...(gone ?? []), ...nodes];
  const nameByLabel = new Map(
    named.flatMap(({ label, name }) => (label === null || !name ? [] : [[label, name] as const])),
  );
  const shared = sharedNames(nodes, gone ?? []);
  return ({ label, bootId }) => {
    if (label === null) return `node ${bootId}`;
    const name = nameByLabel.get(label);
    return name !== undefined && !shared.has(name) ? name : label;
  };
}

/** Names that several nodes had at once: they tell nobody apart. */
function sharedNames(nodes: readonly ClusterNode[], gone: readonly GoneNode[]): ReadonlySet<string> {
  const since = new Map<string, number>();
  const shared = new Set<string>();
  for (const { name, joinedAt } of nodes.filter(isThere)) {
    if (since.has(name)) shared.add(name);
    since.set(name, Math.min(Date.parse(joinedAt), since.get(name) ?? Number.POSITIVE_INFINITY));
  }
  for (const { name, lastBeatAt, at } of gone) {
    if (name !== null && Date.parse(lastBeatAt ?? at) > (since.get(name) ?? Number.POSITIVE_INFINITY)) shared.add(name);
  }
  return shared;
}

const isThere = ({ state }: Pick<ClusterNode, "state">): boolean => state !== "dead";

/** A node as one row: its present incarnation, or its last, and those before it under the same name. */
export interface NodeRow<Node> {
  readonly node: Node;
  /** Newest first. */
  readonly earlier: readonly GoneNode[];
}

export interface NodeRows {
  readonly there: readonly NodeRow<ClusterNode>[];
  /** Latest first. */
  readonly gone: readonly NodeRow<GoneNode>[];
}

/** The nodes that are there, and those that are gone, one row for each name. Pure. */
export function nodeRows({ nodes, gone }: Pick<Cluster, "nodes" | "gone">, now: number): NodeRows {
  const left = allGone(nodes, gone ?? [], now);
  const shared = sharedNames(nodes, left);
  const nameOf = ({ name, label, bootId }: GoneNode | ClusterNode): string =>
    name !== null && !shared.has(name) ? `name ${name}` : `label ${label ?? bootId}`;
  const byName = new Map<string, GoneNode[]>();
  for (const one of left) byName.set(nameOf(one), [...(byName.get(nameOf(one)) ?? []), one]);
  const there = nodes.filter(isThere).map((node) => {
    const earlier = byName.get(nameOf(node)) ?? [];
    byName.delete(nameOf(node));
    return { node, earlier };
  });
  return { there, gone: [...byName.values()].map(([node, ...earlier]) => ({ node: node!, earlier })) };
}

/** With those that are dead and that the server does not count among the gone yet; latest first. */
function allGone(nodes: readonly ClusterNode[], gone: readonly GoneNode[], now: number): GoneNode[] {
  const known = new Set(gone.map(({ bootId }) => bootId));
  const dead = nodes
    .filter((node) => !isThere(node) && !known.has(node.bootId))
    .map(({ bootId, label, name, joinedAt, heartbeatAgeMs }): GoneNode => {
      const at = heartbeatAgeMs === null ? joinedAt : new Date(now - heartbeatAgeMs).toISOString();
      return { bootId, label, name, how: "DEAD", at, lastBeatAt: at, orphanedTypes: [] };
    });
  return [...dead, ...gone].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
