import { type EpochMs, readTabCursor, TAB_RULES, type TabPlace, tabCursor, tabPlaceOf } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { BEFORE_ALL_IDS, BEHIND_ALL_IDS } from "../sql/id-bounds.js";
import { hasConditions, statesWithin } from "../sql/task-filter-sql.js";
import { finishedDays } from "../statements/read/finished-days.js";
import { lookInTab, type TabFilter } from "../statements/read/look-in-tab.js";
import { hasFewTypes } from "./few-types.js";
import { hiddenPlace } from "./hidden-places.js";
import { FIRST_ROWS, type PageWalk } from "./page-walk.js";

/**
 * How a tab's tasks are found, from its cursor on; null: nothing can fit. Finished tasks are looked for day by day,
 * others along one range of an index.
 */
export async function tabWalk(
  filter: TabFilter,
  { session, asOf }: { session: Session; asOf: EpochMs | null },
): Promise<PageWalk<TabPlace> | null> {
  const { tab, after, limit } = filter;
  const cursor = after === undefined ? undefined : readTabCursor(tab, after);
  const states = statesWithin(filter, TAB_RULES[tab].states);
  if (cursor === null || states.length === 0) return null;
  const isByType = tab === "finished" && (await hasFewTypes(session, filter.namespace));
  const days = tab === "finished" ? await session.run(finishedDays, { asOf, until: cursor?.at ?? null }) : null;
  const start = cursor ?? (days ? startOfDays(days) : startOf(filter));
  if (start === null) return null;
  const isPage = tab !== "failing" && !hasConditions({ ...filter, type: undefined });
  return {
    filter,
    start,
    rows: isPage ? limit + 1 : FIRST_ROWS,
    look: (from, bounds) =>
      session.run(lookInTab({ filter: { ...filter, states }, isByType, from, asOf, ...bounds }), null),
    afterEnd: ({ at }) => startOfDays((days ?? []).filter((day) => day < at)),
    placeOf: (task) => tabPlaceOf(tab, task),
    cursorOf: (place) => tabCursor(tab, place),
    hidden: (place, behind) => hiddenPlace(tab, place, behind),
  };
}

function startOf({ tab }: TabFilter): TabPlace {
  return TAB_RULES[tab].isNewestFirst
    ? { at: Number.POSITIVE_INFINITY, id: BEHIND_ALL_IDS }
    : { at: Number.NEGATIVE_INFINITY, id: BEFORE_ALL_IDS };
}

/** @param days newest first */
function startOfDays([newest]: readonly EpochMs[]): TabPlace | null {
  return newest === undefined ? null : { at: newest, id: BEHIND_ALL_IDS };
}
