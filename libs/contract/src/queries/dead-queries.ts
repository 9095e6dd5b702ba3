import { DEAD_REASONS, type DeadGroupPlace } from "@tickwheel/core";
import { cursorParameter, instantParameter, page, textParameter, typeParameter, wordsParameter } from "./parameters.js";
import { query } from "./query.js";

/** Which groups of dead tasks a list shows. */
export const deadQuery = query({
  type: typeParameter("Groups of this type."),
  reason: wordsParameter(DEAD_REASONS, "Groups of which the last task was given up for one of these."),
  error: textParameter(200, "Groups whose title or place contains this, whatever the case."),
  since: instantParameter("Groups of which a task died at this instant or later."),
  ...page(cursorParameter(deadPlaceOf)),
});

/** The cursor of a place in the list. */
export function deadCursorOf({ count, typeId, print }: DeadGroupPlace): string {
  return `${count}-${typeId}-${print}`;
}

/** The place that a cursor names; undefined: no list gave it. */
export function deadPlaceOf(text: string): DeadGroupPlace | undefined {
  const found = /^(\d{1,15})-(\d{1,9})-(\d{1,15})$/.exec(text);
  return found ? { count: Number(found[1]), typeId: Number(found[2]), print: Number(found[3]) } : undefined;
}
