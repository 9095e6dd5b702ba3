import type { Cluster, Stats } from "../api/wire.js";

/** What each topic of the stream carries: the answer of its call. */
export interface TopicAnswers {
  readonly findings: unknown;
  readonly cluster: Cluster;
  readonly stats: Stats;
  readonly types: unknown;
  readonly wheel: unknown;
  readonly history: unknown;
}

export type Topic = keyof TopicAnswers;

/** The call that gives the same answer without a stream. */
export const topicPaths: Readonly<Record<Topic, string>> = {
  findings: "/findings",
  cluster: "/cluster",
  stats: "/stats",
  types: "/types",
  wheel: "/stats/forecast?ahead=1m",
  history: "/stats/history?range=1h",
};
