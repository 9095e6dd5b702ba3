import {
  CONSUMER,
  type EpochMs,
  type JournalEntry,
  NODES_DIED,
  type ReapedTask,
  type ReapRequest,
} from "@tickwheel/core";
import { endNote } from "./execution-statements.js";
import { lockTerm } from "../database/lock-term.js";
import { reapedRow } from "./row-transitions.js";
import type { StatementScope } from "../database/statement-scope.js";
import { hintOf, type TaskRow } from "../database/task-row.js";
import { writeTask } from "./write-task.js";

/**
 * Suspects of one node are due one after the other. The task whose handler was called last comes after the others, and
 * a little later.
 */
const SUSPECT_SPACING_MS = 50;
const LAST_STARTED_DELAY_MS = 1_000;
const CRASHES: readonly (string | null)[] = ["CRASHED", "LOOP_BLOCKED"];

/**
 * Takes running tasks from owners that the caller, the leader, has found dead or gone. Locked tasks are left for the
 * next time. The term is locked last.
 */
export async function reap(scope: StatementScope, request: ReapRequest): Promise<ReapedTask[]> {
  const owners = new Set(request.owners);
  owners.delete(CONSUMER);
  scope.host.endHandlers(({ owner }) => owners.has(owner));
  const isOrphan = (row: TaskRow): boolean => row.state === "running" && owners.has(row.owner ?? "");
  const orphans = await scope.tasks.lockFree(isOrphan, request.limit);
  if (!(await lockTerm(scope, request.leader))) return [];
  const reaped: ReapedTask[] = [];
  const queued = inQueue(scope, orphans);
  for (const before of orphans) reaped.push(await reapOne(scope, before, { request, place: queued.indexOf(before) }));
  return reaped;
}

/** The tasks whose node's loop was blocked, in the order in which they become due. */
function inQueue(scope: StatementScope, orphans: readonly TaskRow[]): TaskRow[] {
  const rank = (row: TaskRow): string => `${Number(wasLast(scope, row))} ${row.claimedAt} ${row.id}`;
  return orphans
    .filter((row) => blockedOf(scope, row) !== undefined)
    .sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

async function reapOne(
  scope: StatementScope,
  before: TaskRow,
  { request, place }: { request: ReapRequest; place: number },
): Promise<ReapedTask> {
  const { now } = scope;
  const { id, crashCount } = before;
  const isBlocked = blockedOf(scope, before) !== undefined;
  const kills = (crashCount > 0 ? (scope.suspects.get(id)?.kills ?? 0) : 0) + Number(isBlocked);
  const waitMs = SUSPECT_SPACING_MS * place + (wasLast(scope, before) ? LAST_STARTED_DELAY_MS : 0);
  const death = {
    maxCrashes: request.maxCrashes,
    blocked: isBlocked ? { kills, waitMs } : null,
    error: errorOf(scope, before),
  };
  const after = reapedRow(before, death, now);
  const reason = isBlocked ? "LOOP_BLOCKED" : "CRASHED";
  await writeTask(scope, { before, after }, endNote(after, reason));
  if (isBlocked || crashCount > 0) scope.suspects.put(id, { taskId: id, kills, killedAt: now });
  else if (scope.suspects.get(id)) scope.suspects.put(id, undefined);
  return { state: after.state, hint: hintOf(after), key: after.key, lastError: after.lastError };
}

function blockedOf(scope: StatementScope, { owner }: TaskRow) {
  return scope.nodes.get(owner!)?.blocked;
}

function wasLast(scope: StatementScope, row: TaskRow): boolean {
  return blockedOf(scope, row)?.lastStarted === row.id;
}

/** Where and when the nodes of this account died, in the words of the Postgres store. */
function errorOf(scope: StatementScope, row: TaskRow): string {
  const told = (node: string | null, at: EpochMs, isBlocked: boolean): string =>
    `node ${node ?? "unknown"} at ${new Date(at).toISOString()}${isBlocked ? " (its event loop was blocked)" : ""}`;
  const isCrash = ({ reason }: JournalEntry): boolean => CRASHES.includes(reason);
  const { entries, storedCount } = scope.journals.get(row.id)!;
  const crashes = row.crashCount === 0 ? [] : entries.slice(0, storedCount).filter(isCrash).slice(-row.crashCount);
  const before = crashes.map(({ node, at, reason }) => told(node, at, reason === "LOOP_BLOCKED"));
  const last = told(scope.label(row.owner), scope.now, blockedOf(scope, row) !== undefined);
  return `${NODES_DIED}: ${[...before, last].join("; ")}`;
}
