import { SCHEDULE_STATES } from "@tickwheel/schedules";
import { POLICIES } from "../input/schedule-policies.js";
import { PAYLOAD } from "../input/payload-input.js";
import {
  day,
  either,
  flag,
  id,
  inCode,
  instant,
  integer,
  json,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  said,
  string,
  told,
  wide,
  words,
} from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";
import { delivery, payloadMasked } from "./task.js";

/**
 * The wait between attempts, in the form in which it may be given. GraphQL gives it as JSON, to be sent again as it is.
 */
export const scheduleBackoff = either(
  { keyword: "oneOf", graphql: "JSON" },
  object("FixedBackoff", { kind: words(["fixed"]), delay: wide() }),
  object("ExponentialBackoff", { kind: words(["exponential"]), initial: wide(), max: wide(), jitter: number() }),
  object("LadderBackoff", { kind: words(["ladder"]), delays: list(wide()) }),
);

/** What every edge tells of a schedule. */
export const SCHEDULE_FIELDS = {
  id: told(id("No later schedule of the same name has it.")),
  name: string(),
  namespace: told(string()),
  type: string(),
  payload: inCode(json(PAYLOAD), { type: "Payload" }),
  state: told(said(words(SCHEDULE_STATES, "ScheduleState"), "`finished`: it has no instant left.")),
  cron: nullable(string()),
  timeZone: string(),
  every: nullable(wide()),
  anchor: nullable(instant()),
  after: nullable(wide()),
  startsAt: nullable(instant()),
  endsAt: nullable(instant()),
  exclude: said(list(day()), "Days on which nothing runs, in the zone."),
  misfire: POLICIES.misfire,
  limit: nullable(integer("For misfire `all`: how many are caught up.")),
  overlap: POLICIES.overlap,
  onResume: POLICIES.onResume,
  gap: POLICIES.gap,
  fold: POLICIES.fold,
  jitter: wide(),
  catchUpLimit: nullable(wide()),
  pauseAfterFailures: nullable(integer()),
  holdForRetry: flag(),
  startDeadline: nullable(wide()),
  priority: nullable(integer()),
  maxAttempts: nullable(integer()),
  backoff: nullable(
    inCode(
      said(scheduleBackoff, "As it may be given, with every field of its kind; null: as the type's handler wants."),
      { type: "ScheduleBackoff" },
    ),
  ),
  timeout: nullable(wide()),
  tags: list(string()),
  deliver: nullable(said(delivery, "Where its tasks are sent; null: a handler runs them, or consumers do.")),
  nextAt: told(
    nullable(instant("The instant that is planned next; null: none is, for which `state` and `waitingFor` say why.")),
  ),
  waitingFor: told(
    nullable(
      said(
        words(["RUN", "PLAN"], "ScheduleWait", {
          RUN: "One that has come is due, runs, or waits for its retry: what comes next is planned when that has ended.",
          PLAN: "With overlap `allow`, instants become tasks 30 s before they are due.",
        }),
        "Why an active schedule has no instant planned. `RUN`: one that has come is due, runs or waits for its retry. `PLAN`: with overlap `allow`, instants become tasks 30 s before they are due.",
      ),
    ),
  ),
  pause: told(
    nullable(
      said(
        object("SchedulePause", {
          since: instant(),
          until: nullable(instant("Null: until somebody resumes it.")),
          reason: string("`FAILURES` in a row, `UNANNOUNCED` by any node's code, or `REQUESTED`."),
          note: nullable(string()),
          by: nullable(string()),
        }),
        "Why and until when it is paused; null: it is not.",
      ),
    ),
  ),
  backfill: told(
    nullable(
      said(
        object("BackfillProgress", {
          from: instant(),
          to: instant(),
          count: integer("How many runs it makes."),
          left: integer("How many of them wait."),
          since: instant(),
          by: string(),
        }),
        "The backfill that goes on; null: none does.",
      ),
    ),
  ),
  failures: told(integer("Occurrences in a row that failed.")),
  application: told(nullable(string("Whose code defines it; null: it was made by a call."))),
  revision: told(integer("Raised by each change.")),
  createdAt: told(instant()),
  createdBy: told(string()),
  changedAt: told(instant()),
  changedBy: told(string()),
};

