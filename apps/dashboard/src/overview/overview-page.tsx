import { useEffect, useMemo } from "preact/hooks";
import { emptyFeed } from "../feeds/feed.js";
import { navCounts } from "../place/nav-counts.js";
import type { OverviewView } from "../place/route.js";
import { storeAway } from "../session/store-health.js";
import { clockText } from "../time/zone.js";
import { PageHead } from "../ui/page-head.js";
import { StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { ComingPanel } from "./coming-panel.js";
import { FindingsPanel } from "./findings-panel.js";
import { HistoryPanel } from "./history-panel.js";
import { NodesPanel } from "./nodes-panel.js";
import { OverviewFigures } from "./overview-figures.js";
import { useOverview } from "./use-overview.js";
import { staleTextOf, urgentCount, verdictOf } from "./verdict.js";
import { WheelPanel } from "./wheel-panel.js";

/** What is the matter first, then whether the next minute is possible, then the figures, what was and what comes. */
export function OverviewPage({ view }: { view: OverviewView }) {
  const { findings, stats, types, wheel, cluster, hour, history, forecasts, forecast, ...rest } = useOverview(view);
  const { seesNodes, overdue, oldSince, oldest } = rest;
  const isAway = storeAway.value !== null;
  const oldText = oldSince === null ? null : clockText(oldSince);
  const verdict = verdictOf({ findings, oldSince: oldText, seesAll: seesNodes });
  const urgent = isAway ? 1 : urgentCount(findings.value?.now ?? []);
  const state = isAway || verdict.level === "critical" ? "critical" : "warning";
  useEffect(() => showCount(urgent, state), [urgent, state]);
  const hasTrouble = verdict.level === "critical" || verdict.level === "warning";
  const staleText = isAway ? null : staleTextOf([stats, findings]);
  const readAt = stats.problem ? stats.readAt : findings.readAt;
  const staleSince = stats.problem ? stats.readAt : oldest;
  const told = useMemo(
    () => [...(findings.value?.now ?? []), ...(findings.value?.lastDay ?? [])],
    [findings.value?.now, findings.value?.lastDay],
  );
  const now = { wheel: wheel.value, cluster: cluster?.value ?? null, history: hour.value };
  return (
    <>
      <PageHead isQuiet name="Overview" tab={hasTrouble ? `(${verdict.text}) Overview` : "Overview"} />
      {staleText && <StaleBanner text={staleText} readAt={readAt} />}
      <div class={isAway ? "now is-away" : "now"}>
        {!isAway && (
          <FindingsPanel
            verdict={verdict}
            findings={findings.value}
            note={oldText === null ? (seesNodes ? "of all nodes" : "of this namespace") : "as last seen"}
          />
        )}
        <WheelPanel
          forecast={wheel.value}
          hour={forecasts["1h"]}
          day={forecasts["24h"]}
          staleSince={wheel.problem ? wheel.readAt : oldest}
        />
        {stats.value ? (
          <OverviewFigures stats={stats.value} {...{ ...now, types, overdue, staleSince }} />
        ) : (
          <Skeleton />
        )}
      </div>
      <HistoryPanel view={view} history={history} findings={told} types={types.map(({ type }) => type)} />
      <ComingPanel view={view} forecast={forecast} forecasts={forecasts} />
      {seesNodes ? <NodesPanel cluster={cluster ?? emptyFeed} chosen={view.node} /> : <NoNodes />}
    </>
  );
}

function NoNodes() {
  return (
    <p class="small muted quiet-line">
      You may not see the cluster: that needs the right <code>cluster</code>. The figures are those of its namespace.
    </p>
  );
}

/** The navigation says how many findings need somebody. */
function showCount(urgent: number, state: string): void {
  const count = urgent === 0 ? undefined : { text: String(urgent), state, label: `${urgent} that need you` };
  navCounts.value = { ...navCounts.peek(), overview: count };
}
