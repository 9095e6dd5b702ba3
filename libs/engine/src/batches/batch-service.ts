import {
  type AddMembersReply,
  type Batch,
  type BatchFilter,
  type BatchLimits,
  type BatchPage,
  type BatchRef,
  type BatchStore,
  type CreateResult,
  type EpochMs,
  type Idempotency,
  MAX_DELAY_MS,
  type MemberFilter,
  type MemberPage,
  newTaskId,
  type NewTask,
  type Random,
  shownText,
  TickwheelError,
} from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { CallOptions, BulkItemResult, TaskRequest } from "../requests/requests.js";
import { tasksAmong } from "../requests/task-drafts.js";
import type { TaskService } from "../requests/task-service.js";
import type { DbClock } from "../runtime/db-clock.js";
import { followUpOf } from "./follow-up.js";
import { shardMembers } from "./shard-members.js";

/** A batch as a caller wants it, its fields checked. */
export interface BatchRequest {
  namespace: string;
  name: string | null;
  /** Its first members; with `shards` exactly one, which is made once for each. */
  tasks: readonly TaskRequest[];
  /** `nodes`: one for each live node that runs the type. Null: the batch is not split. */
  shards: number | "nodes" | null;
  onComplete: TaskRequest | null;
  onSuccess: TaskRequest | null;
  /** An instant, or a delay in milliseconds from now; null: none. */
  deadline: { at: EpochMs } | { delayMs: number } | null;
  failFast: boolean;
  retryDead: boolean;
  /** Whether it takes no further members. */
  seal: boolean;
  actor: string;
}

export interface BatchServiceParts {
  store: BatchStore;
  service: Pick<TaskService, "drafts" | "admit" | "announce" | "answerTo">;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
  random: Random;
  ownership(): Ownership;
  limits: BatchLimits;
  /** Another look at batches is wanted now. */
  wake(): void;
}

/**
 * Every use case of batches, for all edges alike. A batch and its first members are written in one transaction. On
 * failure `STORE_UNAVAILABLE`: whether it was written is then unknown; a batch with a name can be made again safely,
 * and members with keys, or under an idempotency key, can be added again safely.
 */
export class BatchService {
  constructor(private readonly parts: BatchServiceParts) {}

  /**
   * Makes a batch with its first members, all or nothing.
   *
   * A deadline that has passed is allowed: then it is looked at once who is not done.
   *
   * @throws TickwheelError `BATCH_EXISTS` (`details.existingId`): a kept batch has the name; `VALIDATION_FAILED`: a
   *   member can be no task, there are too many, the deadline is more than 100 years from now, or the namespace has too
   *   many open batches; `TASK_KEY_CONFLICT`, `TYPE_DELIVERY_CONFLICT`, `RATE_LIMITED`
   */
  async create(request: BatchRequest, options: CallOptions = {}): Promise<Batch> {
    const { namespace, name, shards } = request;
    const { store, service, limits, dbClock, random } = this.parts;
    await dbClock.ensureSet();
    const now = Math.round(dbClock.nowMs());
    const deadlineAt = deadlineOf(request, now);
    const members = await this.membersOf(request);
    if (members.length > limits.members) throw tooManyMembers(limits.members);
    if (members.length > 0) await service.admit(namespace);
    const { failFast, retryDead, actor, seal: isSealed } = request;
    const reply = await store.create(
      {
        batch: {
          id: newTaskId(now, 0, random),
          namespace,
          name,
          failFast,
          retryDead,
          actor,
          isSealed,
          shards: shards === null ? null : members.length,
          deadlineAt,
          onComplete: await this.followUp(request.onComplete),
          onSuccess: await this.followUp(request.onSuccess),
        },
        members,
      },
      limits,
      options.within,
    );
    if (reply.outcome === "exists") throw batchExists(reply.batch);
    service.announce(
      reply.tasks.map((task): CreateResult => ({ outcome: "created", task })),
      options,
    );
    if (isSealed && !options.within) this.parts.wake();
    return reply.batch;
  }

  /**
   * Adds members to a batch that is filling. A member that cannot be written does not stop the rest. The results are in
   * the order of the requests.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`, `BATCH_SEALED`, `VALIDATION_FAILED` (it would have too many members),
   *   `IDEMPOTENCY_KEY_REUSED`, `RATE_LIMITED`
   */
  async add(
    { namespace, id, tasks }: { namespace: string; id: string; tasks: readonly TaskRequest[] },
    options: CallOptions & { idempotency?: Idempotency | null } = {},
  ): Promise<{ batch: Batch; replayed: boolean; results: BulkItemResult[] }> {
    const { store, service, limits } = this.parts;
    await service.admit(namespace);
    const drafts = await service.drafts.draftAll(tasks);
    const { idempotency = null } = options;
    const members = tasksAmong(drafts);
    const answer = await store.add({ namespace, id, members, idempotency }, limits, options.within);
    const { batch, reply } = requireAdded(id, answer, limits);
    return { batch, ...service.answerTo(drafts, reply, options) };
  }

