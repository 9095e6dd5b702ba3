import {
  backoffMs,
  type Clock,
  CONSUMER,
  type EndedLease,
  type EpochMs,
  type ExtendReply,
  GOES_ON,
  LEASE_ENDED,
  type LeaseStore,
  MAX_DELAY_MS,
  noLateness,
  type PulledTask,
  type Random,
  type Release,
  rescheduledBy,
  type Settlement,
  type SettleReply,
  storableText,
  type Task,
  type TaskHint,
  type TaskState,
  type TaskStore,
  TickwheelError,
} from "@tickwheel/core";
import type { RetryPace } from "../ending/retry-pace.js";
import { SharedWrite, type WriteKind } from "../requests/shared-write.js";
import type { Tallies } from "../counting/tallies.js";
import type { PullAnswer } from "./queue-desk.js";
import type { PulledClaim } from "./claim-tokens.js";

/** How an attempt of a consumer failed. */
export interface ClaimFailure {
  error: string;
  /** False: another attempt is of no use. Default: true. */
  retryable?: boolean;
  /** The wait before the next attempt, in milliseconds. Default: the task's backoff. */
  retryAfterMs?: number | undefined;
}

/** What became of a claim's task. `dueAt`: when it is tried again; null: it is not. */
export interface ClaimEnd {
  state: TaskState;
  dueAt: EpochMs | null;
  /** It had been completed by the same claim before. */
  isReplayed: boolean;
}

export interface ClaimServiceParts {
  clock: Clock;
  random: Random;
  tasks: Pick<TaskStore, "settle" | "release" | "get">;
  leases: Pick<LeaseStore, "extend">;
  tallies: Tallies;
  pace: RetryPace;
  nowMs: () => EpochMs;
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
  /** A task has ended, and the store knows. */
  ended: (id: string) => void;
  /** Makes the next task of a series whose task has started. */
  goOn: (started: PulledTask) => Promise<void>;
}

/** Reasons in the journal of a claim that is given back. */
const RELEASED = "RELEASED";
const CALLER_GONE = "CALLER_GONE";

/**
 * What consumers do with tasks that they have pulled. The writes of concurrent callers are shared, as creates are. The
 * task's row decides: a claim that is not the task's any more changes nothing.
 */
export class ClaimService {
  private readonly settles: SharedWrite<Settlement, { reply: SettleReply }>;
  private readonly releases: SharedWrite<Release, { reply: SettleReply }>;

  constructor(private readonly parts: ClaimServiceParts) {
    const { clock, tasks } = parts;
    this.settles = new SharedWrite(
      sharedEnds((ends) => tasks.settle(ends)),
      { clock },
    );
    this.releases = new SharedWrite(
      sharedEnds((ends) => tasks.release(ends)),
      { clock },
    );
  }

  /** Counts what a pull has brought, and lets the series of its tasks go on. @throws what the store throws */
  async began({ tasks }: PullAnswer): Promise<void> {
    for (const task of tasks) {
      const latenessMs = Math.max(0, task.claimedAt - Math.max(task.dueAt, task.createdAt));
      this.parts.tallies.started(task, task.claimedAt, { ...noLateness(), place: latenessMs });
    }
    await Promise.all(tasks.filter(({ given }) => (given & GOES_ON) !== 0).map((task) => this.parts.goOn(task)));
  }

  /** @throws TickwheelError `LEASE_LOST`; `CANCEL_REQUESTED` */
  async extend({ id, fence }: PulledClaim, leaseMs: number): Promise<{ leaseUntil: EpochMs }> {
    const reply: ExtendReply = await this.parts.leases.extend({ id, fence, leaseMs });
    if (reply.outcome === "extended") return { leaseUntil: reply.leaseUntil };
    if (reply.outcome === "cancel_requested")
      throw new TickwheelError("CANCEL_REQUESTED", `somebody has asked to cancel task ${id}`);
    throw leaseLost(id);
  }

  /**
   * The task has succeeded, also where a cancel was requested meanwhile. The same again, because its reply was lost,
   * answers the same.
   *
   * @param result JSON; null: JSON's null
   * @throws TickwheelError `LEASE_LOST`
   */
  async complete(claim: PulledClaim, result: string | null): Promise<ClaimEnd> {
    const reply = await this.settle({ kind: "succeeded", ...refOf(claim), startedAt: claim.claimedAt, result });
    if (reply !== null) {
      this.parts.tallies.succeeded(claim.typeId, reply.finishedAt ?? this.parts.nowMs());
      this.parts.ended(claim.id);
      return endOf(reply);
    }
    const task = await this.parts.tasks.get(claim.namespace, claim.id);
    const isOwn = task?.state === "succeeded" && task.owner === CONSUMER && task.fence === claim.fence;
    if (!isOwn) throw leaseLost(claim.id);
    return { state: "succeeded", dueAt: null, isReplayed: true };
  }

