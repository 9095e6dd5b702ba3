import type { Cluster } from "../api/wire.js";
import type { Feed } from "../feed.js";
import { formatCount, formatNumberOf } from "../format.js";
import { ProblemView } from "../ui/problem-view.js";
import { NodesTable } from "./nodes-table.js";

const modes: Record<Cluster["coordination"], string> = {
  redis: "Redis",
  postgres: "Postgres (no Redis configured)",
  "postgres-degraded": "Postgres (Redis is away)",
};

export function ClusterPanel({ cluster: { value, problem } }: { cluster: Feed<Cluster> }) {
  return (
    <section class="panel" aria-labelledby="cluster">
      <h2 id="cluster">Cluster</h2>
      {value ? <ClusterView cluster={value} /> : <Missing problem={problem} />}
    </section>
  );
}

function Missing({ problem }: Pick<Feed<Cluster>, "problem">) {
  if (problem?.status === 403) {
    return (
      <p class="empty">
        This key may not see the cluster: it lacks the right <code>cluster</code>. The figures of its namespace are
        above.
      </p>
    );
  }
  return problem ? <ProblemView problem={problem} /> : <p class="empty">Reading…</p>;
}

function ClusterView({ cluster }: { cluster: Cluster }) {
  const { leader, view, coordination, slots, nodes } = cluster;
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Leader</dt>
          <dd class={leader ? undefined : "is-bad"}>{leader ? leader.node : "none"}</dd>
        </div>
        <div>
          <dt>Term</dt>
          <dd>{leader ? formatCount(leader.term) : "–"}</dd>
        </div>
        <div>
          <dt>View</dt>
          <dd>{formatCount(view)}</dd>
        </div>
        <div>
          <dt>Coordination</dt>
          <dd class={coordination === "postgres-degraded" ? "is-bad" : undefined}>
            {modes[coordination] ?? coordination}
          </dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>
            {formatNumberOf(nodes.length, "node")}, {formatNumberOf(slots, "slot")}
          </dd>
        </div>
      </dl>
      {nodes.length === 0 ? <p class="empty">No node is known.</p> : <NodesTable cluster={cluster} />}
    </>
  );
}
