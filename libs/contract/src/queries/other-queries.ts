import { BATCH_STATES, CLUSTER_EVENT_KINDS, type EventCursor, MAX_BATCH_NAME, TASK_STATES } from "@tickwheel/core";
import { SCHEDULE_STATES } from "@tickwheel/schedules";
import { textRule } from "../input/input-rules.js";
import { MAX_SCHEDULE_NAME } from "../input/schedule-input.js";
import {
  countParameter,
  cursorParameter,
  idCursor,
  instantParameter,
  page,
  placeCursor,
  textParameter,
  typeParameter,
  usually,
  wordParameter,
  wordsParameter,
} from "./parameters.js";
import { query } from "./query.js";

/** Instants of a preview. */
export const DEFAULT_PREVIEW = 10;
export const MAX_PREVIEW = 1_000;

const placeRule = textRule(1, MAX_SCHEDULE_NAME);

/** Which schedules a list shows. */
export const scheduleQuery = query({
  state: wordParameter(
    SCHEDULE_STATES,
    "Schedules in this state. Without a `type`, a page of active ones may be `incomplete`.",
    { name: "ScheduleState" },
  ),
  type: typeParameter("Schedules whose tasks are of this type."),
  namePrefix: textParameter(MAX_SCHEDULE_NAME, "Schedules with a name that begins so; case counts."),
  ...page(cursorParameter((text) => (placeRule(text) === null ? text : undefined))),
});

/** Which page of a schedule's runs. */
export const runsQuery = query(page(placeCursor));

/** Which of a schedule's next instants. */
export const previewQuery = query(
  {
    count: countParameter(MAX_PREVIEW, DEFAULT_PREVIEW, "How many instants."),
    from: instantParameter("From when on; default: now."),
  },
  ({ from }) => (from !== undefined && from < 0 ? [{ path: "from", message: "must not be before 1970" }] : []),
);

/** Which batches a list shows. */
export const batchQuery = query({
  state: wordsParameter(BATCH_STATES, "Batches in one of these states.", { name: "BatchState" }),
  namePrefix: textParameter(MAX_BATCH_NAME, "Batches with a name that begins so."),
  ...page(idCursor),
});

/** Which members of a batch. */
export const memberQuery = query({
  state: wordsParameter(TASK_STATES, "Members in one of these states.", { name: "TaskState" }),
  ...page(idCursor),
});

/** Which events of the cluster. */
export const eventQuery = query({
  kind: wordsParameter(CLUSTER_EVENT_KINDS, "Events of these kinds."),
  node: textParameter(255, "One node's events: by its boot id, or all incarnations by its label."),
  from: instantParameter("At this instant or later."),
  to: instantParameter("Before this instant."),
  ...page(cursorParameter(readEventCursor)),
});

/** The place that a cursor names; undefined: no list gave it. */
function readEventCursor(text: string): EventCursor | undefined {
  const found = /^(\d{1,15})-(\d{1,18})$/.exec(text);
  return found ? { at: Number(found[1]), id: found[2]! } : undefined;
}

const oneType = textParameter(128, "One type alone.");

/** Which page of the types. */
export const typesQuery = query({ type: oneType, ...page(placeCursor) });

/** Which page of the pauses. */
export const pausesQuery = query(page(placeCursor));

/** Which part of the past. */
export const historyQuery = query({
  range: usually("1h", wordParameter(["1h", "24h", "7d"], "An hour by minute, a day by ten minutes, a week by hour.")),
  type: oneType,
});

/** Which part of the future. */
export const forecastQuery = query({
  ahead: usually(
    "1h",
    wordParameter(["1m", "1h", "24h", "30d"], "A minute by second, an hour by minute, a day by hour, 30 days."),
  ),
  type: oneType,
});
