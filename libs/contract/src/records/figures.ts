import { FINDING_CODES, SEVERITIES, TASK_STATES, TASK_TABS, type TaskState, type TaskTab } from "@tickwheel/core";
import {
  anyObject,
  flag,
  instant,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  said,
  string,
  wide,
  words,
} from "../shapes/parts.js";
import type { Shape, ValueOf } from "../shapes/shape.js";
import { TYPE_STANDING } from "./setting.js";

/** The lateness of many starts. */
const lateness = nullable(object("Lateness", { p50: number(), p99: number(), max: number() }));

/** One field for each of some words. */
function eachOf<const Word extends string, Value>(
  list_: readonly Word[],
  field: Shape<Value>,
): Record<Word, Shape<Value>> {
  return Object.fromEntries(list_.map((word) => [word, field])) as Record<Word, Shape<Value>>;
}

const skipped = wide("How many of these had a condition that said no.");

export const stats = record("Stats", {
  counts: object("StateCounts", eachOf<TaskState, number>(TASK_STATES, wide())),
  countedAt: instant(),
  overdue: wide(),
  oldestOverdueMs: nullable(number()),
  lastMinute: object("LastMinute", {
    created: wide(),
    started: wide(),
    succeeded: wide(),
    skipped,
    failed: wide(),
    latenessMs: lateness,
  }),
  wheel: said(object("Wheel", { entries: integer(), bytes: wide() }), "The wheel of the node that answers."),
});
export type Stats = ValueOf<typeof stats>;

const finding = object("Finding", {
  id: string(),
  code: words(FINDING_CODES),
  severity: words(SEVERITIES, "Severity"),
  since: instant(),
  until: nullable(instant()),
  title: string(),
  consequence: string(),
  cure: string(),
  facts: anyObject("What the sentences are made of."),
});

export const findingReport = record("FindingReport", {
  at: instant(),
  now: said(list(finding), "Worst first."),
  lastDay: said(list(finding), "Those that are over, newest first; at most 500."),
});
export type FindingReport = ValueOf<typeof findingReport>;

const typeFigures = object("TypeFigures", {
  type: string(),
  delivery: words(["handler", "webhook", "broker", "pull"], "TypeDelivery"),
  overdue: integer("Due, and not started; at most 10,000 are counted."),
  overdueAtLeast: flag("Counting ended at `overdue`: there are more."),
  oldestOverdueMs: nullable(number()),
  running: integer(),
  startsPerSecond: number("Mean of the last minute."),
  succeeded: wide("Tasks of the last five minutes."),
  skipped,
  failedShare: nullable(
    number("The share of the attempts of the last five minutes that failed; null: there were none."),
  ),
  latenessMs: lateness,
  nodes: said(list(string()), "Labels of the nodes that run it; told to keys with the right `cluster`."),
  waitsFor: nullable(
    words(["HANDLER", "CONSUMER", "CAPACITY", "BREAKER", "PAUSE", "LIMIT"], "TypeWait", {
      BREAKER: "Its attempts fail, so none is started.",
      LIMIT: "A limit of its own or of its namespace lets no more start just now.",
    }),
  ),
  lastError: nullable(string()),
  ...TYPE_STANDING,
});

export const typePage = record("TypePage", {
  items: said(list(typeFigures), "Those in need first."),
  nextCursor: nullable(string()),
  countedAt: instant(),
});
export type TypePage = ValueOf<typeof typePage>;

const tabCount = object("TabCount", {
  count: integer(),
  atLeast: optional(flag("Counting ended at `count`: there may be more. Absent: there are not.")),
});

export const tabCounts = record("TabCounts", {
  ...eachOf<TaskTab, ValueOf<typeof tabCount>>(TASK_TABS, tabCount),
  countedAt: instant(),
});
export type TabCounts = ValueOf<typeof tabCounts>;

export const history = record("History", {
  range: words(["1h", "24h", "7d"]),
  type: nullable(string()),
  bucketMs: integer(),
  from: instant(),
  to: instant(),
  buckets: said(
    list(
      object("HistoryBucket", {
        at: instant(),
        created: wide(),
        started: wide(),
        succeeded: wide(),
        skipped,
        failed: wide("Attempts, whatever became of the task."),
        dead: wide(),
        latenessMs: lateness,
        latenessPartsMs: said(
          object("LatenessSums", { known: wide(), wheel: wide(), place: wide(), claim: wide(), start: wide() }),
          "The lateness of all starts in parts, each part added up, in milliseconds.",
        ),
        places: number("Places in use, on the mean."),
      }),
    ),
    "Oldest first, each of them, also where nothing happened; the last one is the present, not over yet.",
  ),
});
export type History = ValueOf<typeof history>;

const typeDue = object("TypeDue", { type: string(), due: wide() });

export const forecast = record("Forecast", {
  ahead: words(["1m", "1h", "24h", "30d"]),
  type: nullable(string()),
  bucketMs: integer(),
  countedAt: instant(),
  incomplete: flag("There are more than 2,000,000 tasks in this time: the figures are the least there is."),
  overdue: integer("At most 10,000 are counted."),
  overdueAtLeast: flag("Counting ended at `overdue`: there are more."),
  oldestOverdueMs: nullable(number()),
  nextDueAt: nullable(instant()),
  buckets: list(
    object("ForecastBucket", {
      at: instant(),
      due: wide("Tasks that there are already."),
      fromSchedules: integer(
        "About as many more will be made by schedules that are active: by each instant, as if no run took longer than to the next one.",
      ),
    }),
  ),
  schedulesCut: flag(
    "Not all that schedules will make was counted: 200 schedules are looked at, 2,000 instants of each, and 10,000 in all.",
  ),
  types: said(list(typeDue), "Most first; at most ten."),
  otherTypes: integer(),
  capacity: object("Capacity", {
    perSecond: nullable(
      number("Tasks that the cluster can start in a second; null also for keys without the right `cluster`."),
    ),
    measured: flag("The best minute of the last day reached it; false: it is a guess from places and durations."),
  }),
  over: nullable(
    said(
      object("OverCapacity", {
        at: instant(),
        due: wide(),
        capacity: wide(),
        lateMs: wide(),
        type: string(),
        typeDue: wide(),
      }),
      "The first bucket with more than can be started in it, and the type with most of it; for keys with the right `cluster`.",
    ),
  ),
});
export type Forecast = ValueOf<typeof forecast>;
