import type { BootId } from "@tickwheel/core";
import type { AnnouncedSchedule, KnownAnnouncement } from "@tickwheel/schedules";
import type { MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { copyOf } from "../system/copy-of.js";

/** The row of this name stands for an advisory lock: others wait for it and never see it. */
const LOCK = "announcements";

/** Takes the place of what a node announced before. One transaction at a time changes announcements. */
export async function announce(
  session: MemorySession,
  bootId: BootId,
  schedules: readonly AnnouncedSchedule[],
): Promise<void> {
  const lock = { name: LOCK, bodyHash: "", answers: null };
  await session.run((scope) => scope.idempotency.insertOrLock(LOCK, { ...lock, at: scope.now }));
  await session.run((scope) => replaceOwn(scope, bootId, schedules));
  await session.run((scope) => scope.idempotency.put(LOCK, undefined));
}

/** By what an announcement's row is found. */
export function announcementPlace({
  namespace,
  name,
  application,
  hash,
}: Pick<AnnouncedSchedule, "namespace" | "name" | "application" | "hash">): string {
  return [namespace, name, application, hash].join("\0");
}

async function replaceOwn(
  scope: StatementScope,
  bootId: BootId,
  schedules: readonly AnnouncedSchedule[],
): Promise<void> {
  const { announcements, now } = scope;
  for (const row of announcements.values()) {
    if (!row.bootIds.includes(bootId)) continue;
    const bootIds = row.bootIds.filter((id) => id !== bootId);
    await announcements.write(row.place, { ...row, bootIds, leftAt: now });
  }
  for (const { namespace, name, application, hash, content } of schedules) {
    const place = announcementPlace({ namespace, name, application, hash });
    const known = announcements.newest(place) ?? { bootIds: [], firstSeenAt: now, leftAt: now };
    const told = { place, namespace, name, application, hash, content: copyOf(content) };
    await announcements.write(place, { ...known, ...told, bootIds: [...known.bootIds, bootId] });
  }
}

/** What nodes announce, or have announced a moment ago. */
export async function announced(scope: StatementScope, forgetAfterMs: number): Promise<KnownAnnouncement[]> {
  const { announcements, nodes, now } = scope;
  const live = new Map(
    nodes
      .values()
      .filter(({ state }) => state !== "dead")
      .map((node) => [node.bootId, node.joinedAt]),
  );
  const known: KnownAnnouncement[] = [];
  for (const { place, bootIds, leftAt, ...told } of announcements.values()) {
    const joined = bootIds.flatMap((id) => live.get(id) ?? []);
    const left = Math.max(leftAt, ...bootIds.map((id) => nodes.get(id)?.endedAt ?? 0));
    const isOver = joined.length === 0 && left < now - forgetAfterMs;
    if (isOver && (await announcements.lock(place, undefined, { locked: "skip" }))) announcements.put(place, undefined);
    if (!isOver) known.push(copyOf({ ...told, liveForMs: joined.length > 0 ? now - Math.min(...joined) : null }));
  }
  return known.sort(
    (one, other) => order(one, other, "namespace") || order(one, other, "name") || one.firstSeenAt - other.firstSeenAt,
  );
}

function order(one: KnownAnnouncement, other: KnownAnnouncement, field: "namespace" | "name"): number {
  return one[field] < other[field] ? -1 : Number(one[field] > other[field]);
}
