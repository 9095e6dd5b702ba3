import { DEAD_REASONS } from "@tickwheel/core";
import {
  extended,
  flag,
  id,
  instant,
  integer,
  list,
  nullable,
  object,
  record,
  said,
  string,
  wide,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

export const deadLetter = object("DeadLetter", {
  id: id(),
  key: nullable(string()),
  finishedAt: instant("When it died."),
  lastError: nullable(string()),
  attempt: integer(),
  maxAttempts: integer(),
  node: nullable(string("The label of the node that ran it last; null: unknown.")),
});

export const deadGroup = record("DeadGroup", {
  type: string(),
  fingerprint: nullable(
    string(
      "The fingerprint of the errors; the filter `fingerprint` finds their tasks. Null: the type has too many causes, and these are the ones without a group, together.",
    ),
  ),
  title: string("What their errors say, without what differs from case to case; empty without a fingerprint."),
  place: string("The function of the application that threw them; empty: unknown."),
  count: wide("Dead tasks; a second or two old."),
  firstAt: instant("Since the group was empty last."),
  lastAt: instant(),
  seenAt: nullable(
    instant("When somebody said last that he has looked at it. Null: nobody has since the group was empty last."),
  ),
  reason: said(words(DEAD_REASONS), "Why the last of them was given up."),
  hours: said(list(integer()), "Deaths in each of the last 168 hours, the present one last."),
  sample: nullable(said(deadLetter, "The last of them. Null: it is dead no more.")),
});
export type DeadGroup = ValueOf<typeof deadGroup>;

export const deadGroupDetails = extended("DeadGroupDetails", deadGroup, {
  lookedAt: integer("How many of its newest tasks were looked at for `nodes` and `versions`, 1,000 at most."),
  nodes: said(
    list(object("DeadOnNode", { node: nullable(string()), count: integer() })),
    "Where they died, the most first; null: a node that is forgotten.",
  ),
  versions: said(
    list(object("DeadOnVersion", { version: nullable(string()), count: integer() })),
    "The versions of these nodes; null: forgotten.",
  ),
  retrying: said(
    object("RetryingTasks", {
      count: integer(),
      isAtLeast: flag("There may be more: 20,000 scheduled tasks were looked at."),
    }),
    "Tasks that wait for a further attempt after the same error.",
  ),
  keptUntil: instant("When the oldest of them is deleted."),
  newest: said(list(deadLetter), "The ten newest."),
});
export type DeadGroupDetails = ValueOf<typeof deadGroupDetails>;

export const deadGroupPage = record("DeadGroupPage", {
  items: list(deadGroup),
  nextCursor: nullable(string()),
  causes: integer("Groups that fit, on whatever page."),
  tasks: wide("Their tasks."),
});
export type DeadGroupPage = ValueOf<typeof deadGroupPage>;
