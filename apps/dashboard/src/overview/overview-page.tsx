import { useSignal } from "@preact/signals";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Cluster, Stats } from "../api/wire.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feed.js";
import { PageTitle } from "../ui/page-title.js";
import { StaleBanner } from "../ui/stale-banner.js";
import { usePolling } from "../use-polling.js";
import { ClusterPanel } from "./cluster-panel.js";
import { findingsOf } from "./findings.js";
import { FindingsPanel } from "./findings-panel.js";
import { emptyHistory, historyAfter } from "./lateness-history.js";
import { LatenessPanel } from "./lateness-panel.js";
import { CountsPanel, WorkPanel } from "./stats-panels.js";
import { staleTextOf, verdictOf } from "./verdict.js";

const pollMs = 2_000;

/** What is wrong first, then the figures. */
export function OverviewPage({ api }: { api: TickwheelApi }) {
  const { stats, cluster, history } = useOverview(api);
  const now = Date.now();
  const findings = findingsOf(cluster.value, stats.value, now);
  const verdict = verdictOf(cluster, stats, findings);
  const staleText = staleTextOf([stats, cluster]);
  const hasTrouble = verdict.level !== "good" && verdict.level !== "unknown";
  return (
    <>
      <PageTitle text="Overview" tab={hasTrouble ? `(${verdict.text}) Overview` : "Overview"} />
      {staleText && <StaleBanner text={staleText} readAt={stats.problem ? stats.readAt : cluster.readAt} />}
      <FindingsPanel verdict={verdict} findings={findings} />
      {stats.value && <WorkPanel stats={stats.value} />}
      {stats.value && <CountsPanel counts={stats.value.counts} countedAt={stats.value.countedAt} now={now} />}
      <LatenessPanel history={history} />
      <ClusterPanel cluster={cluster} />
    </>
  );
}

function useOverview(api: TickwheelApi) {
  const stats = useSignal<Feed<Stats>>(emptyFeed);
  const cluster = useSignal<Feed<Cluster>>(emptyFeed);
  const history = useSignal(emptyHistory);

  const readStats = async (): Promise<void> => {
    const answer = await api.stats();
    const now = Date.now();
    stats.value = feedAfter(stats.value, answer, now);
    if (answer.ok) history.value = historyAfter(history.value, answer.value.lastMinute.latenessMs, now);
  };
  const readCluster = async (): Promise<void> => {
    // The right comes with another key, and so with another log-in.
    if (cluster.value.problem?.status === 403) return;
    cluster.value = feedAfter(cluster.value, await api.cluster(), Date.now());
  };
  usePolling(pollMs, async () => {
    await Promise.all([readStats(), readCluster()]);
    return waitAskedFor(stats.value, cluster.value);
  });
  return { stats: stats.value, cluster: cluster.value, history: history.value };
}
