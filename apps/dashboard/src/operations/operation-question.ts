import type { OperationAction, TaskTab } from "../api/wire.js";
import type { OperationFilter, OperationQuestion } from "../api/asked.js";
import type { TasksPlace } from "../place/tasks-place.js";

/** What somebody means: some tasks of a list, all that it shows, or those of a filter. */
export type Meant =
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  | { readonly kind: "place"; readonly place: TasksPlace }
  | { readonly kind: "filter"; readonly filter: OperationFilter };

/** What can be done to the tasks of a tab, the likeliest first. */
export const actionsOfTab: Readonly<Record<TaskTab | "all", readonly OperationAction[]>> = {
  overdue: ["cancel", "reschedule", "pause", "add_tag", "remove_tag"],
  scheduled: ["cancel", "reschedule", "run_now", "pause", "add_tag", "remove_tag"],
  running: ["cancel"],
  paused: ["resume", "cancel", "reschedule", "add_tag", "remove_tag"],
  failing: ["retry", "cancel", "reschedule", "pause", "add_tag", "remove_tag"],
  dead: ["retry", "discard", "restore", "add_tag", "remove_tag"],
  finished: ["retry", "restore"],
  all: ["cancel", "retry", "restore", "reschedule", "run_now", "pause", "resume", "discard", "add_tag", "remove_tag"],
};

/** The states of which a tab shows tasks; what it shows of `scheduled` is not due yet. */
const statesOfTab: Readonly<Record<TaskTab, readonly string[]>> = {
  overdue: ["overdue"],
  scheduled: ["scheduled"],
  running: ["running"],
  paused: ["paused"],
  failing: ["failing"],
  dead: ["dead"],
  finished: ["succeeded", "cancelled", "expired"],
};

/** The filter of what is meant. A user who means all of a list has seen how many that are, so no subject is needed. */
export function filterOf(meant: Meant, now: number): OperationFilter {
  if (meant.kind === "ids") return { id: meant.ids };
  if (meant.kind === "filter") return meant.filter;
  const { tab, line } = meant.place;
  return {
    all: true,
    ...(line !== "" && { q: line }),
    ...(tab !== undefined && { state: statesOfTab[tab] }),
    ...(tab === "scheduled" && { dueFrom: new Date(now).toISOString() }),
  };
}

/** What is filled in for an action, as texts. */
export interface OperationDraft {
  readonly reason: string;
  /** For a reschedule: `at` an instant of the zone that is shown, or `by` a duration. */
  readonly move: "at" | "by";
  readonly at: string;
  readonly by: string;
  readonly tag: string;
  readonly rate: string;
  /** In percent. */
  readonly stopAt: string;
  readonly includeOverdue: boolean;
}

export const emptyDraft: OperationDraft = {
  reason: "",
  move: "by",
  at: "",
  by: "",
  tag: "",
  rate: "",
  stopAt: "",
  includeOverdue: false,
};

const paced: readonly OperationAction[] = ["retry", "restore", "run_now"];

/** Whether the action may have a rate. */
export function isPaced(action: OperationAction): boolean {
  return paced.includes(action);
}

export function isTagging(action: OperationAction): boolean {
  return action === "add_tag" || action === "remove_tag";
}

/** Whether what the action needs is filled in, well or not: the API judges it. */
export function isComplete(action: OperationAction, { move, at, by, tag }: OperationDraft): boolean {
  if (action === "reschedule") return (move === "at" ? at : by).trim() !== "";
  return !isTagging(action) || tag.trim() !== "";
}

/**
 * What is sent.
 *
 * @param instantOf the instant of a local time of the zone that is shown; null: it is none
 */
export function questionOf(
  { action, filter }: { action: OperationAction; filter: OperationFilter },
  draft: OperationDraft,
  instantOf: (local: string) => string | null,
): OperationQuestion {
  const { reason, move, at, by, tag, rate, stopAt, includeOverdue } = draft;
  const given = (text: string): boolean => text.trim() !== "";
  return {
    action,
    filter,
    ...(given(reason) && { reason: reason.trim() }),
    ...(action === "reschedule" && (move === "at" ? { set: instantOf(at) ?? at } : { shift: by.trim() })),
    ...(isTagging(action) && { tag: tag.trim() }),
    ...(isPaced(action) && given(rate) && { rate: Number(rate) }),
    ...(isPaced(action) && given(rate) && given(stopAt) && { stopWhenFailing: Number(stopAt) / 100 }),
    ...(action === "restore" && includeOverdue && { includeOverdue }),
  };
}
