import {
  type Fault,
  isTaskId,
  MAX_ERROR_FILTER,
  MAX_TAG_LENGTH,
  readTabCursor,
  TAB_RULES,
  TASK_STATES,
  TASK_TABS,
  type TaskState,
  type TaskTab,
  TERMINAL_STATES,
} from "@tickwheel/core";
import {
  BAD_CURSOR,
  cursorParameter,
  flagParameter,
  page,
  placeCursor,
  range,
  textParameter,
  wordParameter,
  wordsParameter,
} from "./parameters.js";
import { query } from "./query.js";

const TAB = [
  "Only this tab's tasks, in its order; none: all, newest first.",
  "`overdue`: longest overdue first. `running`: longest running first. `scheduled`: not due yet, next first.",
  "`paused`: the one that was created first, first.",
  "`failing`: scheduled again after an attempt that failed, next try first.",
  "`dead`: newest death first.",
  "`finished`: newest day (UTC) of the end first, within a day the one that was created last, first.",
].join(" ");

const MAX_LABEL_LENGTH = 256;

/** Which tasks a list shows. */
export const taskQuery = query(
  {
    tab: wordParameter(TASK_TABS, TAB, { name: "TaskTab" }),
    type: textParameter(128, "Tasks of this type."),
    key: textParameter(256, "Tasks with this key."),
    state: wordsParameter(TASK_STATES, "Tasks in one of these states.", { name: "TaskState" }),
    tag: textParameter(
      MAX_TAG_LENGTH,
      "Tasks with this tag. No index has them, so a page may be `incomplete`; with a `type` the look is shorter.",
    ),
    live: flagParameter("True: tasks that have not ended; false: those that have."),
    node: textParameter(MAX_LABEL_LENGTH, "Tasks that the node with this label runs, or ran last."),
    error: textParameter(
      MAX_ERROR_FILTER,
      "Tasks whose last error contains this text, in upper or lower case; at most 200 characters.",
    ),
    ...range("scheduled", "Tasks that were scheduled for"),
    ...range("due", "Tasks whose next try is due"),
    ...range("created", "Tasks that were created"),
    ...page(cursorParameter((text) => (isTaskId(text) ? text.toLowerCase() : text))),
  },
  (values) => [
    ...rangeFaults("scheduled", values.scheduledFrom, values.scheduledTo),
    ...rangeFaults("due", values.dueFrom, values.dueTo),
    ...rangeFaults("created", values.createdFrom, values.createdTo),
    ...cursorFaults(values),
    ...(values.tab === undefined ? [] : contradictions(values.tab, values)),
  ],
);

function rangeFaults(name: string, from: number | undefined, to: number | undefined): Fault[] {
  if (from === undefined || to === undefined || from < to) return [];
  return [{ path: `${name}To`, message: `must be after ${name}From` }];
}

/** A tab's list has cursors of its own. */
function cursorFaults({ tab, cursor }: { tab: TaskTab | undefined; cursor: string | undefined }): Fault[] {
  if (cursor === undefined) return [];
  const isGiven = tab === undefined ? isTaskId(cursor) : readTabCursor(tab, cursor) !== null;
  return isGiven ? [] : [{ path: "cursor", message: BAD_CURSOR }];
}

/** What no task of the tab can be. */
function contradictions(
  tab: TaskTab,
  { state, live }: { state: readonly TaskState[] | undefined; live: boolean | undefined },
): Fault[] {
  const shown = TAB_RULES[tab].states;
  const faults: Fault[] = [];
  if (state && !state.some((one) => shown.includes(one)))
    faults.push({ path: "state", message: `must name one that the tab ${tab} shows: ${shown.join(", ")}` });
  if (live === true && shown.every((one) => TERMINAL_STATES.includes(one)))
    faults.push({ path: "live", message: `must not be true in the tab ${tab}, whose tasks have ended` });
  return faults;
}

/** Which page of a task's journal. */
export const journalQuery = query(page(placeCursor));
