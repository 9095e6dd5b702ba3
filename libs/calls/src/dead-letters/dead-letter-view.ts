import { deadCursorOf } from "@tickwheel/contract";
import {
  type DeadGroup,
  type DeadGroupDetails,
  type DeadGroupPage,
  type DeadLetter,
  type EpochMs,
  fingerprintOf,
} from "@tickwheel/core";
import type { InstantForm } from "../requests/task-view.js";
import type { DeadGroupDetailFields, DeadGroupFields, DeadLetterFields } from "./dead-letter-view.generated.js";

/** The dead tasks of a type with one cause, in code. */
export type DeadGroupView = DeadGroupFields<Date>;
/** The same with where its tasks died, and the newest of them. */
export type DeadGroupDetailsView = DeadGroupView & DeadGroupDetailFields<Date>;

/** A page of groups, as every edge shows it but for the names of its fields. */
export interface ShownDeadGroups<Instant> {
  groups: DeadGroupFields<Instant>[];
  next: string | null;
  causes: number;
  tasks: number;
}

export function toDeadGroups<Instant>(
  { groups, next, causes, tasks }: DeadGroupPage,
  instantOf: InstantForm<Instant>,
): ShownDeadGroups<Instant> {
  return {
    groups: groups.map((group) => toDeadGroupView(group, instantOf)),
    next: next && deadCursorOf(next),
    causes,
    tasks,
  };
}

function toDeadGroupView<Instant>(group: DeadGroup, instantOf: InstantForm<Instant>): DeadGroupFields<Instant> {
  const { type, print, title, place, count, firstAt, lastAt, seenAt, reason, hours, sample } = group;
  return {
    type,
    fingerprint: print === null ? null : fingerprintOf(print),
    title,
    place,
    count,
    firstAt: instantOf(firstAt),
    lastAt: instantOf(lastAt),
    reason,
    hours,
    seenAt: seenAt === null ? null : instantOf(seenAt),
    sample: sample && toDeadLetterView(sample, instantOf),
  };
}

export function toDeadGroupDetailsView<Instant>(
  details: DeadGroupDetails,
  instantOf: InstantForm<Instant>,
): DeadGroupFields<Instant> & DeadGroupDetailFields<Instant> {
  const { lookedAt, nodes, versions, retrying, keptUntil, newest } = details;
  return {
    ...toDeadGroupView(details, instantOf),
    lookedAt,
    nodes,
    versions,
    retrying,
    keptUntil: instantOf(keptUntil),
    newest: newest.map((letter) => toDeadLetterView(letter, instantOf)),
  };
}

function toDeadLetterView<Instant>(
  { finishedAt, ...letter }: DeadLetter,
  instantOf: (at: EpochMs) => Instant,
): DeadLetterFields<Instant> {
  return { ...letter, finishedAt: instantOf(finishedAt) };
}
