import {
  type AddMembers,
  type AddMembersReply,
  type Batch,
  type BatchFilter,
  type BatchLimits,
  type BatchPage,
  type BatchRef,
  type BatchReply,
  type BatchStore,
  type BatchToReview,
  type CallerTransaction,
  type CreateBatch,
  type CreateBatchReply,
  type CreateRequest,
  type CreateResult,
  type DecideBatch,
  type EpochMs,
  isTaskId,
  type MemberFilter,
  type MemberPage,
  type NewTask,
  PAGE_BYTES,
  type ReviewedBatch,
  type StoppedMembers,
  type Task,
  TickwheelError,
  type TroubledBatches,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { addBatch } from "../statements/batches/add-batch.js";
import { batchesToReview } from "../statements/batches/batches-to-review.js";
import { cancelBatch, endRetries, sealBatch } from "../statements/batches/change-batch.js";
import { countOpenBatches } from "../statements/batches/count-open-batches.js";
import { deadMembers } from "../statements/batches/dead-members.js";
import { FOLD_LIMIT, foldBatchTallies } from "../statements/batches/fold-batch-tallies.js";
import { listMembers } from "../statements/batches/list-members.js";
import { lockBatch, queueAtBatch, shareBatch } from "../statements/batches/lock-batch.js";
import { listBatches, readBatch, readBatchById } from "../statements/batches/read-batches.js";
import { stopMembers } from "../statements/batches/stop-members.js";
import { tallyAdded } from "../statements/batches/tally-added.js";
import { troubledBatches } from "../statements/batches/troubled-batches.js";
import { contendedNames, type CreateContext, createTasks, waitForNames } from "../writing/create-tasks.js";
import { reviewBatch } from "../writing/review-batch.js";
import type { SlowLane } from "../writing/slow-lane.js";
import { writeTasks } from "../writing/write-tasks.js";
import type { TypeRegistry } from "./type-registry.js";

/** For statements that are sent without anybody who waits for an answer. */
const TIMEOUT_MS = 2_000;

/** How many callers who add members at once stay within the limit together. */
const ADDERS_AT_ONCE = 32;

/** How many members are added, and how many there may be. */
interface Adding {
  adds: number;
  most: number;
}

export interface BatchStoreParts {
  /** The node's connections, on which callers' transactions are joined and writes are tried first. */
  database: PostgresDatabase;
  /** For writes that may wait for others' locks. */
  lane: SlowLane;
  /** For reads, folds and reviews, which must not take one of the engine's connections. */
  reads: Pick<ReadPool, "run" | "transaction" | "of">;
  types: Pick<TypeRegistry, "of">;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: () => EpochMs;
}

/** Batches as rows in Postgres, see {@link BatchStore}. */
export class PostgresBatchStore implements BatchStore {
  constructor(private readonly parts: BatchStoreParts) {}

  create({ batch, members }: CreateBatch, limits: BatchLimits, within?: CallerTransaction): Promise<CreateBatchReply> {
    const { namespace, id, name } = batch;
    const request = { namespace, tasks: ofBatch(members, id) };
    return this.write({ id, request, within }, async (session, context): Promise<CreateBatchReply> => {
      const [open] = await session.run(countOpenBatches, { namespace, limit: limits.open });
      if (open! >= limits.open) throw tooManyOpen(namespace, limits.open);
      const [added] = await session.run(addBatch, { ...batch, asOf: this.asOf() });
      if (!added) return { outcome: "exists", batch: await requireNamed(session, namespace, name!) };
      const results = members.length > 0 ? await writeTasks(session, context) : [];
      const tasks = results.map(requireCreated);
      if (tasks.length > 0) await session.run(tallyAdded, { batchId: id, added: tasks.length });
      return { outcome: "created", batch: await requireBatch(session, id), tasks };
    });
  }

  async add(
    { namespace, id, members, idempotency }: AddMembers,
    limits: Pick<BatchLimits, "members">,
    within?: CallerTransaction,
  ): Promise<AddMembersReply> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    const request = { namespace, tasks: ofBatch(members, id), idempotency };
    return this.write({ id, request, within }, async (session, context): Promise<AddMembersReply> => {
      const [state] = await session.run(shareBatch, { namespace, id });
      if (state === undefined) return { outcome: "not_found" };
      const seen = await requireBatch(session, id);
      if (state !== "filling") return { outcome: "sealed", batch: seen };
      const batch = await countedFor(session, seen, { adds: members.length, most: limits.members });
      if (batch.counts.total + members.length > limits.members) return { outcome: "full", batch };
      const reply = await createTasks(session, context);
      const added = reply.kind === "written" ? reply.results.filter(isCreated).length : 0;
      if (added > 0) await session.run(tallyAdded, { batchId: id, added });
      return { outcome: "added", reply, batch: await requireBatch(session, id) };
    });
  }

  seal({ namespace, id }: { namespace: string; id: string }, within?: CallerTransaction): Promise<BatchReply> {
    return this.change({ namespace, id, within }, async (session, state) => {
      if (state === "open") return "unchanged";
      if (state !== "filling") return "state_conflict";
      await session.run(sealBatch, { id, asOf: this.asOf() });
      return "changed";
    });
  }

  cancel({ namespace, id, actor }: { namespace: string; id: string; actor: string }): Promise<BatchReply> {
    return this.change({ namespace, id }, async (session, state) => {
      if (state === "cancelled") return "unchanged";
      if (state === "complete") return "state_conflict";
      await session.run(cancelBatch, { id, actor, asOf: this.asOf() });
      return "changed";
    });
  }

  async get(ref: BatchRef): Promise<Batch | null> {
    if ("id" in ref && !isTaskId(ref.id)) return null;
    return (
      (await this.parts.reads.of(ref.namespace, ref.caller).run(readBatch, { id: null, name: null, ...ref }))[0] ?? null
    );
  }

  async list(filter: BatchFilter): Promise<BatchPage> {
    if (filter.before !== null && !isTaskId(filter.before)) return { batches: [], next: null };
    const reads = this.parts.reads.of(filter.namespace, filter.caller);
    const found = await reads.run(listBatches, { ...filter, limit: filter.limit + 1 });
    const batches = found.slice(0, filter.limit);
    return { batches, next: found.length > filter.limit ? batches.at(-1)!.id : null };
  }

  async members(filter: MemberFilter): Promise<MemberPage> {
    const { batchId, after, limit, maxBytes = PAGE_BYTES } = filter;
    if (!isTaskId(batchId) || (after !== null && !isTaskId(after))) return { tasks: [], next: null };
    const reads = this.parts.reads.of(filter.namespace, filter.caller);
    const rows = await reads.run(listMembers, { ...filter, limit: limit + 1, maxBytes });
    const tasks = rows.slice(0, limit).map(({ task }) => task);
    return { tasks, next: tasks.length < (rows[0]?.found ?? 0) ? tasks.at(-1)!.id : null };
  }

  troubled(): Promise<TroubledBatches[]> {
    return this.parts.reads.run(troubledBatches, { asOf: this.asOf() });
  }

  async fold(): Promise<boolean> {
    return (await this.parts.reads.run(foldBatchTallies, null))[0]! >= FOLD_LIMIT;
  }

  toReview(request: Parameters<BatchStore["toReview"]>[0]): Promise<BatchToReview[]> {
    return this.parts.reads.run(batchesToReview, { ...request, of: request.of ?? null, asOf: this.asOf() });
  }

  review(id: string, decide: DecideBatch): Promise<ReviewedBatch | null> {
    const namesOf = (namespace: string, tasks: readonly NewTask[]) => this.parts.types.of(namespace, tasks);
    return this.parts.reads.transaction((session) => reviewBatch({ session, asOf: this.asOf(), namesOf }, id, decide), {
      statementTimeoutMs: TIMEOUT_MS,
    });
  }

  async stopMembers({ id, limit }: { id: string; limit: number }): Promise<StoppedMembers> {
    const stopped = await this.parts.reads.run(stopMembers, { id, limit, asOf: this.asOf() });
    return {
      cancelled: stopped.filter(({ state }) => state === "cancelled").map((member) => member.id),
      asked: stopped.flatMap(({ state, owner, ...member }) =>
        state === "running" && owner !== null ? [{ id: member.id, fence: member.fence, owner }] : [],
      ),
    };
  }

  deadMembers(request: Parameters<BatchStore["deadMembers"]>[0]): ReturnType<BatchStore["deadMembers"]> {
    return this.parts.reads.run(deadMembers, request);
  }

  async endRetries(id: string): Promise<void> {
    await this.parts.reads.run(endRetries, { id });
  }

  private async change(
    { namespace, id, within }: { namespace: string; id: string; within?: CallerTransaction | undefined },
    work: (session: Session, state: Batch["state"]) => Promise<Exclude<BatchReply["outcome"], "not_found">>,
  ): Promise<BatchReply> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    return this.write({ id, request: { namespace, tasks: [] }, within }, async (session): Promise<BatchReply> => {
      const [state] = await session.run(lockBatch, { namespace, id });
      if (state === undefined) return { outcome: "not_found" };
      const outcome = await work(session, state);
      return { outcome, batch: await requireBatch(session, id) };
    });
  }

  /** In one transaction: the caller's, or one of our own that waits for others' locks in the slow lane. */
  private async write<Reply>(
    { id, request, within }: { id: string; request: CreateRequest; within?: CallerTransaction | undefined },
    work: (session: Session, context: CreateContext) => Promise<Reply>,
  ): Promise<Reply> {
    const { database, lane } = this.parts;
    const { namespace, tasks } = request;
    const context = { request, types: await this.parts.types.of(namespace, tasks), asOf: this.asOf() };
    if (within) return work(database.callerSession(within), context);
    const own = `batch\0${id}`;
    return lane.run({
      namespace,
      names: [own, ...contendedNames(context)],
      attempt: (some, wait) => some.transaction((session) => work(session, context), wait),
      probe: (waiting) => (some, wait) =>
        waitForNames(some, wait, { context, names: waiting.filter((name) => name !== own) }),
    });
  }

  private asOf(): EpochMs | null {
    return this.parts.asOf?.() ?? null;
  }
}

