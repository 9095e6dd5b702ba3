import type { BootId, NodeRecord } from "@tickwheel/core";

interface VerdictInput {
  nodes: readonly NodeRecord[];
  /** Nodes whose beats have stood still for too long, by the observer. */
  silent: ReadonlySet<BootId>;
  /** The beat that stood still; undefined: none was ever seen. */
  beatOf: (bootId: BootId) => number | undefined;
  /** The leader itself. */
  self: BootId;
}

/**
 * [suspect-then-dead]: the nodes that a leader declares dead, each by the beat that stood still; the store refuses if
 * that beat has moved. Never the leader itself, and no node of which no beat was seen.
 */
export function deathVerdicts({ nodes, silent, beatOf, self }: VerdictInput): { node: NodeRecord; beat: number }[] {
  return nodes.flatMap((node) => {
    const { bootId, state } = node;
    const beat = beatOf(bootId);
    return state !== "dead" && bootId !== self && silent.has(bootId) && beat !== undefined ? [{ node, beat }] : [];
  });
}
