import {
  answer,
  backoffSetting,
  duration,
  input,
  instant,
  integer,
  json,
  list,
  nullable,
  object,
  oneOf,
  ref,
  type SchemaObject,
  string,
} from "./schema-parts.js";

const name = { type: "string", pattern: "^[A-Za-z0-9._:-]{1,100}$" };
const type = { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$" };
const count = (most: number): SchemaObject => ({ type: "integer", minimum: 1, maximum: most });
const days = { ...list({ type: "string", format: "date" }), description: "Days on which nothing runs, in the zone." };
const misfire = oneOf(["last", "skip", "all"]);
const overlap = oneOf(["skip", "buffer", "allow", "cancel-other"]);
const onResume = oneOf(["skip", "last"]);
const gap = oneOf(["shift", "skip"]);
const fold = oneOf(["first", "last", "both"]);

/** What only an answer has: the others may be sent again as they are. */
const told = (schema: SchemaObject): SchemaObject => ({ ...schema, readOnly: true });
const flag: SchemaObject = { type: "boolean", default: false };

/** The inputs about schedules. */
export const SCHEDULE_INPUTS = {
  ScheduleInput: input(
    {
      name: { ...name, description: "Unique in the namespace. With PUT it may be left out: the address has it." },
      type,
      payload: json,
      cron: { type: "string", maxLength: 256, description: "5 or 6 fields, seconds first. One of cron, every, after." },
      timeZone: { type: "string", default: "UTC", description: "IANA name: the clock of `cron` and `exclude`." },
      every: { ...duration, description: "At a fixed rate, at least 1 s." },
      anchor: { ...instant, description: "Of `every`: from when it counts. Default: `startsAt`, else the creation." },
      after: { ...duration, description: "With a fixed delay after the last end, at least 1 s." },
      startsAt: instant,
      endsAt: instant,
      exclude: days,
      misfire: { ...misfire, default: "last" },
      limit: { ...count(1_000), default: 100, description: "Of misfire `all`: how many are caught up." },
      overlap: { ...overlap, default: "skip" },
      onResume: { ...onResume, default: "skip" },
      gap: { ...gap, default: "shift" },
      fold: { ...fold, default: "first" },
      jitter: duration,
      catchUpLimit: duration,
      pauseAfterFailures: count(1_000),
      holdForRetry: { type: "boolean", default: false },
      priority: { type: "integer", minimum: 0, maximum: 9 },
      maxAttempts: count(1_000),
      backoff: backoffSetting,
      timeout: duration,
      startDeadline: duration,
      tags: list(string),
      deliver: ref("DeliverInput"),
    },
    ["type"],
  ),
  SchedulePauseInput: input({
    reason: { type: "string", minLength: 1, maxLength: 1_000 },
    until: { ...instant, description: "When it resumes by itself; default: by a call alone." },
  }),
  ScheduleTriggerInput: input({ payload: { ...json, description: "In place of the schedule's own." } }),
  ScheduleBackfillInput: input(
    {
      from: { ...instant, description: "From this instant on." },
      to: { ...instant, description: "Up to this instant, without it; not in the future." },
      dryRun: { ...flag, description: "It only tells what it would do." },
      includeUnknown: { ...flag, description: "Runs instants too of which nobody knows any more whether they ran." },
    },
    ["from", "to"],
  ),
};

/** The answers about schedules. Durations are milliseconds. */
export const SCHEDULE_ANSWERS = {
  Schedule: answer({
    name,
    namespace: told(string),
    type,
    payload: json,
    state: told(oneOf(["active", "paused", "finished"])),
    cron: nullable(string),
    timeZone: string,
    every: nullable(integer),
    anchor: nullable(instant),
    after: nullable(integer),
    startsAt: nullable(instant),
    endsAt: nullable(instant),
    exclude: days,
    misfire,
    limit: nullable(integer),
    overlap,
    onResume,
    gap,
    fold,
    jitter: integer,
    catchUpLimit: nullable(integer),
    pauseAfterFailures: nullable(integer),
    holdForRetry: { type: "boolean" },
    startDeadline: nullable(integer),
    priority: nullable(integer),
    maxAttempts: nullable(integer),
    backoff: { ...nullable({ type: "object" }), description: "As it may be given, with every field of its kind." },
    timeout: nullable(integer),
    tags: list(string),
    deliver: nullable({ type: "object" }),
    nextAt: { ...told(nullable(instant)), description: "The instant that is planned next; null: none is." },
    waitingFor: {
      ...told(nullable(oneOf(["RUN", "PLAN"]))),
      description:
        "Why an active schedule has no instant planned. `RUN`: one that has come is due, runs or waits for its retry. `PLAN`: with overlap `allow`, instants become tasks 30 s before they are due.",
    },
    pause: told(
      nullable(
        answer({
          since: instant,
          until: nullable(instant),
          reason: string,
          note: nullable(string),
          by: nullable(string),
        }),
      ),
    ),
    backfill: {
      ...told(
        nullable(answer({ from: instant, to: instant, count: integer, left: integer, since: instant, by: string })),
      ),
      description: "The backfill that goes on: `left` of its `count` runs wait.",
    },
    failures: { ...told(integer), description: "Occurrences in a row that failed." },
    application: { ...told(nullable(string)), description: "Whose code defines it." },
    revision: told(integer),
    createdAt: told(instant),
    createdBy: told(string),
    changedAt: told(instant),
    changedBy: told(string),
  }),
  SchedulePage: object(
    {
      items: list(ref("Schedule")),
      nextCursor: { ...nullable(string), description: "Null: there are no more, however short the page is." },
      incomplete: {
        type: "boolean",
        description: "The look ended before the page was full: go on with the cursor.",
      },
    },
    ["items", "nextCursor"],
  ),
  ScheduleRunPage: answer({
    items: list({
      type: "object",
      description: "A run, or instants that were skipped (`kind` `skip`).",
      required: ["kind", "reason"],
      properties: { kind: oneOf(["spec", "trigger", "backfill", "skip"]), reason: nullable(string) },
    }),
    nextCursor: nullable(string),
  }),
  ScheduleBackfill: answer({
    dryRun: { type: "boolean" },
    count: { ...integer, description: "How many instants run." },
    instants: list(
      answer({
        at: instant,
        fate: {
          ...oneOf(["ready", "ran", "pending", "unknown"]),
          description:
            "`ready`: it runs. `ran`: it had a run, or has one that lives. `pending`: nothing is decided about it yet. `unknown`: whether it ran is known no more.",
        },
        skipped: {
          ...nullable(string),
          description: "Why it had no run, `BEFORE_CREATION` included; null: it had one, or it is not known.",
        },
      }),
    ),
    more: { type: "boolean", description: "The range has more instants than are told: only a dry run is given." },
  }),
  SchedulePreview: answer({
    items: list(
      answer({
        at: instant,
        dueAt: instant,
        note: nullable(oneOf(["EXCLUDED", "GAP_SHIFTED", "GAP_SKIPPED", "FOLD_FIRST", "FOLD_SECOND"])),
        runs: { type: "boolean" },
      }),
    ),
  }),
};
