import { useMemo } from "preact/hooks";
import { type Cluster, type HistoryRange, historyRanges } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { goTo } from "../place/place.js";
import type { ClusterView } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { Empty } from "../ui/empty.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";
import { CloseUpView } from "./close-up-view.js";
import { defaultEvent } from "./close-up.js";
import { EventList } from "./event-list.js";
import { mostEvents, rangeMs, type KnownEvents } from "./known-events.js";
import type { NameOf } from "../nodes/node-names.js";
import { TimeLineView } from "./time-line-view.js";
import { timeLineOf } from "./time-line.js";

const texts: Readonly<Record<HistoryRange, string>> = { "1h": "1 h", "24h": "24 h", "7d": "7 d" };

interface TimeLinePanelProps {
  view: ClusterView;
  cluster: Cluster | null;
  events: Feed<KnownEvents>;
  nameOf: NameOf;
}

/** What has happened: all nodes on one axis, one event from near, and the events as a list. */
export function TimeLinePanel({ view, cluster, events, nameOf }: TimeLinePanelProps) {
  const { range = "1h" } = view;
  return (
    <Panel
      title="Time line"
      note="Thin dark line: who leads"
      more={
        <Seg
          label="How far back"
          choices={historyRanges.map((one) => ({ value: one, text: texts[one] }))}
          value={range}
          onChange={(chosen) => goTo({ page: "cluster", view: { ...view, range: chosen } }, "replace")}
        />
      }
    >
      {events.value && cluster ? (
        <Told
          known={events.value}
          readAt={events.readAt ?? 0}
          view={view}
          cluster={cluster}
          nameOf={nameOf}
          range={range}
        />
      ) : (
        <div class="body">{events.problem ? <ProblemView problem={events.problem} /> : <Skeleton lines={8} />}</div>
      )}
    </Panel>
  );
}

interface ToldProps {
  known: KnownEvents;
  readAt: number;
  view: ClusterView;
  cluster: Cluster;
  nameOf: NameOf;
  range: HistoryRange;
}

function Told({ known: { events, isCut }, readAt, view, cluster, nameOf, range }: ToldProps) {
  const from = isCut ? Date.parse(events.at(-1)!.at) : readAt - rangeMs[range];
  const line = useMemo(
    () => timeLineOf({ events, cluster, from, until: readAt, nameOf }),
    [events, cluster.nodes, cluster.leader, from, readAt, nameOf],
  );
  const chosen = events.find(({ id }) => id === view.event);
  const focus = chosen ?? defaultEvent(events);
  return (
    <>
      <TimeLineView line={line} focus={focus} chosen={view.node && nameOf({ label: view.node, bootId: "" })} />
      {isCut && (
        <p class="body small muted">
          More happened than is drawn: these are the newest {formatCount(mostEvents)} events. A shorter range shows all
          of its own.
        </p>
      )}
      {view.event !== undefined && !chosen && (
        <p class="body small muted">The chosen event is not among those of this range.</p>
      )}
      {focus ? (
        <>
          <CloseUpView events={events} focus={focus} nameOf={nameOf} />
          <EventList key={`${range} ${view.node}`} events={events} focus={focus} view={view} nameOf={nameOf} />
        </>
      ) : (
        <Empty icon="good" title="Nothing has happened in this time" isGood>
          No node came or went, and the leader stayed.
        </Empty>
      )}
    </>
  );
}