function ofBatch(members: readonly NewTask[], batchId: string): NewTask[] {
  return members.map((member) => ({ ...member, batchId, onConflict: "reject" }));
}

function isCreated(result: CreateResult): boolean {
  return result.outcome === "created";
}

/** @throws TickwheelError `TASK_KEY_CONFLICT`: nothing of the batch is written */
function requireCreated(result: CreateResult, index: number): Task {
  if (result.outcome !== "rejected") return result.task;
  throw new TickwheelError("TASK_KEY_CONFLICT", `A live task has the key of tasks[${index}]; no batch was made`, {
    details: { existingId: result.existingId, index },
  });
}

/** A batch that this transaction has locked or made. */
async function requireBatch(session: Session, id: string): Promise<Batch> {
  return (await session.run(readBatchById, { id }))[0]!;
}

/**
 * The batch with the count by which members are refused. Near the limit those who add wait for each other's commits, so
 * each counts what the others have added: where that may be too much if {@link ADDERS_AT_ONCE} add as many.
 */
async function countedFor(session: Session, seen: Batch, { adds, most }: Adding): Promise<Batch> {
  const left = most - seen.counts.total;
  if (adds > left || adds * ADDERS_AT_ONCE <= left) return seen;
  await session.run(queueAtBatch, seen);
  return requireBatch(session, seen.id);
}

/** The batch that has the name. */
async function requireNamed(session: Session, namespace: string, name: string): Promise<Batch> {
  const [batch] = await session.run(readBatch, { namespace, id: null, name });
  if (batch) return batch;
  throw new TickwheelError("STORE_UNAVAILABLE", "The batch of this name went away meanwhile: try again");
}

function tooManyOpen(namespace: string, limit: number): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", `The namespace has ${limit} batches already that are not complete`, {
    faults: [{ path: "", message: `the namespace has ${limit} batches already that are not complete` }],
    details: { namespace, limit },
  });
}
