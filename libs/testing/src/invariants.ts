import type { BootId, EpochMs, ExecutionRef, ReapRequest } from "@tickwheel/core";
import type { StatementRecord, TaskChange } from "./memory/statement-record.js";
import { isTerminal, type TaskRow } from "./memory/task-row.js";

/** What a simulation has seen. */
export interface SimulationHistory {
  /** `MemoryDatabase.log`. */
  log: readonly StatementRecord[];
  /** Every start of a handler, by the store's clock. */
  starts?: readonly { id: string; fence: number; at: EpochMs }[];
  /** The nodes that are alive at the end, after long enough that a dead one's tasks should have been taken from it. */
  liveOwners: readonly BootId[];
  /** The `claimAheadMs` that the nodes ran with. */
  claimAheadMs: number;
}

/** An invariant that did not hold, and where. */
export interface BrokenInvariant {
  name: "I1" | "I2" | "I3" | "I4" | "I6" | "I8" | "I9";
  detail: string;
}

type Step = TaskChange & { record: StatementRecord };
type Move = Step & { before: TaskRow; after: TaskRow };

/**
 * Checks what a simulation has seen against the invariants that its log can show: I1 durable, I2 single claim, I3 stale silence, I4 never
 * early, I6 no orphan, I8 terminal is final, I9 one live key. Pure; O(log).
 *
 * @returns what was broken; empty where all held
 * @example expect(brokenInvariants({ log: database.log, liveOwners: [bootId], claimAheadMs: 5 })).toEqual([])
 */
export function brokenInvariants(history: SimulationHistory): BrokenInvariant[] {
  const steps = history.log.flatMap((record) => record.changes.map((change) => ({ ...change, record })));
  const moves = steps.filter((step): step is Move => step.before !== null && step.after !== null);
  return [
    ...lostTasks(steps),
    ...doubleClaims(moves),
    ...staleWrites(moves),
    ...earlyStarts(history, moves),
    ...orphans(history, steps),
    ...revivals(moves),
    ...sharedKeys(steps),
  ];
}

/** I1: a row goes only when it is terminal, and each change starts from what the last one left. */
function lostTasks(steps: readonly Step[]): BrokenInvariant[] {
  const last = new Map<string, TaskRow | null>();
  return steps.flatMap(({ before, after, record }) => {
    const id = idOf({ before, after });
    const expected = last.get(id) ?? null;
    last.set(id, after);
    if (before !== expected)
      return broken("I1", `${record.statement} at ${record.at} overwrote a change of task ${id}`);
    if (after === null && before !== null && !isTerminal(before.state))
      return broken("I1", `${record.statement} at ${record.at} removed task ${id}, which was ${before.state}`);
    return [];
  });
}

/** I2: a (task, fence) is claimed once. */
function doubleClaims(moves: readonly Move[]): BrokenInvariant[] {
  const claims = moves.filter(({ before, after }) => before.state !== "running" && after.state === "running");
  const seen = new Set<string>();
  return claims.flatMap(({ after, record }) => {
    const claim = `${after.id} fence ${after.fence}`;
    const again = seen.has(claim);
    seen.add(claim);
    return again ? broken("I2", `task ${claim} was claimed again by ${record.node} at ${record.at}`) : [];
  });
}

/** I3: an execution ends only by a statement about this very execution, or by a reap of its owner. */
function staleWrites(moves: readonly Move[]): BrokenInvariant[] {
  return moves
    .filter(({ before, after }) => before.state === "running" && after.state !== "running")
    .filter((move) => !mayEnd(move))
    .flatMap(({ before, record }) =>
      broken(
        "I3",
        `${record.statement} of ${record.node} at ${record.at} ended task ${before.id} fence ${before.fence}`,
      ),
    );
}

function mayEnd({ before, record }: Move): boolean {
  switch (record.statement) {
    case "reap":
      return before.owner !== null && (record.request as ReapRequest).owners.includes(before.owner);
    case "settle":
    case "release":
    case "defer":
      return (record.request as readonly ExecutionRef[]).some((ref) => names(ref, before));
    case "completeWithin":
      return names(record.request as ExecutionRef, before);
    default:
      return false;
  }
}

