import type { AnnouncedSchedule, KnownAnnouncement } from "@tickwheel/schedules";

/** What a node announces counts when it has been live for so long: one that dies again and again changes nothing. */
const SETTLED_MS = 30_000;

/**
 * Which definition is in force of each schedule of code: the one whose text was first seen last, among those that nodes
 * announce which have been live for 30 s. Versions cannot tell which is newer: they may be hashes, or never change. A
 * name that has no schedule yet takes what any live node announces, so a first start need not wait. Pure.
 *
 * @param exists whether the name has a schedule
 */
export function schedulesInForce(
  announced: readonly KnownAnnouncement[],
  exists: (named: { namespace: string; name: string }) => boolean,
): AnnouncedSchedule[] {
  const byName = new Map<string, KnownAnnouncement>();
  for (const one of announced) {
    const leastMs = exists(one) ? SETTLED_MS : 0;
    if (one.liveForMs === null || one.liveForMs < leastMs) continue;
    const key = nameOf(one);
    const best = byName.get(key);
    if (!best || isLater(one, best)) byName.set(key, one);
  }
  return [...byName.values()];
}

/** One text for a name in its namespace. */
export function nameOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}\0${name}`;
}

/** Where two were first seen at once, one is chosen alike on each node. */
function isLater(one: KnownAnnouncement, other: KnownAnnouncement): boolean {
  return one.firstSeenAt > other.firstSeenAt || (one.firstSeenAt === other.firstSeenAt && one.hash > other.hash);
}
