import { Injectable } from "@nestjs/common";
import type { StreamTopic } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { FigureApiService } from "../cluster/figure-api.service.js";
import { TaskApiService } from "../tasks/task-api.service.js";
import type { StreamSource } from "./stream-hub.js";

/** Where the answers come from. */
interface Answers {
  api: TaskApiService;
  figures: FigureApiService;
}

/** So many findings of the last day are told each second; the call tells all. */
const LAST_DAY_TOLD = 20;
/** The present bucket of the history, and the one before, which has just become whole. */
const BUCKETS_TOLD = 2;

/** What a topic shows: the answer of a call, or the part of it that changes. */
interface Topic {
  /** The call needs the right `cluster`, and its answer is the same for all who have it. */
  isOfCluster?: true;
  answer(from: Answers, apiKey: ApiKey): Promise<unknown>;
}

/** How the topics of `GET /v1/stream` are answered. */
const TOPICS: Readonly<Record<StreamTopic, Topic>> = {
  cluster: { isOfCluster: true, answer: ({ api }) => api.cluster() },
  "cluster-wheel": { isOfCluster: true, answer: ({ figures }) => figures.clusterWheel() },
  stats: { answer: ({ api }, apiKey) => api.stats(apiKey) },
  tabs: { answer: ({ figures }, apiKey) => figures.tabs(apiKey) },
  types: { answer: ({ figures }, apiKey) => figures.types(apiKey) },
  wheel: { answer: ({ figures }, apiKey) => figures.forecast(apiKey, { ahead: "1m" }) },
  findings: {
    answer: async ({ figures }, apiKey) => {
      const { now, lastDay } = await figures.findings(apiKey);
      return { now, lastDay: lastDay.slice(0, LAST_DAY_TOLD) };
    },
  },
  history: {
    answer: async ({ figures }, apiKey) => {
      const history = await figures.history(apiKey, { range: "1h" });
      return { ...history, buckets: history.buckets.slice(-BUCKETS_TOLD) };
    },
  },
};

export function needsCluster(topic: StreamTopic): boolean {
  return TOPICS[topic].isOfCluster === true;
}

/** Answers the topics. Callers of one namespace with the same rights see the same. */
@Injectable()
export class TopicAnswers implements StreamSource {
  private readonly from: Answers;

  constructor(api: TaskApiService, figures: FigureApiService) {
    this.from = { api, figures };
  }

  groupOf(topic: StreamTopic, { namespace, role, cluster }: ApiKey): string {
    return needsCluster(topic) ? "" : `${namespace} ${role} ${cluster}`;
  }

  answer(topic: StreamTopic, apiKey: ApiKey): Promise<unknown> {
    return TOPICS[topic].answer(this.from, apiKey);
  }
}
