import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { localProblem } from "../api/problem.js";
import type { Cluster, Stats } from "../api/wire.js";
import { emptyFeed, type Feed } from "../feeds/feed.js";
import { health } from "../feeds/health.js";
import { navCounts } from "../place/nav-counts.js";
import type { Topic } from "../feeds/topics.js";
import { useStream } from "../feeds/use-stream.js";
import { session } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { PageHead } from "../ui/page-head.js";
import { StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { findingsOf } from "./findings.js";
import { FindingsPanel } from "./findings-panel.js";
import { emptyHistory, historyAfter } from "./lateness-history.js";
import { LatenessPanel } from "./lateness-panel.js";
import { NodesPanel } from "./nodes-panel.js";
import { CountsPanel, WorkFigures } from "./stats-panels.js";
import { staleTextOf, verdictOf } from "./verdict.js";

/** A stream gives only what its key may see. */
const mayNotSee: Feed<Cluster> = { ...emptyFeed, problem: { ...localProblem("Forbidden"), status: 403 } };

/** How many answers the lines in the figures show. */
const remembered = 120;

/** What is wrong first, then the figures. */
export function OverviewPage() {
  const { stats, cluster, recent, history } = useOverview();
  const isAway = storeAway.value !== null;
  const findings = findingsOf(cluster.value, stats.value, Date.now());
  const verdict = verdictOf(cluster, stats, findings);
  const staleText = isAway ? null : staleTextOf([stats, cluster]);
  const urgent = isAway ? 1 : findings.filter(({ severity }) => severity !== "notice").length;
  const state = isAway || verdict.level === "critical" ? "critical" : "warning";
  useEffect(() => showCount(urgent, state), [urgent, state]);
  const hasTrouble = verdict.level !== "good" && verdict.level !== "unknown";
  return (
    <>
      <PageHead isQuiet name="Overview" tab={hasTrouble ? `(${verdict.text}) Overview` : "Overview"} />
      {staleText && <StaleBanner text={staleText} readAt={stats.problem ? stats.readAt : cluster.readAt} />}
      {!isAway && <FindingsPanel verdict={verdict} findings={findings} />}
      {stats.value ? <Figures stats={stats} value={stats.value} recent={recent} history={history} /> : <Skeleton />}
      <NodesPanel cluster={cluster} />
    </>
  );
}

interface FiguresProps {
  stats: Feed<Stats>;
  value: Stats;
  recent: readonly Stats[];
  history: typeof emptyHistory;
}

function Figures({ stats: { problem, readAt }, value, recent, history }: FiguresProps) {
  return (
    <>
      <WorkFigures stats={value} recent={recent} staleSince={problem ? readAt : null} />
      <LatenessPanel history={history} />
      <CountsPanel counts={value.counts} countedAt={value.countedAt} />
    </>
  );
}

function useOverview() {
  const topics: readonly Topic[] = session.peek()?.cluster ? ["stats", "cluster"] : ["stats"];
  const feeds = useStream(...(topics as readonly ("stats" | "cluster")[]));
  const history = useSignal(emptyHistory);
  const recent = useSignal<readonly Stats[]>([]);
  useEffect(
    () =>
      effect(() => {
        const { value, readAt, problem } = feeds.stats.value;
        if (!value || readAt === null || problem) return;
        history.value = historyAfter(history.peek(), value.lastMinute.latenessMs, readAt);
        recent.value = [...recent.peek(), value].slice(-remembered);
      }),
    [],
  );
  useEffect(() => feeds.cluster && effect(() => void (health.value = feeds.cluster.value)), []);
  const cluster: Feed<Cluster> = topics.includes("cluster") ? feeds.cluster.value : mayNotSee;
  return { stats: feeds.stats.value, cluster, recent: recent.value, history: history.value };
}

/** The navigation says how many findings need somebody. */
function showCount(urgent: number, state: string): void {
  const count = urgent === 0 ? undefined : { text: String(urgent), state, label: `${urgent} that need you` };
  navCounts.value = { ...navCounts.peek(), overview: count };
}
