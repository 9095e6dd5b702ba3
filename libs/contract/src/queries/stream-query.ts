import { wordsParameter } from "./parameters.js";
import { query } from "./query.js";

/** What a stream tells. */
export const STREAM_TOPICS = [
  "cluster",
  "cluster-wheel",
  "stats",
  "tabs",
  "types",
  "wheel",
  "findings",
  "history",
  "operations",
] as const;
export type StreamTopic = (typeof STREAM_TOPICS)[number];

/** Which topics a stream tells. */
export const streamQuery = query({
  topics: {
    ...wordsParameter(STREAM_TOPICS, "Separated by commas. Those of the cluster need the right `cluster`."),
    isRequired: true,
  },
});
