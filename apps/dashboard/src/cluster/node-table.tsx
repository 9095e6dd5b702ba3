import type { Cluster, ClusterNode, ClusterWheel, NodeState } from "../api/wire.js";
import { MarkedDuration, Trouble } from "../nodes/node-parts.js";
import { nodeRows, type NameOf, type NodeRow } from "../nodes/node-names.js";
import { limits } from "../nodes/node-words.js";
import { fragmentOf, type ClusterView } from "../place/route.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { Meter } from "../ui/progress.js";
import { StateMark } from "../ui/state-mark.js";
import { dueOf } from "./cluster-wheel.js";
import { GoneNodes } from "./gone-table.js";

interface NodeTableProps {
  cluster: Cluster;
  wheel: ClusterWheel | null;
  view: ClusterView;
  nameOf: NameOf;
}

const order: Record<NodeState, number> = { suspect: 0, draining: 1, joining: 2, live: 3, dead: 4 };

/** How many rows are shown; the worst are among them. */
const mostRows = 200;

/** The nodes, those in trouble first and those that are gone last, folded. The chosen one tells more. */
export function NodeTable({ cluster, wheel, view, nameOf }: NodeTableProps) {
  const { there, gone } = nodeRows(cluster, Date.now());
  if (there.length + gone.length === 0) return <Empty icon="notice" title="No node is known" />;
  const rows = there.toSorted(
    ({ node: one }, { node: other }) =>
      Number(other.label === view.node) - Number(one.label === view.node) ||
      Number(other.blocked !== null) - Number(one.blocked !== null) ||
      order[one.state] - order[other.state] ||
      one.label.localeCompare(other.label),
  );
  return (
    <>
      <DataTable
        caption="Nodes"
        columns={columnsOf({ cluster, wheel, view, nameOf })}
        rows={rows.slice(0, mostRows)}
        rowKey={({ node }) => node.bootId}
        detail={(row) => (row.node.label === view.node ? <Chosen row={row} /> : null)}
      />
      {rows.length > mostRows && (
        <p class="body small muted">{formatCount(rows.length - mostRows)} more are not shown.</p>
      )}
      <GoneNodes gone={gone} nameOf={nameOf} />
    </>
  );
}

function columnsOf({ cluster: { leader }, wheel, view, nameOf }: NodeTableProps): Column<NodeRow<ClusterNode>>[] {
  return [
    {
      head: "Node",
      at: "a",
      cell: ({ node, earlier }) => (
        <Name node={node} earlier={earlier.length} leads={node.bootId === leader?.bootId} view={view} nameOf={nameOf} />
      ),
    },
    { head: "State", at: "b", cell: ({ node: { state } }) => <StateMark state={state} /> },
    {
      head: "Beat",
      isNumber: true,
      cell: ({ node: { heartbeatAgeMs } }) => (
        <MarkedDuration durationMs={heartbeatAgeMs} limitMs={limits.heartbeatAgeMs} />
      ),
    },
    {
      head: "Loop",
      isNumber: true,
      cell: ({ node: { loopLagMs } }) => <MarkedDuration durationMs={loopLagMs} limitMs={limits.loopLagMs} />,
    },
    {
      head: "What holds it",
      at: "d",
      cell: ({ node }) => (isInTrouble(node) ? <Trouble node={node} /> : <span class="muted">–</span>),
    },
    {
      head: "Clock",
      isNumber: true,
      isLow: true,
      cell: ({ node: { clockOffsetMs } }) => (
        <MarkedDuration durationMs={clockOffsetMs} limitMs={limits.clockOffsetMs} />
      ),
    },
    { head: "Places", at: "c", cell: ({ node }) => <Places node={node} /> },
    { head: "Slots", isNumber: true, cell: ({ node: { ownedSlots } }) => formatCount(ownedSlots) },
    { head: "Wheel", at: "c2", isNumber: true, cell: ({ node: { wheelSize } }) => formatCount(wheelSize) },
    {
      head: "Due in 60 s",
      isNumber: true,
      isLow: true,
      cell: ({ node: { bootId } }) => formatCount(wheel && dueOf(wheel, bootId)),
    },
  ];
}

const isInTrouble = ({ blocked, away }: ClusterNode): boolean => blocked !== null || away.length > 0;

interface NameProps {
  node: ClusterNode;
  /** How many incarnations were before. */
  earlier: number;
  leads: boolean;
  view: ClusterView;
  nameOf: NameOf;
}

function Name({ node, earlier, leads, view, nameOf }: NameProps) {
  const { label, version, bootId, roles } = node;
  const isChosen = label === view.node;
  const href = fragmentOf({ page: "cluster", view: { ...view, node: isChosen ? undefined : label } });
  return (
    <>
      <a class="row strong" href={href} aria-current={isChosen ? "true" : undefined}>
        {nameOf(node)}
      </a>
      {leads && (
        <span class="tag">
          <Icon name="crown" /> leader
        </span>
      )}
      <span class="two mono" title={`Boot id ${bootId}`}>
        {label}, {version}
        {roles.length === 1 && `, ${roles[0]} only`}
        {earlier > 0 && `, restarted ${earlier === 1 ? "once" : `${formatCount(earlier)} times`}`}
      </span>
    </>
  );
}

function Places({ node: { inFlight, places } }: { node: ClusterNode }) {
  const used = inFlight ?? 0;
  return (
    <div class="places">
      {formatCount(inFlight)} <span class="muted">of {places > 0 ? formatCount(places) : "–"}</span>
      {places > 0 && (
        <Meter label={`${formatCount(used)} of ${formatCount(places)} places in use`} share={used / places} />
      )}
    </div>
  );
}

/** At most so many types are named. */
const mostTypes = 20;

function Chosen({ row: { node, earlier } }: { row: NodeRow<ClusterNode> }) {
  const { types, joinedAt, bootId } = node;
  const more = types.length - mostTypes;
  return (
    <>
      <p class="node-more">
        Joined <Instant at={joinedAt} />, boot id <span class="mono">{bootId}</span>. It runs{" "}
        {types.slice(0, mostTypes).join(", ") || "no type"}
        {more > 0 && ` and ${formatCount(more)} more`}.
      </p>
      {earlier.length > 0 && (
        <details class="node-more">
          <summary>{formatNumberOf(earlier.length, "earlier incarnation")}</summary>
          <ul>
            {earlier.map((one) => (
              <li key={one.bootId}>
                <span class="mono">{one.label ?? `boot id ${one.bootId}`}</span>{" "}
                {one.how === "DEAD" ? "declared dead" : "left"} <Instant at={one.at} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
