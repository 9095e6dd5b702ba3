import { readQuery, type StreamTopic, streamQuery } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { requireClusterRight } from "../keys/api-key.guard.js";
import { needsCluster } from "./stream-topics.js";

/**
 * The topics that a request asks for, each once, in its order. They may be given several times or with commas.
 *
 * @throws TickwheelError `VALIDATION_FAILED` where there is none, or one is unknown; `FORBIDDEN` where the key has not
 *   the right of the topic's call
 */
export function topicsOf(query: Record<string, unknown>, apiKey: ApiKey): StreamTopic[] {
  const topics = [...new Set(readQuery(streamQuery, query).topics)];
  if (topics.some(needsCluster)) requireClusterRight(apiKey);
  return topics;
}
