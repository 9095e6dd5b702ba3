import {
  inCode,
  instant,
  integer,
  list,
  nullable,
  object,
  record,
  said,
  string,
  unreadObject,
  wide,
} from "../shapes/parts.js";
import { scheduleBackoff } from "./schedule.js";
import { BREAKER_FIELDS } from "./task-parts.js";
import type { ValueOf } from "../shapes/shape.js";

/** What keeps tasks of a type, a namespace or a key from starting. */
export const pause = object("Pause", {
  type: nullable(string("The type that is paused, or whose key is. Null: the namespace is, with all its types.")),
  key: nullable(string("The key that is paused. Null: the whole type is.")),
  since: instant(),
  until: nullable(instant("When it ends by itself; null: when somebody resumes it.")),
  reason: nullable(string()),
  by: string("Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key."),
});
export type Pause = ValueOf<typeof pause>;

/** What may run of a type or a namespace in the whole cluster, and what does. */
export const limits = object("Limits", {
  maxRunning: nullable(integer("How many tasks may run at once. Null: as many as there is room for.")),
  running: nullable(
    integer(
      "How many hold its places, as was read within the last two seconds. Null: it has no `maxRunning`, or that is not known.",
    ),
  ),
  rate: nullable(
    said(
      object("Rate", {
        count: integer(),
        perMs: wide(),
        burst: integer("How many may start at once after a rest."),
      }),
      "`count` tasks may start in `perMs` milliseconds. Null: as often as they are due.",
    ),
  ),
  tokens: nullable(
    integer(
      "How many may start at once, as was read within the last two seconds. Null: it has no `rate`, or that is not known.",
    ),
  ),
});

/** The breaker of a type whose attempts fail. */
export const typeBreaker = object("TypeBreaker", {
  ...BREAKER_FIELDS,
  node: nullable(string("The label of the node that tries; null: none does, or it is gone.")),
});

/** How a type stands by what people have set, and by its breaker: parts of every answer that shows a type. */
export const TYPE_STANDING = {
  settings: said(
    object("TypeSettings", {
      concurrency: nullable(
        integer("How many of its tasks each node runs at once. Null: what its handler says, else the node."),
      ),
      keepSucceeded: nullable(
        wide("For how many milliseconds its succeeded tasks are kept; 0: not at all. Null: as long as all others."),
      ),
      keepCancelled: nullable(
        wide("For how many milliseconds its cancelled tasks are kept; 0: not at all. Null: as long as all others."),
      ),
      keepDead: nullable(wide("For how many milliseconds its dead tasks are kept. Null: as long as all others.")),
    }),
    "What is set of it at run time.",
  ),
  limits: nullable(
    said(limits, "Its own limits in the whole cluster; null: it has none. Those of its namespace hold beside them."),
  ),
  breaker: nullable(said(typeBreaker, "Null: it is closed, or its handler has none.")),
  pause: nullable(said(pause, "Its pause, else that of its namespace; null: neither is paused.")),
};

/** The same of a namespace. */
export const NAMESPACE_STANDING = {
  limits: nullable(said(limits, "Limits of all its types together in the whole cluster; null: it has none.")),
  pause: nullable(said(pause, "Null: it is not paused.")),
};

export const namespaceDetails = record("NamespaceDetails", { namespace: string(), ...NAMESPACE_STANDING });
export type NamespaceDetails = ValueOf<typeof namespaceDetails>;

export const typeDetails = record("TypeDetails", {
  type: string(),
  payloadSchema: nullable(
    unreadObject(
      "JSON Schema, draft 2020-12, of what a payload must be. Null: none is announced, or this node has not read it yet.",
    ),
  ),
  payloadVersion: nullable(integer("The version of new payloads; null: they have none.")),
  defaults: said(
    object("TypeDefaults", {
      maxAttempts: integer(),
      priority: integer("0 first … 9."),
      backoff: inCode(said(scheduleBackoff, "The wait between attempts."), { type: "ScheduleBackoff" }),
      timeout: wide("The limit of a handler's attempt, in milliseconds."),
      startDeadline: nullable(wide("In milliseconds; null: it may start however late.")),
    }),
    "What a new task gets where its creator says nothing: as the nodes that run the type announce it, else as documented.",
  ),
  ...TYPE_STANDING,
});
export type TypeDetails = ValueOf<typeof typeDetails>;

const waitingFor = nullable(
  said(
    list(string()),
    "Labels of the nodes that do not obey the change yet; empty: every node obeys it. Null: that is not known, since the database went away behind the commit. Make the same call again to wait on.",
  ),
);

const revision = string(
  "The revision of the settings that holds the change, timeline and number, such as `1.42`: it rises with each change.",
);

export const typeChange = record("TypeChange", { waitingFor, revision, type: typeDetails });
export type TypeChange = ValueOf<typeof typeChange>;

export const namespaceChange = record("NamespaceChange", { waitingFor, revision, namespace: namespaceDetails });
export type NamespaceChange = ValueOf<typeof namespaceChange>;

export const pauseChange = record("PauseChange", {
  waitingFor,
  revision,
  pause: nullable(said(pause, "Null: it is not paused.")),
});
export type PauseChange = ValueOf<typeof pauseChange>;

export const pausePage = record("PausePage", {
  items: said(list(pause), "Those in force, the newest first."),
  nextCursor: nullable(string("Null: there are no more.")),
});
export type PausePage = ValueOf<typeof pausePage>;