  /**
   * The attempt has failed: the task is tried again after its backoff, or is dead. @throws TickwheelError `LEASE_LOST`
   */
  async fail(claim: PulledClaim, failure: ClaimFailure): Promise<ClaimEnd> {
    const task = await this.parts.tasks.get(claim.namespace, claim.id);
    if (task?.state !== "running" || task.owner !== CONSUMER || task.fence !== claim.fence) throw leaseLost(claim.id);
    const settlement = this.failureOf(claim, task, failure);
    const reply = await this.settle(settlement);
    if (reply === null) throw leaseLost(claim.id);
    if (reply.state !== "cancelled") this.parts.tallies.failed(claim.typeId, reply.state === "dead", settlement.error);
    this.tell(claim.id, reply);
    return endOf(reply);
  }

  /** Gives the task back: it is due at once, and the attempt does not count. @throws TickwheelError `LEASE_LOST` */
  async release(claim: PulledClaim): Promise<ClaimEnd> {
    const release = { ...refOf(claim), startedAt: claim.claimedAt, reason: RELEASED };
    const { reply } = await this.releases.add(release);
    if (reply === null) throw leaseLost(claim.id);
    this.tell(claim.id, reply);
    return endOf(reply);
  }

  /** Gives tasks back whose caller has gone before it heard of them. Never throws: else their leases end. */
  giveBack(tasks: readonly PulledTask[]): void {
    const releases = tasks.map(({ id, fence }) => ({ id, fence, owner: CONSUMER, reason: CALLER_GONE }));
    if (releases.length === 0) return;
    const told = (replies: readonly SettleReply[]): void => this.parts.publish(rescheduledBy(replies));
    this.parts.tasks.release(releases).then(told, () => undefined);
  }

  /** Leases have ended: each is a failed attempt. */
  leasesEnded(leases: readonly EndedLease[]): void {
    for (const { id, typeId, state } of leases) {
      if (state !== "cancelled") this.parts.tallies.failed(typeId, state === "dead", LEASE_ENDED);
      if (state !== "scheduled") this.parts.ended(id);
    }
    this.parts.publish(leases.flatMap(({ hint }) => hint ?? []));
  }

  private async settle(settlement: Settlement): Promise<SettleReply> {
    return (await this.settles.add(settlement)).reply;
  }

  private failureOf(claim: PulledClaim, task: Task, failure: ClaimFailure): Settlement & { error: string } {
    const of = { ...refOf(claim), startedAt: claim.claimedAt, error: storableText(failure.error) };
    if (failure.retryable === false) return { kind: "dead", ...of, reason: "NON_RETRYABLE" };
    if (task.attempt >= task.maxAttempts) return { kind: "dead", ...of, reason: "ATTEMPTS" };
    const askedMs = failure.retryAfterMs ?? backoffMs(task.backoff, task.attempt, this.parts.random);
    const delayMs = Math.min(this.parts.pace.delayMs(claim.namespace, askedMs), MAX_DELAY_MS);
    return { kind: "retry", ...of, delayMs };
  }

  private tell(id: string, reply: NonNullable<SettleReply>): void {
    if (reply.hint) this.parts.publish([reply.hint]);
    else this.parts.ended(id);
  }
}

/** A stale one is answered, too: the answer stands in an object, since null would mean that it is to be sent alone. */
function sharedEnds<End extends { id: string }>(
  write: (ends: readonly End[]) => Promise<SettleReply[]>,
): WriteKind<End, { reply: SettleReply }> {
  return {
    rowsOf: () => 1,
    fit: () => true,
    writeTogether: async (ends) => (await write(ends)).map((reply) => ({ reply })),
    writeAlone: async (end) => ({ reply: (await write([end]))[0] ?? null }),
  };
}

function refOf({ id, fence }: PulledClaim): { id: string; fence: number; owner: string } {
  return { id, fence, owner: CONSUMER };
}

function endOf({ state, hint }: NonNullable<SettleReply>): ClaimEnd {
  return { state, dueAt: hint?.dueAt ?? null, isReplayed: false };
}

function leaseLost(id: string): TickwheelError {
  const detail = `task ${id} is not this claim's any more: its lease has ended, or it was completed otherwise`;
  return new TickwheelError("LEASE_LOST", detail);
}