  /**
   * From now on the batch takes no members, and it completes when all have ended. Sealing it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete or cancelled
   */
  async seal(batch: { namespace: string; id: string }, options: CallOptions = {}): Promise<Batch> {
    const reply = await this.parts.store.seal(batch, options.within);
    if (reply.outcome === "not_found") throw noBatch(batch.id);
    if (reply.outcome === "state_conflict") throw stateConflict(reply.batch);
    if (!options.within) this.parts.wake();
    return reply.batch;
  }

  /**
   * Cancels a batch: members that have not started are taken back, those that run are asked to stop, and what was to
   * happen at its end does not. Cancelling it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete
   */
  async cancel(batch: { namespace: string; id: string; actor: string }): Promise<Batch> {
    const reply = await this.parts.store.cancel(batch);
    if (reply.outcome === "not_found") throw noBatch(batch.id);
    if (reply.outcome === "state_conflict") throw stateConflict(reply.batch);
    this.parts.wake();
    return reply.batch;
  }

  get(ref: BatchRef): Promise<Batch | null> {
    return this.parts.store.get(ref);
  }

  list(filter: BatchFilter): Promise<BatchPage> {
    return this.parts.store.list(filter);
  }

  /** A page of members, live and finished, by id. @throws TickwheelError `BATCH_NOT_FOUND` */
  async members(filter: MemberFilter): Promise<MemberPage> {
    const page = await this.parts.store.members(filter);
    if (page.tasks.length > 0) return page;
    const { namespace, caller, batchId: id } = filter;
    if (await this.parts.store.get({ namespace, caller, id })) return page;
    throw noBatch(id);
  }

  private async membersOf({ tasks, shards }: BatchRequest): Promise<NewTask[]> {
    const { service, dbClock, random } = this.parts;
    const drafts = await service.drafts.draftEach(tasks);
    if (shards === null) return drafts;
    const ownership = (): Ownership => this.parts.ownership();
    return drafts.flatMap((draft) => shardMembers(draft, shards, { ownership, random, nowMs: () => dbClock.nowMs() }));
  }

  private async followUp(request: TaskRequest | null) {
    if (request === null) return null;
    const [draft] = await this.parts.service.drafts.draftEach([request]);
    return followUpOf(draft!, request.type);
  }
}

/** @throws TickwheelError `VALIDATION_FAILED`: it is too far from now */
function deadlineOf({ deadline }: BatchRequest, now: EpochMs): EpochMs | null {
  if (deadline === null) return null;
  const at = "at" in deadline ? deadline.at : now + deadline.delayMs;
  if (at - now <= MAX_DELAY_MS) return at;
  const fault = { path: "deadline", message: "must be at most 100 years from now" };
  throw new TickwheelError("VALIDATION_FAILED", `${fault.path} ${fault.message}`, { faults: [fault] });
}

function requireAdded(
  id: string,
  reply: AddMembersReply,
  limits: BatchLimits,
): Extract<AddMembersReply, { outcome: "added" }> {
  if (reply.outcome === "added") return reply;
  if (reply.outcome === "not_found") throw noBatch(id);
  if (reply.outcome === "full") throw tooManyMembers(limits.members);
  throw new TickwheelError("BATCH_SEALED", `The batch is ${reply.batch.state}: it takes no members any more.`);
}

/** A batch that is not there, in its namespace or at all. */
export function noBatch(id: unknown): TickwheelError {
  const name = typeof id === "string" ? shownText(id) : "without an id";
  return new TickwheelError("BATCH_NOT_FOUND", `There is no batch ${name}.`);
}

function batchExists({ id, name }: Batch): TickwheelError {
  const message = `There is a batch "${name}" already.`;
  return new TickwheelError("BATCH_EXISTS", message, { details: { existingId: id } });
}

function stateConflict({ state }: Batch): TickwheelError {
  return new TickwheelError("BATCH_STATE_CONFLICT", `The batch is ${state}.`, { details: { state } });
}

function tooManyMembers(limit: number): TickwheelError {
  const message = `a batch has at most ${limit} members`;
  return new TickwheelError("VALIDATION_FAILED", message, { faults: [{ path: "tasks", message }] });
}
