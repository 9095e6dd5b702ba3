import type { ScheduleFilter, SchedulePage, ScheduleState, StoredSchedule } from "@tickwheel/schedules";
import type { Session } from "../connection/session.js";
import {
  listSchedules,
  listSchedulesInForce,
  listSchedulesOfType,
  listSchedulesOutOfForce,
} from "../statements/schedules/list-schedules.js";

/** The standings of a schedule, by the state that people are told. */
const STANDINGS: Record<ScheduleState, readonly string[]> = {
  active: ["IN_FORCE"],
  paused: ["REQUESTED", "FAILURES", "UNANNOUNCED"],
  finished: ["FINISHED"],
};

/**
 * A page of the schedules by name. Each is one statement that reads the page and a few index pages, however many
 * schedules the filter leaves out; for `active` of any type it may end early, and says so.
 */
export async function schedulePage(session: Session, filter: ScheduleFilter): Promise<SchedulePage> {
  const { state, type, ...page } = filter;
  if (type !== undefined) {
    const standings = state === undefined ? Object.values(STANDINGS).flat() : STANDINGS[state];
    return whole(await session.run(listSchedulesOfType, { ...page, type, standings }), page);
  }
  if (state === undefined) return whole(await session.run(listSchedules, page), page);
  if (state !== "active")
    return whole(await session.run(listSchedulesOutOfForce, { ...page, standings: STANDINGS[state] }), page);
  const listed = await session.run(listSchedulesInForce, page);
  const found = whole(
    listed.flatMap(({ schedule }) => schedule ?? []),
    page,
  );
  const endedAt = listed[0]?.endedAt ?? null;
  return endedAt === null ? found : { ...found, next: endedAt, incomplete: true };
}

function whole(schedules: StoredSchedule[], { limit }: { limit: number }): SchedulePage {
  return { schedules, next: schedules.length < limit ? null : schedules.at(-1)!.name, incomplete: false };
}
