import type { ClusterWheel } from "../api/cluster-wire.js";
import type { Findings, Forecast, History, TypePage } from "../api/figures.js";
import type { TabCounts } from "../api/task-wire.js";
import { tabCountsPath } from "../api/tickwheel-api.js";
import type { Cluster, Stats } from "../api/wire.js";

/** What each topic of the stream carries: the answer of its call, of the history and the findings the newest part. */
export interface TopicAnswers {
  readonly findings: Findings;
  readonly cluster: Cluster;
  readonly "cluster-wheel": ClusterWheel;
  readonly stats: Stats;
  readonly types: TypePage;
  readonly wheel: Forecast;
  readonly history: History;
  readonly tabs: TabCounts;
}

export type Topic = keyof TopicAnswers;

/** The call that gives the same answer without a stream. */
export const topicPaths: Readonly<Record<Topic, string>> = {
  findings: "/findings",
  cluster: "/cluster",
  "cluster-wheel": "/cluster/wheel",
  stats: "/stats",
  types: "/types",
  wheel: "/stats/forecast?ahead=1m",
  history: "/stats/history?range=1h",
  tabs: tabCountsPath,
};
