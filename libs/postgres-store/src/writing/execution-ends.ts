import {
  type Completion,
  CONSUMER,
  type Deferral,
  type EpochMs,
  type ExecutionRef,
  leavesNoRow,
  printOf,
  type Release,
  RowsLockedError,
  type Settlement,
  type SettleReply,
} from "@tickwheel/core";
import { isLockConflict } from "../connection/driver-errors.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { writeText } from "../sql/task-rows.js";
import {
  completeAndForget,
  completeMarkedAndForget,
  completeMarkedMembers,
  completeMarkedTasks,
  completeMembers,
  completePulled,
  completeTasks,
  completeUnlockedAndForget,
  completeUnlockedMembers,
  completeUnlockedPulled,
  completeUnlockedTasks,
  type CompletedBatch,
  nameOf,
  NO_CALL,
  type SuccessfulEnd,
} from "../statements/end/complete-tasks.js";
import { requireMarked } from "./require-marked.js";
import {
  type Departure,
  type EndedExecution,
  endAttempts,
  endAttemptsUnlocked,
  endPulled,
  endPulledUnlocked,
  SNOOZED,
} from "../statements/end/end-attempts.js";
import { markHandlerSession } from "../statements/end/mark-handler-session.js";

function withinStatement(completion: Completion): typeof completeTasks {
  if (isForBatch(completion)) return completion.isBegun ? completeMarkedMembers : completeMembers;
  if (leavesNoRow(completion)) return completion.isBegun ? completeMarkedAndForget : completeAndForget;
  return completion.isBegun ? completeMarkedTasks : completeTasks;
}

function completionStatement(completions: readonly SuccessfulEnd[], skipsLocked: boolean): typeof completeTasks {
  if (completions.some(isPulled)) return skipsLocked ? completeUnlockedPulled : completePulled;
  if (completions.some(isForBatch)) return skipsLocked ? completeUnlockedMembers : completeMembers;
  return skipsLocked ? completeUnlockedTasks : completeTasks;
}

/** Tasks that are not pulled have no leases, so their ends may stand in the same statement. */
function isPulled({ owner }: ExecutionRef): boolean {
  return owner === CONSUMER;
}

function departureStatement(departures: readonly Departure[], skipsLocked: boolean): typeof endAttempts {
  if (departures.some(isPulled)) return skipsLocked ? endPulledUnlocked : endPulled;
  return skipsLocked ? endAttemptsUnlocked : endAttempts;
}

function isForBatch({ isMember = false, spawned }: SuccessfulEnd): boolean {
  return isMember || spawned !== undefined;
}

/** The executions that a batch has ended, and those that it could not end because others have locked their rows. */
interface Ends {
  ended: readonly EndedExecution[];
  locked: readonly ExecutionRef[];
}

/** One of the two ways to end a batch of executions. */
type EndBatch<Item> = (
  items: readonly Item[],
  how: { skipsLocked: boolean; lockTimeoutMs: number },
) => Promise<EndedExecution[]>;

/**
 * Writes the ends of executions in batches. Each row is guarded by owner and fence.
 *
 * Usually a batch takes one statement for the executions that succeeded and one for the others. A row may be locked
 * longer than `lockTimeoutMs`, for instance because somebody cancels the task in a transaction of their own. Then the
 * batch is sent again without the locked rows, and each locked row is sent alone and waited for as long again. A
 * `RowsLockedError` names the rows that are still locked. So one caller's open transaction delays no other task's end.
 */
