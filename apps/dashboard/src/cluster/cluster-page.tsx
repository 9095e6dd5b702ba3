import { effect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { EventPage } from "../api/asked.js";
import type { Cluster, Forecast } from "../api/wire.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { health } from "../feeds/health.js";
import { useReading } from "../feeds/use-reading.js";
import { useStream } from "../feeds/use-stream.js";
import { goTo } from "../place/place.js";
import type { ClusterView } from "../place/route.js";
import { storeAway } from "../session/store-health.js";
import { Instant } from "../time/instant.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { ClusterWheelPanel } from "./cluster-wheel-panel.js";
import { clusterSentence, leadsSince } from "./cluster-words.js";
import { namesOf, type NameOf } from "../nodes/node-names.js";
import { NodeTable } from "./node-table.js";
import { TimeLinePanel } from "./time-line-panel.js";
import { useEvents } from "./use-events.js";

/** The newest change of who leads, which may be older than the time line. */
const lastTermPath = "/cluster/events?kind=TERM&limit=1";

/** The cluster: who is there and who leads, the nodes, and what has happened to them. */
export function ClusterPage({ api, view }: { api: TickwheelApi; view: ClusterView }) {
  const { feeds } = useStream("cluster", "cluster-wheel");
  const { value: cluster, problem, readAt } = feeds.cluster.value;
  useEffect(() => effect(() => void (health.value = feeds.cluster.value)), []);
  const events = useEvents(api, view.range ?? "1h");
  const lastTerm = useReading<EventPage>(lastTermPath);
  const hour = useReading<Forecast>("/stats/forecast?ahead=1h");
  const day = useReading<Forecast>("/stats/forecast?ahead=24h");
  const wheel = feeds["cluster-wheel"].value;
  const told = events.value?.events ?? [];
  const nameOf = useMemo(() => namesOf({ nodes: [], ...cluster, events: told }), [told, cluster?.nodes, cluster?.gone]);
  const since = cluster && leadsSince(cluster, [...told, ...(lastTerm.value?.items ?? [])]);
  return (
    <>
      <PageHead
        name="Cluster"
        sub={cluster && <Sentence cluster={cluster} since={since} nameOf={nameOf} />}
        actions={cluster && <NodeChoice cluster={cluster} view={view} nameOf={nameOf} />}
      />
      {cluster && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <ClusterWheelPanel
        wheel={wheel}
        hour={hour.value}
        day={day.value}
        node={view.node}
        name={view.node && nameOf({ label: view.node, bootId: "" })}
      />
      <Panel title="Nodes" note={view.node && !isKnown(cluster, view.node) ? `${view.node} is not there` : undefined}>
        {cluster ? (
          <NodeTable cluster={cluster} wheel={wheel.value} view={view} nameOf={nameOf} />
        ) : (
          <div class="body">{problem ? <ProblemView problem={problem} /> : <Skeleton />}</div>
        )}
      </Panel>
      <TimeLinePanel view={view} cluster={cluster} events={events} nameOf={nameOf} />
    </>
  );
}

const isKnown = (cluster: Cluster | null, label: string): boolean =>
  cluster === null || cluster.nodes.some((node) => node.label === label);

function Sentence({ cluster, since, nameOf }: { cluster: Cluster; since: string | null; nameOf: NameOf }) {
  const { leader } = cluster;
  return (
    <p>
      {clusterSentence(cluster)}{" "}
      {leader ? (
        <>
          {nameOf({ bootId: leader.bootId, label: leader.node })} leads
          {since && (
            <>
              {" "}
              since <Instant at={since} />
            </>
          )}
          .
        </>
      ) : (
        "Nobody leads."
      )}
    </p>
  );
}

/** More nodes than these are chosen in the table. */
const mostChoices = 6;

/** Whose figures stand out: all, or one node. */
function NodeChoice({ cluster, view, nameOf }: { cluster: Cluster; view: ClusterView; nameOf: NameOf }) {
  const nodes = cluster.nodes.filter(({ label, state }) => state !== "dead" || label === view.node);
  if (nodes.length < 2 || nodes.length > mostChoices) return null;
  const choose = (node: string | undefined): void => goTo({ page: "cluster", view: { ...view, node } }, "replace");
  return (
    <div class="seg" role="group" aria-label="Which node">
      <button type="button" aria-pressed={view.node === undefined} onClick={() => choose(undefined)}>
        All
      </button>
      {nodes.map((node) => (
        <button
          key={node.bootId}
          type="button"
          aria-pressed={node.label === view.node}
          onClick={() => choose(node.label)}
        >
          {nameOf(node)}
        </button>
      ))}
    </div>
  );
}
