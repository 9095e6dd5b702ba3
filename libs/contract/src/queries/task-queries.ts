import {
  type AskedFilter,
  checkAsked,
  type Fault,
  isTaskId,
  possibleStates,
  readTabCursor,
  TAB_RULES,
  TASK_TABS,
  type TaskFilter,
  type TaskTab,
  TERMINAL_STATES,
} from "@tickwheel/core";
import { BAD_CURSOR, cursorParameter, page, placeCursor, wordParameter } from "./parameters.js";
import { query, type ValuesOf } from "./query.js";
import { askedFilterOf, FILTER_PARAMETERS, filterFaults } from "./task-filter.js";

const TAB = [
  "Only this tab's tasks, in its order; none: all, newest first.",
  "`overdue`: longest overdue first. `running`: longest running first. `scheduled`: not due yet, next first.",
  "`paused`: the one that was created first, first.",
  "`failing`: scheduled again after an attempt that failed, next try first.",
  "`dead`: newest death first.",
  "`finished`: newest day (UTC) of the end first, within a day the one that was created last, first.",
].join(" ");

/** Which tasks a list shows. */
export const taskQuery = query(
  {
    tab: wordParameter(TASK_TABS, TAB, { name: "TaskTab" }),
    ...FILTER_PARAMETERS,
    ...page(cursorParameter((text) => (isTaskId(text) ? text.toLowerCase() : text))),
  },
  (values) => [
    ...filterFaults(values),
    ...cursorFaults(values),
    ...(values.tab === undefined ? [] : contradictions(values.tab, values)),
  ],
);

/** Which tasks a list shows, and which page of them. */
export interface AskedTasks extends AskedFilter, Pick<TaskFilter, "tab" | "limit" | "after"> {}

/** What the query of a list asks for. */
export function askedTasksOf(values: ValuesOf<typeof taskQuery>): AskedTasks {
  const { tab, limit, cursor: after } = values;
  return { ...askedFilterOf(values), tab, limit, after };
}

/** A tab's list has cursors of its own. */
function cursorFaults({ tab, cursor }: { tab: TaskTab | undefined; cursor: string | undefined }): Fault[] {
  if (cursor === undefined) return [];
  const isGiven = tab === undefined ? isTaskId(cursor) : readTabCursor(tab, cursor) !== null;
  return isGiven ? [] : [{ path: "cursor", message: BAD_CURSOR }];
}

/** What no task of the tab can be, of a filter that is sound. */
function contradictions(tab: TaskTab, values: Parameters<typeof askedFilterOf>[0]): Fault[] {
  const asked = askedFilterOf(values);
  const { filter, faults: unsound } = checkAsked(asked, null);
  if (unsound.some(({ path }) => /^(states|live|q)\b/.test(path))) return [];
  const shown = TAB_RULES[tab].states;
  const faults: Fault[] = [];
  if (possibleStates({ states: filter.states }).every((one) => !shown.includes(one)))
    faults.push({
      path: asked.fields.states ? "state" : "q",
      message: `must name one that the tab ${tab} shows: ${shown.join(", ")}`,
    });
  if (filter.live === true && shown.every((one) => TERMINAL_STATES.includes(one)))
    faults.push({
      path: asked.fields.live === undefined ? "q" : "live",
      message: `must not be true in the tab ${tab}, whose tasks have ended`,
    });
  return faults;
}

/** Which page of a task's journal. */
export const journalQuery = query(page(placeCursor));
