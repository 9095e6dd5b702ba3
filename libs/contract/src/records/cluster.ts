import { CLUSTER_EVENT_KINDS } from "@tickwheel/core";
import {
  unreadObject,
  flag,
  instant,
  integer,
  list,
  nullable,
  number,
  object,
  record,
  said,
  string,
  wide,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

const node = object("ClusterNode", {
  label: string("`ip:pid`."),
  name: string("For people; by default the machine's."),
  bootId: string(),
  version: string(),
  joinedAt: instant(),
  state: words(["joining", "live", "suspect", "draining", "dead"], "NodeState"),
  roles: list(string()),
  types: list(string()),
  heartbeatAgeMs: number(),
  loopLagMs: number(),
  clockOffsetMs: number(),
  ownedSlots: integer(),
  wheelSize: integer(),
  inFlight: integer(),
  places: integer("Executions that it may have at once; 0: not known."),
  blocked: nullable(
    said(
      object("BlockedLoop", {
        forMs: number(),
        running: list(object("TypeInFlight", { type: string(), count: integer() })),
        lastStarted: nullable(string("The task whose handler was called last.")),
      }),
      "Null: its event loop turns.",
    ),
  ),
  away: said(list(words(["redis", "postgres"])), "What it does not reach just now."),
});

const goneNode = object("GoneNode", {
  bootId: string(),
  label: nullable(string()),
  name: nullable(string()),
  how: said(
    words(["DEAD", "LEFT"], "GoneHow", { DEAD: "A leader declared it dead.", LEFT: "It said goodbye." }),
    "`DEAD`: a leader declared it dead. `LEFT`: it said goodbye.",
  ),
  at: instant(),
  lastBeatAt: nullable(instant()),
  orphanedTypes: said(list(string()), "Types that no node ran any more; at most 100."),
});

export const cluster = record("Cluster", {
  coordination: words(["redis", "postgres", "postgres-degraded"]),
  leader: nullable(object("Leader", { node: string(), bootId: string(), term: wide() })),
  view: wide(),
  slots: integer(),
  degraded: list(object("DegradedPart", { part: string(), since: instant(), detail: string() })),
  nodes: list(node),
  gone: nullable(
    said(
      list(goneNode),
      "Nodes that left within 24 hours, newest first, at most 100; null: not known, Postgres does not answer.",
    ),
  ),
});
export type Cluster = ValueOf<typeof cluster>;

const event = object("ClusterEvent", {
  id: string(),
  at: instant(),
  kind: words(CLUSTER_EVENT_KINDS),
  node: nullable(
    said(
      object("EventNode", { bootId: string(), label: nullable(string()), name: nullable(string()) }),
      "Null: the event is about several nodes.",
    ),
  ),
  lastBeatAt: nullable(instant("The last heartbeat of a node that is `SUSPECT` or `DEAD`, where it is known.")),
  facts: unreadObject("What is known of it, by its kind."),
});

export const clusterEventPage = record("ClusterEventPage", { items: list(event), nextCursor: nullable(string()) });
export type ClusterEventPage = ValueOf<typeof clusterEventPage>;

const SHARE = {
  seconds: said(list(integer()), "Due in each of the next 60 seconds."),
  overdue: integer("At most 10,000 are counted, of all nodes together."),
  overdueAtLeast: flag("Counting ended there: each share may have more than `overdue`."),
  nextDueAt: nullable(instant()),
};

/** The minute to come, with each node's share. */
export const clusterWheel = record("ClusterWheel", {
  countedAt: instant(),
  view: wide("The view whose nodes have the shares; 0: there is no view yet."),
  incomplete: flag(
    "There are more than 500,000 tasks in this minute, or more than 32 sets of nodes that run types: the figures are the least there is.",
  ),
  capacity: object("WheelCapacity", { perSecond: nullable(number()), measured: flag() }),
  all: object("WheelShare", SHARE),
  fullest: said(
    list(
      object("FullSecond", {
        inS: integer("1 is the first."),
        due: integer(),
        types: list(object("TypeDue", { type: string(), due: wide() })),
      }),
    ),
    "The fullest seconds, most first, ten at most, with the three types that have most.",
  ),
  nodes: said(
    list(
      object("NodeShare", {
        bootId: string(),
        label: string(),
        inMemory: nullable(
          integer("Entries in its wheel, as its newest beat told: tasks due within its horizon, and what is parked."),
        ),
        ...SHARE,
      }),
    ),
    "The share of each node in the view, by ownership; 100 at most, those with most to come.",
  ),
  otherNodes: integer("Nodes that are not told."),
  nobody: said(object("WheelShare", SHARE), "What no node owns: none in the view runs its type."),
});
export type ClusterWheel = ValueOf<typeof clusterWheel>;
