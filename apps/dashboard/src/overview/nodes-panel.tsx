import { useEffect, useRef } from "preact/hooks";
import type { Cluster, ClusterNode, GoneNode, NodeState } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { Empty } from "../ui/empty.js";
import { Icon } from "../ui/icon.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Meter } from "../ui/progress.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { MarkedDuration, Trouble } from "../nodes/node-parts.js";
import { namesOf, nodeRows, type NameOf } from "../nodes/node-names.js";
import { limits } from "../nodes/node-words.js";

const modes: Record<Cluster["coordination"], string> = {
  redis: "coordinated through Redis",
  postgres: "coordinated through Postgres (no Redis configured)",
  "postgres-degraded": "coordinated through Postgres (Redis is away)",
};

const order: Record<NodeState, number> = { suspect: 0, draining: 1, joining: 2, live: 3, dead: 4 };

/** How many are drawn before the rest is folded. */
const most = 12;

interface NodesPanelProps {
  cluster: Feed<Cluster>;
  /** The label of the node that somebody looks for. */
  chosen: string | undefined;
}

/** The cluster's nodes, those in trouble first. */
export function NodesPanel({ cluster: { value, problem }, chosen }: NodesPanelProps) {
  return (
    <Panel title="Nodes" note={value && noteOf(value, namesOf(value))}>
      {value ? <Nodes cluster={value} chosen={chosen} /> : <Missing problem={problem} />}
    </Panel>
  );
}

function noteOf({ nodes, leader, view, coordination, slots }: Cluster, nameOf: NameOf): string {
  const live = nodes.filter(({ state }) => state === "live").length;
  const led = leader
    ? `led by ${nameOf({ label: leader.node, bootId: leader.bootId })} in term ${formatCount(leader.term)}`
    : "without a leader";
  const mode = modes[coordination] ?? coordination;
  return `${live} of ${formatNumberOf(nodes.length, "node")} live, ${led}, view ${formatCount(view)}, ${mode}, ${formatNumberOf(slots, "slot")}`;
}

function Missing({ problem }: Pick<Feed<Cluster>, "problem">) {
  return <div class="body">{problem ? <ProblemView problem={problem} /> : <Skeleton />}</div>;
}

function Nodes({ cluster, chosen }: { cluster: Cluster; chosen: string | undefined }) {
  const { leader } = cluster;
  const { there, gone } = nodeRows(cluster, Date.now());
  if (there.length + gone.length === 0) return <Empty icon="notice" title="No node is known" />;
  const nameOf = namesOf(cluster);
  const rows = there
    .map(({ node }) => node)
    .sort((a, b) => rankOf(a, chosen) - rankOf(b, chosen) || a.label.localeCompare(b.label));
  const card = (node: ClusterNode) => (
    <NodeCard
      key={node.bootId}
      node={node}
      name={nameOf(node)}
      isLeader={node.bootId === leader?.bootId}
      isChosen={node.label === chosen}
    />
  );
  return (
    <>
      <ul class="nodes" role="list" aria-label="Nodes">
        {rows.slice(0, most).map(card)}
      </ul>
      {rows.length > most && (
        <details class="more-findings">
          <summary>{rows.length - most} more</summary>
          <ul class="nodes" role="list" aria-label="More nodes">
            {rows.slice(most).map(card)}
          </ul>
        </details>
      )}
      {gone.length > 0 && (
        <details class="more-findings">
          <summary>{formatNumberOf(gone.length, "node")} gone within 24 hours</summary>
          <ul class="gone-nodes" role="list" aria-label="Nodes that are gone">
            {gone.map(({ node }) => (
              <GoneLine key={node.bootId} node={node} name={nameOf(node)} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function GoneLine({ node: { label, how, at }, name }: { node: GoneNode; name: string }) {
  return (
    <li>
      <StateMark state={how === "DEAD" ? "dead" : "draining"} text={how === "DEAD" ? undefined : "left"} />{" "}
      <span title={label ?? undefined}>{name}</span> <Instant at={at} />
    </li>
  );
}

function rankOf({ label, state, blocked }: ClusterNode, chosen: string | undefined): number {
  if (label === chosen) return -2;
  return blocked ? -1 : order[state];
}

interface NodeCardProps {
  node: ClusterNode;
  name: string;
  isLeader: boolean;
  isChosen: boolean;
}

function NodeCard({ node, name, isLeader, isChosen }: NodeCardProps) {
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    card.current?.scrollIntoView({ block: "center" });
    card.current?.focus({ preventScroll: true });
  }, [isChosen]);
  const { label, bootId, state, version, types, roles } = node;
  const classes = ["node", isChosen && "is-chosen"].filter(Boolean).join(" ");
  return (
    <li ref={card} class={classes} tabIndex={isChosen ? -1 : undefined}>
      <div class="name">
        <a class="cut" href={fragmentOf({ page: "cluster", view: { node: label } })}>
          {name}
        </a>
        {isLeader && (
          <span class="tag">
            <Icon name="crown" /> leader
          </span>
        )}
        <StateMark state={state} />
      </div>
      <div class="label" title={`Boot id ${bootId}`}>
        {label} <span title={`Runs ${types.join(", ") || "no type"}`}>{version}</span>
        {roles.length === 1 && ` ${roles[0]} only`}
      </div>
      <NodeFigures node={node} />
      <Trouble node={node} />
    </li>
  );
}

function NodeFigures({ node }: { node: ClusterNode }) {
  const { places, inFlight, wheelSize, heartbeatAgeMs, loopLagMs, clockOffsetMs, ownedSlots } = node;
  const used = inFlight ?? 0;
  return (
    <>
      <dl>
        <dt>Places</dt>
        <dd>
          {formatCount(inFlight)} <span class="u">of {places > 0 ? formatCount(places) : "–"}</span>
        </dd>
        <dt>Wheel</dt>
        <dd>{formatCount(wheelSize)}</dd>
        <dt>Slots</dt>
        <dd>{formatCount(ownedSlots)}</dd>
      </dl>
      {places > 0 && (
        <Meter label={`${formatCount(used)} of ${formatCount(places)} places in use`} share={used / places} />
      )}
      <dl>
        <dt>Beat</dt>
        <dd>
          <MarkedDuration durationMs={heartbeatAgeMs} limitMs={limits.heartbeatAgeMs} />
        </dd>
        <dt>Loop</dt>
        <dd>
          <MarkedDuration durationMs={loopLagMs} limitMs={limits.loopLagMs} />
        </dd>
        <dt>Clock</dt>
        <dd>
          <MarkedDuration durationMs={clockOffsetMs} limitMs={limits.clockOffsetMs} />
        </dd>
      </dl>
    </>
  );
}
