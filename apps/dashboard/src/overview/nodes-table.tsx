import type { Cluster, ClusterNode, NodeState } from "../api/wire.js";
import { formatCount, formatDuration } from "../format.js";
import { Badge } from "../ui/badge.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { limits } from "./findings.js";

const order: Record<NodeState, number> = { dead: 0, suspect: 1, draining: 2, joining: 3, live: 4 };

/** The nodes, those in trouble first. */
export function NodesTable({ cluster: { nodes, leader } }: { cluster: Cluster }) {
  const rows = [...nodes].sort((a, b) => order[a.state] - order[b.state] || a.label.localeCompare(b.label));
  return <DataTable caption="Nodes" columns={columnsFor(leader?.bootId)} rows={rows} rowKey={({ bootId }) => bootId} />;
}

function columnsFor(leaderBootId: string | undefined): Column<ClusterNode>[] {
  return [
    { head: "Node", cell: (node) => <Name node={node} isLeader={node.bootId === leaderBootId} /> },
    { head: "State", cell: ({ state }) => <Badge state={state} /> },
    { head: "Heartbeat", isNumber: true, cell: (node) => marked(node.heartbeatAgeMs, limits.heartbeatAgeMs) },
    { head: "Loop lag", isNumber: true, cell: (node) => marked(node.loopLagMs, limits.loopLagMs) },
    { head: "Clock", isNumber: true, cell: (node) => marked(node.clockOffsetMs, limits.clockOffsetMs) },
    { head: "Slots", isNumber: true, cell: (node) => formatCount(node.ownedSlots) },
    { head: "Wheel", isNumber: true, cell: (node) => formatCount(node.wheelSize) },
    { head: "In flight", isNumber: true, cell: (node) => formatCount(node.inFlight) },
    { head: "Version", cell: ({ version }) => version },
    { head: "Roles", cell: ({ roles }) => roles.join(", ") || "–" },
    { head: "Types", cell: ({ types }) => <Types types={types} /> },
  ];
}

function Name({ node: { label, bootId }, isLeader }: { node: ClusterNode; isLeader: boolean }) {
  return (
    <span class="mono" title={`Boot id ${bootId}`}>
      {label} {isLeader && <span class="badge is-leader">leader</span>}
    </span>
  );
}

function Types({ types }: { types: readonly string[] }) {
  if (types.length === 0) return <>–</>;
  return <span class="types">{types.join(", ")}</span>;
}

function marked(durationMs: number | null, limitMs: number) {
  const isBad = durationMs !== null && Math.abs(durationMs) > limitMs;
  return <span class={isBad ? "is-bad" : undefined}>{formatDuration(durationMs)}</span>;
}
