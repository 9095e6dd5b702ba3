import type { BootId } from "@tickwheel/core";
import type { AnnouncedSchedule, KnownAnnouncement } from "@tickwheel/schedules";
import type { StatementScope } from "../database/statement-scope.js";
import { copyOf } from "../system/copy-of.js";

/** Takes the place of what a node announced before. */
export function announce(scope: StatementScope, bootId: BootId, schedules: readonly AnnouncedSchedule[]): void {
  const { announcements, now } = scope;
  for (const row of announcements.values()) {
    if (!row.bootIds.includes(bootId)) continue;
    const bootIds = row.bootIds.filter((id) => id !== bootId);
    announcements.put(row.place, { ...row, bootIds, leftAt: now });
  }
  for (const { namespace, name, application, hash, content } of schedules) {
    const place = [namespace, name, application, hash].join("\0");
    const known = announcements.newest(place) ?? { bootIds: [], firstSeenAt: now, leftAt: now };
    const told = { place, namespace, name, application, hash, content: copyOf(content) };
    announcements.put(place, { ...known, ...told, bootIds: [...known.bootIds, bootId] });
  }
}

/** What nodes announce, or have announced a moment ago. */
export function announced(scope: StatementScope, forgetAfterMs: number): KnownAnnouncement[] {
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
    if (joined.length === 0 && left < now - forgetAfterMs) announcements.put(place, undefined);
    else known.push(copyOf({ ...told, liveForMs: joined.length > 0 ? now - Math.min(...joined) : null }));
  }
  return known.sort(
    (one, other) => order(one, other, "namespace") || order(one, other, "name") || one.firstSeenAt - other.firstSeenAt,
  );
}

function order(one: KnownAnnouncement, other: KnownAnnouncement, field: "namespace" | "name"): number {
  return one[field] < other[field] ? -1 : Number(one[field] > other[field]);
}
