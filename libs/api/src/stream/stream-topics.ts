import { Injectable } from "@nestjs/common";
import { operationQuery, readQuery, type StreamTopic, typesQuery } from "@tickwheel/contract/operations";
import { type ApiKey, OPEN_OPERATION_STATES } from "@tickwheel/core";
import { ClusterApiService } from "../cluster/cluster-api.service.js";
import { OperationApiService } from "../operations/operation-api.service.js";
import { TaskApiService } from "../tasks/task-api.service.js";
import type { StreamSource } from "./stream-hub.js";

/** Where the answers come from. */
interface Answers {
  tasks: TaskApiService;
  cluster: ClusterApiService;
  operations: OperationApiService;
}

/** How many findings of the last day are sent each second; the call returns all. */
const LAST_DAY_TOLD = 20;
/** The present bucket of the history, and the one before, which has just become whole. */
const BUCKETS_TOLD = 2;

/** What a topic shows: the answer of a call, or the part of it that changes. */
interface Topic {
  /** The call needs the right `cluster`, and its answer is the same for all who have it. */
  isOfCluster?: true;
  answer(from: Answers, apiKey: ApiKey): Promise<unknown>;
}

const FIRST_TYPES = readQuery(typesQuery, {});
const OPEN_OPERATIONS = readQuery(operationQuery, { state: OPEN_OPERATION_STATES.join(",") });

/** How the topics of `GET /v1/stream` are answered. */
const TOPICS: Readonly<Record<StreamTopic, Topic>> = {
  cluster: { isOfCluster: true, answer: ({ cluster }) => cluster.cluster() },
  "cluster-wheel": { isOfCluster: true, answer: ({ cluster }) => cluster.wheel() },
  stats: { answer: ({ cluster }, apiKey) => cluster.stats({ apiKey }) },
  tabs: { answer: ({ tasks }, apiKey) => tasks.counts({ apiKey }) },
  types: { answer: ({ cluster }, apiKey) => cluster.types({ apiKey, query: FIRST_TYPES }) },
  wheel: { answer: ({ cluster }, apiKey) => cluster.forecast({ apiKey, query: { ahead: "1m", type: undefined } }) },
  findings: {
    answer: async ({ cluster }, apiKey) => {
      const { now, lastDay } = await cluster.findings({ apiKey });
      return { now, lastDay: lastDay.slice(0, LAST_DAY_TOLD) };
    },
  },
  operations: { answer: ({ operations }, apiKey) => operations.operations({ apiKey, query: OPEN_OPERATIONS }) },
  history: {
    answer: async ({ cluster }, apiKey) => {
      const history = await cluster.history({ apiKey, query: { range: "1h", type: undefined } });
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

  constructor(tasks: TaskApiService, cluster: ClusterApiService, operations: OperationApiService) {
    this.from = { tasks, cluster, operations };
  }

  groupOf(topic: StreamTopic, { namespace, role, cluster }: ApiKey): string {
    return needsCluster(topic) ? "" : `${namespace} ${role} ${cluster}`;
  }

  answer(topic: StreamTopic, apiKey: ApiKey): Promise<unknown> {
    return TOPICS[topic].answer(this.from, apiKey);
  }
}
