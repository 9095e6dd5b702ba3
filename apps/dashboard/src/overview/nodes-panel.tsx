import type { Cluster, ClusterNode, NodeState } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { limits } from "./findings.js";

const modes: Record<Cluster["coordination"], string> = {
  redis: "coordinated through Redis",
  postgres: "coordinated through Postgres (no Redis configured)",
  "postgres-degraded": "coordinated through Postgres (Redis is away)",
};

const order: Record<NodeState, number> = { dead: 0, suspect: 1, draining: 2, joining: 3, live: 4 };

/** The cluster's nodes, those in trouble first. */
export function NodesPanel({ cluster: { value, problem } }: { cluster: Feed<Cluster> }) {
  return (
    <Panel title="Nodes" note={value && noteOf(value)}>
      {value ? <Nodes cluster={value} /> : <Missing problem={problem} />}
    </Panel>
  );
}

function noteOf({ nodes, leader, view, coordination, slots }: Cluster): string {
  const live = nodes.filter(({ state }) => state === "live").length;
  const led = leader ? `led by ${leader.node} in term ${formatCount(leader.term)}` : "without a leader";
  const mode = modes[coordination] ?? coordination;
  return `${live} of ${formatNumberOf(nodes.length, "node")} live, ${led}, view ${formatCount(view)}, ${mode}, ${formatNumberOf(slots, "slot")}`;
}

function Missing({ problem }: Pick<Feed<Cluster>, "problem">) {
  if (problem?.status === 403) {
    return (
      <Empty icon="lock" title="This key may not see the cluster">
        It lacks the right <code>cluster</code>. The figures of its namespace are above.
      </Empty>
    );
  }
  return <div class="body">{problem ? <ProblemView problem={problem} /> : <Skeleton />}</div>;
}

function Nodes({ cluster: { nodes, leader } }: { cluster: Cluster }) {
  if (nodes.length === 0) return <Empty icon="notice" title="No node is known" />;
  const rows = [...nodes].sort((a, b) => order[a.state] - order[b.state] || a.label.localeCompare(b.label));
  return <DataTable caption="Nodes" columns={columnsFor(leader?.bootId)} rows={rows} rowKey={({ bootId }) => bootId} />;
}

function columnsFor(leaderBootId: string | undefined): Column<ClusterNode>[] {
  return [
    { head: "Node", at: "a", cell: (node) => <Name node={node} isLeader={node.bootId === leaderBootId} /> },
    { head: "State", at: "b", cell: ({ state }) => <StateMark state={state} /> },
    { head: "Heartbeat", isNumber: true, cell: (node) => marked(node.heartbeatAgeMs, limits.heartbeatAgeMs) },
    { head: "Loop lag", isNumber: true, cell: (node) => marked(node.loopLagMs, limits.loopLagMs) },
    { head: "Clock", isNumber: true, isLow: true, cell: (node) => marked(node.clockOffsetMs, limits.clockOffsetMs) },
    { head: "Slots", isNumber: true, cell: (node) => formatCount(node.ownedSlots) },
    { head: "Wheel", isNumber: true, cell: (node) => formatCount(node.wheelSize) },
    { head: "In flight", isNumber: true, at: "c2", cell: (node) => formatCount(node.inFlight) },
    { head: "Version", isLow: true, cell: ({ version }) => version },
    { head: "Roles", isLow: true, cell: ({ roles }) => roles.join(", ") || "–" },
    {
      head: "Types",
      at: "c",
      isWide: true,
      cell: ({ types }) => <span title={types.join(", ")}>{types.join(", ") || "–"}</span>,
    },
  ];
}

function Name({ node: { label, bootId }, isLeader }: { node: ClusterNode; isLeader: boolean }) {
  return (
    <span class="mono nowrap" title={`Boot id ${bootId}`}>
      {label}{" "}
      {isLeader && (
        <span class="tag">
          <Icon name="crown" /> leader
        </span>
      )}
    </span>
  );
}

function marked(durationMs: number | null, limitMs: number) {
  const isBad = durationMs !== null && Math.abs(durationMs) > limitMs;
  return <span class={isBad ? "ink is-overdue strong" : undefined}>{formatDuration(durationMs)}</span>;
}
