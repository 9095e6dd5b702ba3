import { CLUSTER_EVENT_KINDS, FINDING_CODES, SEVERITIES, TASK_TABS } from "@tickwheel/core";
import { string, integer, number, instant, nullable, object, oneOf, list, answer } from "./schema-parts.js";
import { CLUSTER_WHEEL } from "./wheel-schema.js";

const FINDING = answer({
  id: string,
  code: oneOf(FINDING_CODES),
  severity: oneOf(SEVERITIES),
  since: instant,
  until: nullable(instant),
  title: string,
  consequence: string,
  cure: string,
  facts: { type: "object", additionalProperties: true, description: "What the sentences are made of." },
});

const TYPE_FIGURES = answer({
  type: string,
  delivery: oneOf(["handler", "webhook"]),
  overdue: { ...integer, description: "Due, and not started; at most 10,000 are counted." },
  overdueAtLeast: { type: "boolean", description: "Counting ended at `overdue`: there are more." },
  oldestOverdueMs: nullable(number),
  running: integer,
  startsPerSecond: { ...number, description: "Of the last minute." },
  succeeded: { ...integer, description: "Tasks of the last five minutes." },
  skipped: { ...integer, description: "Of these, the ones whose condition said no." },
  failedShare: nullable({ ...number, description: "Of the attempts of the last five minutes." }),
  latenessMs: nullable(answer({ p50: number, p99: number, max: number })),
  nodes: { ...list(string), description: "Labels of the nodes that run it; told to keys with the right `cluster`." },
  waitsFor: nullable(oneOf(["HANDLER", "CAPACITY"])),
  lastError: nullable(string),
});

const TAB_COUNT = object(
  {
    count: integer,
    atLeast: { type: "boolean", description: "Counting ended at `count`: there may be more. Absent: there are not." },
  },
  ["count"],
);
const GONE_NODE = answer({
  bootId: string,
  label: nullable(string),
  name: nullable(string),
  how: { ...oneOf(["DEAD", "LEFT"]), description: "`DEAD`: a leader declared it dead. `LEFT`: it said goodbye." },
  at: instant,
  lastBeatAt: nullable(instant),
  orphanedTypes: { ...list(string), description: "Types that no node ran any more; at most 100." },
});

/** Of a cluster's report. */
export const GONE_NODES = {
  ...nullable(list(GONE_NODE)),
  description: "Nodes that left within 24 hours, newest first, at most 100; null: not known, Postgres does not answer.",
};

const CLUSTER_EVENT = answer({
  id: string,
  at: instant,
  kind: oneOf(CLUSTER_EVENT_KINDS),
  node: {
    ...nullable(answer({ bootId: string, label: nullable(string), name: nullable(string) })),
    description: "Null: the event is about several nodes.",
  },
  lastBeatAt: { ...nullable(instant), description: "Of `SUSPECT` and `DEAD`, where it is known." },
  facts: { type: "object", additionalProperties: true, description: "What is known of it, by its kind." },
});

/** What findings and figures look like. */
export const FIGURE_SCHEMAS = {
  FindingReport: answer({
    at: instant,
    now: { ...list(FINDING), description: "Worst first." },
    lastDay: { ...list(FINDING), description: "Those that are over, newest first; at most 500." },
  }),
  History: answer({
    range: oneOf(["1h", "24h", "7d"]),
    type: nullable(string),
    bucketMs: integer,
    from: instant,
    to: instant,
    buckets: {
      ...list(
        answer({
          at: instant,
          created: integer,
          started: integer,
          succeeded: integer,
          skipped: { ...integer, description: "Of these, the ones whose condition said no." },
          failed: { ...integer, description: "Attempts, whatever became of the task." },
          dead: integer,
          latenessMs: nullable(answer({ p50: number, p99: number, max: number })),
          latenessPartsMs: {
            ...answer({ known: integer, wheel: integer, place: integer, claim: integer, start: integer }),
            description: "The lateness of all starts in parts, each part added up, in milliseconds.",
          },
          places: { ...number, description: "Places in use, on the mean." },
        }),
      ),
      description:
        "Oldest first, each of them, also where nothing happened; the last one is the present, not over yet.",
    },
  }),
  Forecast: answer({
    ahead: oneOf(["1m", "1h", "24h", "30d"]),
    type: nullable(string),
    bucketMs: integer,
    countedAt: instant,
    incomplete: {
      type: "boolean",
      description: "There are more than 2,000,000 tasks in this time: the figures are the least there is.",
    },
    overdue: { ...integer, description: "At most 10,000 are counted." },
    overdueAtLeast: { type: "boolean", description: "Counting ended at `overdue`: there are more." },
    oldestOverdueMs: nullable(number),
    nextDueAt: nullable(instant),
    buckets: list(answer({ at: instant, due: integer })),
    types: { ...list(answer({ type: string, due: integer })), description: "Most first; at most ten." },
    otherTypes: integer,
    capacity: answer({
      perSecond: nullable({
        ...number,
        description: "Tasks that the cluster can start in a second; null also for keys without the right `cluster`.",
      }),
      measured: {
        type: "boolean",
        description: "The best minute of the last day reached it; false: it is a guess from places and durations.",
      },
    }),
    over: {
      ...nullable(
        answer({ at: instant, due: integer, capacity: integer, lateMs: integer, type: string, typeDue: integer }),
      ),
      description:
        "The first bucket with more than can be started in it, and the type with most of it; for keys with the right `cluster`.",
    },
  }),
  TabCounts: answer({ ...Object.fromEntries(TASK_TABS.map((tab) => [tab, TAB_COUNT])), countedAt: instant }),
  ClusterWheel: CLUSTER_WHEEL,
  ClusterEventPage: answer({ items: list(CLUSTER_EVENT), nextCursor: nullable(string) }),
  TypePayload: answer({
    type: string,
    payloadSchema: {
      ...nullable({ type: "object", additionalProperties: true }),
      description:
        "JSON Schema, draft 2020-12, of what a payload must be. Null: none is announced, or this node has not read it yet.",
    },
    payloadVersion: { ...nullable(integer), description: "Of new payloads; null: they have none." },
  }),
  TypePage: answer({ items: list(TYPE_FIGURES), nextCursor: nullable(string), countedAt: instant }),
};