export const schedule = record(
  "Schedule",
  { ...SCHEDULE_FIELDS, payloadMasked: told(payloadMasked) },
  "Durations are milliseconds. What is not told by the scheduler alone may be given again as it is, and changes nothing then.",
);
export type Schedule = ValueOf<typeof schedule>;

export const schedulePage = record("SchedulePage", {
  items: said(list(schedule), "By name. The page ends with the schedule that reaches 2 MiB of payloads."),
  nextCursor: nullable(string("Null: there are no more, however short the page is.")),
  incomplete: optional(flag("The look ended before the page was full: go on with the cursor.")),
});
export type SchedulePage = ValueOf<typeof schedulePage>;

/** What GraphQL answers to a put; REST has the outcome in a header of the answer. */
export const putScheduleResult = object("PutScheduleResult", {
  outcome: words(["created", "changed", "unchanged"], "PutScheduleOutcome"),
  schedule,
});

export const scheduleBackfill = record("ScheduleBackfill", {
  dryRun: flag(),
  count: integer("How many instants run."),
  instants: list(
    object("BackfillInstant", {
      at: instant(),
      fate: words(["ready", "ran", "pending", "unknown"], "BackfillFate", {
        ready: "It runs.",
        ran: "It had a run, or has one that lives.",
        pending: "Nothing is decided about it yet: the schedule is paused, or is about to catch up with it.",
        unknown: "Whether it ran is known no more.",
      }),
      skipped: nullable(
        inCode(string("Why it had no run, `BEFORE_CREATION` included; null: it had one, or it is not known."), {
          type: 'SkipReason | "BEFORE_CREATION"',
        }),
      ),
    }),
  ),
  more: flag("The range has more instants than are told: only a dry run is given."),
});
export type ScheduleBackfill = ValueOf<typeof scheduleBackfill>;

const run = object("ScheduledRun", {
  kind: words(["spec", "trigger", "backfill"]),
  taskId: id(),
  at: instant("The instant that it runs for."),
  dueAt: instant(),
  missed: integer("How many instants were missed before it."),
  missedMore: flag("More were missed than are counted."),
  startedAt: nullable(instant()),
  finishedAt: nullable(instant()),
  latenessMs: nullable(wide("Milliseconds from its due time to its first start; null: it has not started.")),
  outcome: nullable(string("Null: it lives. `gone`: its task is kept no more.")),
  reason: nullable(string()),
});
const skip = object("SkippedInstants", {
  kind: words(["skip"]),
  from: instant("The first of the instants that were skipped."),
  to: instant("The last of them."),
  count: integer(),
  more: flag("There are more between the two than were counted."),
  reason: string(),
});

export const scheduleRun = either({ keyword: "oneOf", graphql: { name: "ScheduleRun" } }, run, skip);

export const scheduleRunPage = record("ScheduleRunPage", {
  items: said(list(scheduleRun), "Runs, and instants that were skipped (`kind` `skip`), the newest first."),
  nextCursor: nullable(string()),
});
export type ScheduleRunPage = ValueOf<typeof scheduleRunPage>;

export const previewedInstant = object("PreviewedInstant", {
  at: instant(),
  dueAt: instant("When it would run, with its jitter."),
  note: nullable(words(["EXCLUDED", "GAP_SHIFTED", "GAP_SKIPPED", "FOLD_FIRST", "FOLD_SECOND"])),
  runs: flag(),
});

export const schedulePreview = record("SchedulePreview", { items: list(previewedInstant) });
export type SchedulePreview = ValueOf<typeof schedulePreview>;
