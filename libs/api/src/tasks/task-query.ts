import { type JournalRequest, MAX_TAG_LENGTH, type TaskFilter } from "@tickwheel/core";
import { QueryReader } from "./query-reader.js";

type Query = Record<string, unknown>;

/** What the two paging parameters are called. */
const REST_NAMES = { limit: "limit", cursor: "cursor" };

/**
 * The filter of a list call. All parameters are optional; `state` may be given several times or with commas.
 *
 * @param names of the paging parameters, where they are not `limit` and `cursor`
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toTaskFilter(query: Query, namespace: string, names = REST_NAMES): TaskFilter {
  const reader = new QueryReader(query);
  const filter: TaskFilter = {
    namespace,
    type: reader.text("type", 128),
    states: reader.states("state"),
    key: reader.text("key", 256),
    live: reader.flag("live"),
    tag: reader.text("tag", MAX_TAG_LENGTH),
    scheduledFrom: reader.instant("scheduledFrom"),
    scheduledTo: reader.instant("scheduledTo"),
    limit: reader.limit(names.limit),
    after: reader.cursor(names.cursor),
  };
  reader.finish();
  return filter;
}

/**
 * The page of a journal call.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toJournalRequest(query: Query, task: { namespace: string; id: string }): JournalRequest {
  const reader = new QueryReader(query);
  const request = { ...task, limit: reader.limit("limit"), after: reader.place("cursor") };
  reader.finish();
  return request;
}
