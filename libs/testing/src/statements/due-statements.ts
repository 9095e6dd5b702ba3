import type {
  BootId,
  DueReply,
  DueRequest,
  DueScope,
  HintCursor,
  HintPage,
  RunningRow,
  TaskHint,
  TypeId,
  WindowRequest,
} from "@tickwheel/core";
import { CONSUMER, slotOfId } from "@tickwheel/core";
import type { StatementScope } from "../database/statement-scope.js";
import { hintOf, type TaskRow } from "../database/task-row.js";

/** Tasks that become due within the horizon, nearest first. */
export function loadWindow(scope: StatementScope, request: WindowRequest): HintPage {
  const horizonAt = scope.now + request.horizonMs;
  const hints = request.scopes
    .flatMap(({ typeId, slots }) =>
      scheduledOf(scope, typeId).filter((row) => row.dueAt <= horizonAt && slots.has(slotOfId(row.id))),
    )
    .filter((row) => isAfter(row, request.after))
    .sort(byDue)
    .slice(0, request.limit)
    .map(hintOf);
  return { hints, next: hints.length < request.limit ? null : cursorOf(hints.at(-1)) };
}

/** The due tasks of each scope's slots, and those of other slots that are overdue enough to be stolen. */
export function findDue(scope: StatementScope, request: DueRequest): DueReply {
  const found: TaskRow[] = [];
  const shortTypes: TypeId[] = [];
  for (const probe of request.scopes) {
    const rows = probeType(scope, probe, request);
    if (rows.length < request.limitPerType) shortTypes.push(probe.typeId);
    found.push(...rows);
  }
  return { now: scope.now, hints: found.sort(byDue).map(hintOf), shortTypes };
}

/** The types that have scheduled tasks, except the given ones. */
export function occupiedTypes(scope: StatementScope, except: readonly TypeId[]): TypeId[] {
  const scheduled = scope.tasks.values().filter(({ state }) => state === "scheduled");
  return [...new Set(scheduled.map(({ typeId }) => typeId))].filter((typeId) => !except.includes(typeId));
}

/** The tasks that run under a node; with `ids`, those among these. */
export function runningUnder(scope: StatementScope, owner: BootId, ids?: readonly string[]): RunningRow[] {
  const asked = ids && new Set(ids);
  return scope.tasks
    .values()
    .filter((row) => row.state === "running" && row.owner === owner && (asked?.has(row.id) ?? true))
    .map((row) => ({ id: row.id, fence: row.fence, cancelRequested: row.cancelRequestedAt !== null }));
}

/** The nodes that own running tasks and are dead or gone. */
export function deadOwners(scope: StatementScope): BootId[] {
  const owners = new Set<BootId>();
  for (const row of scope.tasks.values()) if (row.state === "running" && row.owner) owners.add(row.owner);
  owners.delete(CONSUMER);
  return [...owners].filter((owner) => isDead(scope, owner));
}

function probeType(scope: StatementScope, probe: DueScope, request: DueRequest): TaskRow[] {
  const stealFrom = scope.now - request.stealAfterOverdueMs;
  return scheduledOf(scope, probe.typeId)
    .filter((row) => row.dueAt <= scope.now && row.dueAt >= (probe.notBefore ?? -Infinity))
    .filter((row) => row.dueAt < (probe.before ?? Infinity))
    .filter((row) => row.dueAt <= stealFrom || probe.slots.has(slotOfId(row.id)))
    .filter((row) => isAfter(row, probe.after))
    .sort(byDue)
    .slice(0, request.limitPerType);
}

function scheduledOf(scope: StatementScope, typeId: TypeId): TaskRow[] {
  return scope.tasks.values().filter((row) => row.state === "scheduled" && row.typeId === typeId);
}

function byDue(one: TaskRow, other: TaskRow): number {
  return one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);
}

function isAfter(row: TaskRow, cursor: HintCursor | null): boolean {
  if (cursor === null) return true;
  return row.dueAt > cursor.dueAt || (row.dueAt === cursor.dueAt && row.id > cursor.id);
}

function cursorOf(hint: TaskHint | undefined): HintCursor | null {
  return hint ? { dueAt: hint.dueAt, id: hint.id } : null;
}

/** Whether the node is dead, or its row is gone. */
function isDead(scope: StatementScope, owner: BootId): boolean {
  return (scope.nodes.get(owner)?.state ?? "dead") === "dead";
}
