import {
  type JournalRequest,
  type NamespaceReader,
  MAX_ERROR_FILTER,
  MAX_TAG_LENGTH,
  TAB_RULES,
  TASK_TABS,
  type TaskFilter,
  TERMINAL_STATES,
} from "@tickwheel/core";
import { QueryReader } from "./query-reader.js";

type Query = Record<string, unknown>;

/** What the two paging parameters are called. */
const REST_NAMES = { limit: "limit", cursor: "cursor" };
const MAX_LABEL_LENGTH = 256;

/**
 * The filter of a list call. All parameters are optional; `state` may be given several times or with commas. Parameters
 * that leave nothing to find together are faults.
 *
 * @param names of the paging parameters, where they are not `limit` and `cursor`
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toTaskFilter(query: Query, read: NamespaceReader, names = REST_NAMES): TaskFilter {
  const reader = new QueryReader(query);
  const tab = reader.word("tab", TASK_TABS);
  const scheduled = reader.range("scheduled");
  const due = reader.range("due");
  const created = reader.range("created");
  const filter: TaskFilter = {
    ...read,
    tab,
    type: reader.text("type", 128),
    states: reader.states("state"),
    key: reader.text("key", 256),
    live: reader.flag("live"),
    tag: reader.text("tag", MAX_TAG_LENGTH),
    node: reader.text("node", MAX_LABEL_LENGTH),
    error: reader.text("error", MAX_ERROR_FILTER),
    ...{ scheduledFrom: scheduled.from, scheduledTo: scheduled.to },
    ...{ dueFrom: due.from, dueTo: due.to, createdFrom: created.from, createdTo: created.to },
    limit: reader.limit(names.limit),
    after: tab === undefined ? reader.cursor(names.cursor) : reader.tabCursor(names.cursor, tab),
  };
  refuseContradictions(reader, filter);
  reader.finish();
  return filter;
}

/** Tells what no task of the tab can be. */
function refuseContradictions(reader: QueryReader, { tab, states, live }: TaskFilter): void {
  if (tab === undefined) return;
  const shown = TAB_RULES[tab].states;
  if (states && !states.some((state) => shown.includes(state)))
    reader.refuse("state", `must name one that the tab ${tab} shows: ${shown.join(", ")}`);
  if (live === true && shown.every((state) => TERMINAL_STATES.includes(state)))
    reader.refuse("live", `must not be true in the tab ${tab}, whose tasks have ended`);
}

/**
 * The page of a journal call.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toJournalRequest(query: Query, task: NamespaceReader & { id: string }): JournalRequest {
  const reader = new QueryReader(query);
  const request = { ...task, limit: reader.limit("limit"), after: reader.place("cursor") };
  reader.finish();
  return request;
}
