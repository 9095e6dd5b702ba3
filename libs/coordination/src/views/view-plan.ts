import type { BootId, NodeRecord, View, ViewNode } from "@tickwheel/core";
import { ascending, hasSameTypes } from "./type-lists.js";

/** What a leader knows when it plans the next view. */
export interface ViewPlanInput {
  nodes: readonly NodeRecord[];
  suspects: ReadonlySet<BootId>;
  /** Nodes whose beats ask to be left out. */
  leaving: ReadonlySet<BootId>;
  /** Whether a node has beaten: before its first beat it may not work. */
  hasBeaten: (bootId: BootId) => boolean;
  present: View | null;
}

/**
 * The nodes that the next view should hold: those that are live, have beaten, are not suspect and not leaving, in the
 * order of their boot ids.
 *
 * @returns null if the present view holds just these, or if there is neither a view nor a node to put into one
 */
export function planView({ nodes, suspects, leaving, hasBeaten, present }: ViewPlanInput): ViewNode[] | null {
  const planned = nodes
    .filter(
      ({ state, bootId }) => state === "live" && hasBeaten(bootId) && !suspects.has(bootId) && !leaving.has(bootId),
    )
    .map(({ bootId, label, typeIds }) => ({ bootId, label, typeIds: ascending(typeIds) }))
    .sort((left, right) => (left.bootId < right.bootId ? -1 : 1));
  if (present === null) return planned.length > 0 ? planned : null;
  return holds(present, planned) ? null : planned;
}

/** Whether the view has exactly these nodes, in any order. */
function holds({ nodes }: View, planned: readonly ViewNode[]): boolean {
  return nodes.length === planned.length && planned.every((node) => nodes.some((known) => isSame(known, node)));
}

function isSame(one: ViewNode, other: ViewNode): boolean {
  const isSameNode = one.bootId === other.bootId && one.label === other.label;
  return isSameNode && hasSameTypes(ascending(one.typeIds), other.typeIds);
}
