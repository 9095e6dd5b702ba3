import { eventQuery, forecastQuery, historyQuery, typesQuery } from "../queries/other-queries.js";
import { cluster, clusterEventPage, clusterWheel } from "../records/cluster.js";
import { findingReport, forecast, history, stats, typePage } from "../records/figures.js";
import { typeDetails } from "../records/setting.js";
import { string } from "../shapes/parts.js";
import { group } from "./operation.js";
import { streamQuery } from "../queries/stream-query.js";

const EVENTS =
  "First `hello` with `{ at, node, topics }`, `node` for keys with the right `cluster`. Then each second `tick` with `{ at }`, and for each topic that has changed since it was sent an event of its name with the answer of its call. `problem` with `{ topic, problem }`: the topic fails. `end` with `{ code, detail }`: the key or the session is over, or the node stops; the connection is closed behind it.";

/** What can be asked about the cluster, and the figures of a namespace. */
export const CLUSTER_OPERATIONS = group({
  tag: "Cluster",
  text: "Shows the nodes, and the figures of the key's namespace.",
  path: { type: string("The type's name.") },
  rows: {
    cluster: {
      summary: "Shows nodes, leader and view",
      role: "viewer",
      cluster: true,
      rest: "GET /v1/cluster",
      answers: { 200: cluster },
      repeat: "reads",
      graphql: { query: "cluster" },
    },
    events: {
      summary: "Tells what has happened to the cluster within a week, newest first",
      role: "viewer",
      cluster: true,
      rest: "GET /v1/cluster/events",
      query: eventQuery,
      answers: { 200: clusterEventPage },
      repeat: "reads",
      graphql: { query: "clusterEvents", filter: "ClusterEventFilter" },
    },
    wheel: {
      summary: "Tells what is due within a minute, by second, and each node's share of it",
      role: "viewer",
      cluster: true,
      rest: "GET /v1/cluster/wheel",
      answers: { 200: clusterWheel },
      repeat: "reads",
      graphql: { query: "clusterWheel" },
    },
    stats: {
      summary: "Counts tasks and shows lateness",
      role: "viewer",
      rest: "GET /v1/stats",
      answers: { 200: stats },
      repeat: "reads",
      graphql: { query: "stats" },
    },
    findings: {
      summary: "Tells what is the matter now, and what was within the last day",
      role: "viewer",
      rest: "GET /v1/findings",
      answers: { 200: findingReport },
      repeat: "reads",
      graphql: { query: "findings" },
    },
    types: {
      summary: "Lists the types with their figures, those in need first",
      role: "viewer",
      rest: "GET /v1/types",
      query: typesQuery,
      answers: { 200: typePage },
      repeat: "reads",
      graphql: { query: "types" },
    },
    type: {
      summary: "Shows a type: what its payloads must be, as the nodes that run it announce, its settings and its pause",
      role: "viewer",
      rest: "GET /v1/types/:type",
      answers: { 200: typeDetails },
      errors: ["TYPE_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "type", orNull: true, text: "The type, or null" },
    },
    history: {
      summary: "Tells what happened, in buckets of one length",
      role: "viewer",
      rest: "GET /v1/stats/history",
      query: historyQuery,
      answers: { 200: history },
      repeat: "reads",
      graphql: { query: "history" },
    },
    forecast: {
      summary: "Tells what is to come, against what the cluster can start",
      role: "viewer",
      rest: "GET /v1/stats/forecast",
      query: forecastQuery,
      answers: { 200: forecast },
      repeat: "reads",
      graphql: { query: "forecast" },
    },
    stream: {
      summary: "Tells what changes, once a second, for as long as the connection is open",
      role: "viewer",
      rest: "GET /v1/stream",
      query: streamQuery,
      answers: {},
      events: EVENTS,
      repeat: "reads",
      graphql: { none: "GraphQL answers once; a stream of events stays open." },
    },
  },
});