export class ExecutionEnds {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly lockTimeoutMs: number,
  ) {}

  async settle(settlements: readonly Settlement[], asOf: EpochMs | null): Promise<SettleReply[]> {
    const kept: SuccessfulEnd[] = [];
    const forgotten: SuccessfulEnd[] = [];
    const failures: Departure[] = [];
    for (const settlement of settlements) {
      if (settlement.kind !== "succeeded" && settlement.kind !== "skipped") failures.push(failureOf(settlement));
      else (leavesNoRow(settlement) && !isPulled(settlement) ? forgotten : kept).push(successOf(settlement));
    }
    const ends = await Promise.all([
      this.complete(kept, asOf),
      this.forget(forgotten, asOf),
      this.leave(failures, asOf),
    ]);
    return repliesTo(settlements, {
      ended: ends.flatMap(({ ended }) => ended),
      locked: ends.flatMap((end) => end.locked),
    });
  }

  async beginIn(session: Session, execution: ExecutionRef & { timeoutMs: number }): Promise<void> {
    await session.run(markHandlerSession, execution);
  }

  async completeIn(session: Session, completion: Completion, asOf: EpochMs | null): Promise<EpochMs | null> {
    const statement = withinStatement(completion);
    const [batch] = await session.run(statement, { completions: [completion], lockTimeoutMs: null, asOf });
    const { finishedAt } = batch!;
    if (finishedAt === null) await requireMarked(session, completion);
    return finishedAt;
  }

  async release(releases: readonly Release[], asOf: EpochMs | null): Promise<SettleReply[]> {
    const departures = releases.map((release) => ({
      ...departureOf(release, { delayMs: 0, reason: release.reason }),
      startedAt: release.startedAt ?? null,
      latenessParts: release.latenessParts,
    }));
    return repliesTo(releases, await this.leave(departures, asOf));
  }

  async defer(deferrals: readonly Deferral[], asOf: EpochMs | null): Promise<SettleReply[]> {
    const departures = deferrals.map((deferral) =>
      departureOf(deferral, { delayMs: deferral.delayMs, reason: deferral.reason ?? "BREAKER", isDeferral: true }),
    );
    return repliesTo(deferrals, await this.leave(departures, asOf));
  }

  private complete(completions: readonly SuccessfulEnd[], asOf: EpochMs | null): Promise<Ends> {
    return this.end(completions, async (items, { skipsLocked, lockTimeoutMs }) => {
      const request = { completions: items, lockTimeoutMs, asOf };
      return endedBy(items, await this.database.run(completionStatement(items, skipsLocked), request));
    });
  }

  private forget(completions: readonly SuccessfulEnd[], asOf: EpochMs | null): Promise<Ends> {
    return this.end(completions, async (items, { skipsLocked, lockTimeoutMs }) => {
      const statement = skipsLocked ? completeUnlockedAndForget : completeAndForget;
      return endedBy(items, await this.database.run(statement, { completions: items, lockTimeoutMs, asOf }));
    });
  }

  private leave(departures: readonly Departure[], asOf: EpochMs | null): Promise<Ends> {
    return this.end(departures, (items, { skipsLocked, lockTimeoutMs }) =>
      this.database.run(departureStatement(items, skipsLocked), { departures: items, lockTimeoutMs, asOf }),
    );
  }

  private async end<Item extends ExecutionRef>(given: readonly Item[], endBatch: EndBatch<Item>): Promise<Ends> {
    if (given.length === 0) return { ended: [], locked: [] };
    const items = inLockOrder(given);
    const { lockTimeoutMs } = this;
    const whole = await unlessLocked(endBatch(items, { skipsLocked: false, lockTimeoutMs }));
    if (whole !== "locked") return { ended: whole, locked: [] };
    const ended = await endBatch(items, { skipsLocked: true, lockTimeoutMs });
    const done = new Set(ended.map(nameOf));
    const locked: Item[] = [];
    for (const item of items.filter((one) => !done.has(nameOf(one)))) {
      const alone = await unlessLocked(endBatch([item], { skipsLocked: false, lockTimeoutMs }));
      if (alone === "locked") locked.push(item);
      else ended.push(...alone);
    }
    return { ended, locked };
  }
}

async function unlessLocked<T>(work: Promise<T>): Promise<T | "locked"> {
  try {
    return await work;
  } catch (error) {
    if (isLockConflict(error)) return "locked";
    throw error;
  }
}

function endedBy(items: readonly SuccessfulEnd[], [batch]: readonly CompletedBatch[]): EndedExecution[] {
  const { ended, finishedAt } = batch!;
  const done = ended === null ? items : items.filter((item) => ended.has(nameOf(item)));
  return done.map(({ id, owner, fence }) => ({ id, owner, fence, state: "succeeded", hint: null, finishedAt }));
}

type Success = Extract<Settlement, { kind: "succeeded" | "skipped" }>;

function successOf(settlement: Success): SuccessfulEnd {
  return settlement.kind === "skipped" ? { ...settlement, result: NO_CALL } : settlement;
}

function failureOf(settlement: Exclude<Settlement, Success>): Departure {
  const { startedAt, latenessParts } = settlement;
  if (settlement.kind === "snoozed")
    return { ...departureOf(settlement, { delayMs: settlement.delayMs, reason: SNOOZED }), startedAt, latenessParts };
  const { error } = settlement;
  const how =
    settlement.kind === "dead"
      ? { delayMs: null, reason: settlement.reason }
      : { delayMs: settlement.delayMs, reason: "FAILED" };
  const errorPrint = printOf(writeText(error)).print;
  const { maxAttempts = null } = settlement;
  return { ...departureOf(settlement, how), startedAt, latenessParts, error, errorPrint, charged: true, maxAttempts };
}

/** An execution that is given back. */
function departureOf(
  { id, owner, fence }: ExecutionRef,
  how: { delayMs: number | null; reason: string; isDeferral?: boolean },
): Departure {
  return {
    id,
    owner,
    fence,
    startedAt: null,
    charged: false,
    maxAttempts: null,
    isDeferral: false,
    error: null,
    errorPrint: null,
    ...how,
  };
}

/** Gives one answer per item, in the order of the items. A second item about the same execution is stale. */
function repliesTo(refs: readonly ExecutionRef[], { ended, locked }: Ends): SettleReply[] {
  const left = new Map<string, EndedExecution>();
  for (const end of ended) left.set(end.id, end);
  const replies = refs.map((ref) => {
    const end = left.get(ref.id);
    if (!end || end.fence !== ref.fence || end.owner !== ref.owner) return null;
    left.delete(ref.id);
    return { state: end.state, hint: end.hint, finishedAt: end.finishedAt };
  });
  if (locked.length === 0) return replies;
  const held = new Set(locked.map(nameOf));
  throw new RowsLockedError(refs.map((ref, index) => (held.has(nameOf(ref)) ? undefined : replies[index]!)));
}

/**
 * Each execution once, with what was reported last, in the order of the ids. All writers of ends lock in this order.
 */
function inLockOrder<Item extends ExecutionRef>(items: readonly Item[]): Item[] {
  const sorted = items.toSorted((one, other) => {
    if (one.id === other.id) return one.fence - other.fence;
    return one.id < other.id ? -1 : 1;
  });
  return sorted.filter((item, at) => {
    const next = sorted[at + 1];
    return next?.id !== item.id || next.fence !== item.fence || next.owner !== item.owner;
  });
}
