import type { EpochMs, TabPlace, TaskTab } from "@tickwheel/core";
import { BEHIND_ALL_IDS, lastIdOf } from "../sql/id-bounds.js";

/** Instants are told by the second, or by the millisecond where a list would not come forward otherwise. */
const GRAINS_MS = [1_000, 1];

/**
 * Where a list by id, the newest first, goes on that has come to this id: the last id that a task of this second can
 * have. It tells nothing of the task, which may be another namespace's. Some rows are looked at once more.
 *
 * @param behind the last task shown, or where the page began; null: with the newest
 * @returns null where the list has not left the millisecond of that one
 */
export function hiddenId(id: string, behind: string | null): string | null {
  if (id === BEHIND_ALL_IDS) return id;
  const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const hidden = GRAINS_MS.map((grainMs) => lastIdOf(endOf(at, grainMs)));
  return hidden.find((one) => behind === null || one < behind) ?? null;
}

/**
 * The same of a tab whose list may walk the tasks of all namespaces: the one of finished tasks. All others walk tasks
 * of the namespace alone.
 */
export function hiddenPlace(tab: TaskTab, place: TabPlace, behind: TabPlace): TabPlace | null {
  if (tab !== "finished") return place;
  const id = hiddenId(place.id, behind.at === place.at ? behind.id : null);
  return id === null ? null : { at: place.at, id };
}

/** The last millisecond of the stretch that an instant lies in. */
function endOf(at: EpochMs, grainMs: number): EpochMs {
  return Math.floor(at / grainMs) * grainMs + grainMs - 1;
}
