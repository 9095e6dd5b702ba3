import type { Findings } from "../api/asked.js";
import type {
  Cluster,
  ClusterWheel,
  Forecast,
  History,
  OperationPage,
  Stats,
  TabCounts,
  TypePage,
} from "../api/wire.js";
import { tabCountsPath } from "../api/tickwheel-api.js";

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
  readonly operations: OperationPage;
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
  operations: "/operations?state=running,undoing",
};
