import {
  MAX_COUNTED_STALLED,
  MAX_STALLED_KINDS,
  MAX_STALLED_NAMES,
  type StalledSchedules,
  type StallReason,
  type TypeId,
} from "@tickwheel/core";
import type { StoredSchedule } from "@tickwheel/schedules";
import type { StatementScope } from "../database/statement-scope.js";

/** Schedules that do not run although nobody asked for that, by reason and type. */
export function stalledSchedules({ schedules }: StatementScope, servedTypeIds: readonly TypeId[]): StalledSchedules[] {
  const served = new Set(servedTypeIds);
  const kinds = new Map<string, { reason: StallReason; all: StoredSchedule[] }>();
  for (const { schedule, isDeleted } of schedules.values()) {
    const reason = isDeleted ? null : reasonOf(schedule, served);
    if (reason === null) continue;
    const place = `${reason} ${schedule.typeId}`;
    const kind = kinds.get(place);
    if (kind) kind.all.push(schedule);
    else kinds.set(place, { reason, all: [schedule] });
  }
  const told = [...kinds.values()].map(({ reason, all }) => toldOf(reason, all));
  return told.sort(byReasonAndType).slice(0, MAX_STALLED_KINDS);
}

function reasonOf({ planning: { pause, isFinished }, typeId }: StoredSchedule, served: ReadonlySet<TypeId>) {
  if (pause !== null) return pause.reason === "REQUESTED" ? null : pause.reason;
  return isFinished || served.has(typeId) ? null : "NO_NODE";
}

function toldOf(reason: StallReason, all: readonly StoredSchedule[]): StalledSchedules {
  const counted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, MAX_COUNTED_STALLED + 1);
  const { typeId, namespace, type } = counted[0]!;
  return {
    ...{ typeId, namespace, type, reason, count: counted.length },
    names: counted.slice(0, MAX_STALLED_NAMES).map(({ name }) => name),
    failures: Math.max(...counted.map(({ planning }) => planning.failures)),
    since: Math.min(...counted.map(({ planning, changedAt }) => planning.pause?.since ?? changedAt)),
  };
}

const REASONS: readonly StallReason[] = ["FAILURES", "NO_NODE", "UNANNOUNCED"];

function byReasonAndType(one: StalledSchedules, other: StalledSchedules): number {
  return REASONS.indexOf(one.reason) - REASONS.indexOf(other.reason) || one.typeId - other.typeId;
}
