import { Logger, type Provider } from "@nestjs/common";
import { SystemClock, turns } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";
import { problemOf, reportOf } from "../problems/problem.js";
import { StreamHub } from "./stream-hub.js";
import { TopicAnswers } from "./stream-topics.js";

/** The hub of a node. */
export const STREAM_HUB: Provider = {
  provide: StreamHub,
  inject: [API_NODE, TopicAnswers, SystemClock],
  useFactory: (node: DelayTaskNode, source: TopicAnswers, clock: SystemClock): StreamHub => {
    const logger = new Logger("Tickwheel API");
    return new StreamHub({
      clock,
      turns,
      source,
      node: node.label,
      nowMs: () => node.service.nowMs(),
      onFailure: (topic, error) => {
        if (problemOf(error).code !== "INTERNAL") return;
        logger.error(`The topic ${topic} of streams fails: ${reportOf(error)}`);
      },
    });
  },
};