function names(ref: ExecutionRef, row: TaskRow): boolean {
  return ref.id === row.id && ref.owner === row.owner && ref.fence === row.fence;
}

/** I4: no claim more than claimAheadMs before the due time, no start before it. */
function earlyStarts(history: SimulationHistory, moves: readonly Move[]): BrokenInvariant[] {
  const claims = moves.filter(({ before, after }) => before.state === "scheduled" && after.state === "running");
  const dueAt = new Map(claims.map(({ after }) => [`${after.id} fence ${after.fence}`, after.dueAt]));
  const early = claims.filter(({ after, record }) => record.at < after.dueAt - history.claimAheadMs);
  const reported = moves
    .filter(({ before, after, record }) => before.state === "running" && isSettle(record) && after.startedAt !== null)
    .map(({ before, after }) => ({ id: before.id, fence: before.fence, at: after.startedAt! }));
  const starts = [...(history.starts ?? []), ...reported].filter(
    ({ id, fence, at }) => at < (dueAt.get(`${id} fence ${fence}`) ?? -Infinity),
  );
  return [
    ...early.flatMap(({ after, record }) =>
      broken("I4", `task ${after.id} was claimed at ${record.at}, due ${after.dueAt}`),
    ),
    ...starts.flatMap(({ id, fence, at }) =>
      broken("I4", `task ${id} fence ${fence} started at ${at}, before it was due`),
    ),
  ];
}

function isSettle({ statement }: StatementRecord): boolean {
  return statement === "settle" || statement === "completeWithin";
}

/** I6: at the end, nothing runs under a node that is not alive. */
function orphans({ liveOwners }: SimulationHistory, steps: readonly Step[]): BrokenInvariant[] {
  const last = new Map(steps.map((step) => [idOf(step), step.after]));
  return [...last.values()]
    .filter((row) => row?.state === "running" && !liveOwners.includes(row.owner ?? ""))
    .flatMap((row) => broken("I6", `task ${row?.id} still runs under node ${row?.owner}, which is dead`));
}

/** I8: only a retry leaves a terminal state, and it raises the fence. */
function revivals(moves: readonly Move[]): BrokenInvariant[] {
  return moves
    .filter(({ before }) => isTerminal(before.state))
    .filter(({ before, after, record }) => record.statement !== "retry" || after.fence !== before.fence + 1)
    .flatMap(({ before, record }) =>
      broken("I8", `${record.statement} at ${record.at} changed task ${before.id}, which was ${before.state}`),
    );
}

/** I9: at most one task holds a key. */
function sharedKeys(steps: readonly Step[]): BrokenInvariant[] {
  const holders = new Map<string, Set<string>>();
  const records = new Map<StatementRecord, Step[]>();
  for (const step of steps) records.set(step.record, [...(records.get(step.record) ?? []), step]);
  return [...records].flatMap(([record, changes]) => {
    for (const change of changes) moveKey(holders, change);
    return changes.flatMap(({ after }) => {
      const shared = after?.keyLive && (holders.get(keyOf(after))?.size ?? 0) > 1;
      return shared
        ? broken("I9", `after ${record.statement} at ${record.at} key ${after.key} has two live tasks`)
        : [];
    });
  });
}

function moveKey(holders: Map<string, Set<string>>, { before, after }: TaskChange): void {
  if (before?.keyLive) holders.get(keyOf(before))?.delete(before.id);
  if (!after?.keyLive) return;
  const ids = holders.get(keyOf(after)) ?? new Set<string>();
  holders.set(keyOf(after), ids.add(after.id));
}

function keyOf(row: TaskRow): string {
  return `${row.typeId}\0${row.key}`;
}

function idOf({ before, after }: TaskChange): string {
  return (after ?? before)!.id;
}

function broken(name: BrokenInvariant["name"], detail: string): BrokenInvariant[] {
  return [{ name, detail }];
}
