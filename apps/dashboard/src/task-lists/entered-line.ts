import {
  checkLine,
  FIELDS,
  type FilterMoment,
  type FilterState,
  formatLine,
  instantOf,
  isDuration,
  namesOf,
  type TaskFilterInput,
  type TimePoint,
} from "@tickwheel/core/filter";
import { type TaskTab, taskTabs } from "../api/wire.js";
import type { TasksPlace } from "../place/tasks-place.js";

/**
 * The list that is meant by a line that somebody has entered; null: the line has a fault. What depends on the zone, a
 * day or a time of day, becomes an instant here, once: the server has no zone. Durations stay, and are told by the
 * server's clock at each look. A line that has been entered stays the same however often it is entered again.
 *
 * @param place where it was entered, with the line; where the line says states, the list is that of a tab that shows
 *   them all, this one if it does, or of all tabs
 * @example enteredPlace({ tab: "dead", line: "created:2026-11-24.." }, moment) // { tab: "dead", line: "created:>2026-11-23T23:00Z" }
 */
export function enteredPlace({ tab, line }: TasksPlace, moment: FilterMoment): TasksPlace | null {
  const { input, faults } = checkLine(line, moment);
  if (faults.length > 0) return null;
  const told = formatLine(withInstants(input, moment));
  if (tab === undefined) return { line: told };
  const shown = input.states === undefined ? [tab] : [tab, ...taskTabs];
  const fitting = shown.find((one) => showsAll(one, input));
  return { ...(fitting !== undefined && { tab: fitting }), line: told };
}

/** A list's line as it stands in a tab: without states, unless the tab shows them all. One with a fault stays. */
export function lineIn(tab: TaskTab, line: string): string {
  const { input, faults } = checkLine(line, null);
  return faults.length > 0 || showsAll(tab, input)
    ? line
    : formatLine({ ...input, states: undefined, live: undefined });
}

/** Whether every task is in the tab that is in one of the states; true where none is said. */
function showsAll(tab: TaskTab, { states = [], live }: TaskFilterInput): boolean {
  const isOfEnded = tab === "dead" || tab === "finished";
  return states.every((state) => statesOfTab(tab).includes(state)) && !(live === true && isOfEnded);
}

/** The words for states of which the tab shows every task. A due task is in the tab `scheduled` no more. */
function statesOfTab(tab: TaskTab): readonly FilterState[] {
  if (tab === "scheduled") return [];
  return tab === "finished" ? ["succeeded", "cancelled", "expired"] : [tab];
}

function withInstants(input: TaskFilterInput, moment: FilterMoment): TaskFilterInput {
  const given = input as Readonly<Record<string, TimePoint | undefined>>;
  const told = FIELDS.flatMap(([name, field]) => {
    if (field.kind !== "instants") return [];
    const ends = namesOf(name).filter((end) => given[end] !== undefined && !isDuration(given[end]));
    return ends.map((end) => [end, shortInstant(instantOf(given[end], field.durationIs, moment)!)] as const);
  });
  return { ...input, ...Object.fromEntries(told) };
}

/** ISO 8601 in UTC without what is zero at its end: `2026-11-24T06:00Z`. */
function shortInstant(at: number): string {
  return new Date(at).toISOString().replace(/(?::00)?\.000Z$/, "Z");
}
