import {
  type Batch,
  type BatchPage,
  bytesOf,
  isTaskId,
  type JsonText,
  type MemberPage,
  type Shard,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import { noBatch, type TaskRequest } from "@tickwheel/engine";
import {
  batchFilterInput,
  batchNameRule,
  checkInput,
  MAX_PAGE,
  memberFilterInput,
  membersInput,
  requireInput,
  throwFaults,
} from "@tickwheel/contract";
import { toBatchRequest } from "../requests/batch-request.js";
import { ListHash } from "../requests/body-hash.js";
import { bulkAnswers, type TaskItemResult } from "../requests/bulk-answers.js";
import { BulkCheck } from "../requests/bulk-check.js";
import { eachOf } from "../requests/many.js";
import { type CreateCall, createTraced, requestsOfBatch } from "../requests/traced-create.js";
import {
  bulkCallerOf,
  type Caller,
  type CallOptions,
  type CallPorts,
  keyFaults,
  readerOf,
  requireOperator,
} from "./caller.js";

/** What adding members to a batch has done. */
export interface AddedToBatch {
  /** As it is now. */
  batch: Batch;
  /** The idempotency key had been used for the same call: nothing was written, and this is its first answer again. */
  replayed: boolean;
  /** What became of each task, in the order given. */
  items: TaskItemResult<Task>[];
}

/** A page of members. `incomplete`: it reached `maxBytes` before it was full, and goes on at `next`. */
export interface MembersOfBatch extends MemberPage {
  incomplete: boolean;
}

/** What a member has returned. */
export interface ResultOfMember {
  taskId: string;
  /** Null: the batch was not split into shards, or the member was added otherwise. */
  shard: Shard | null;
  result: JsonText | null;
}

/**
 * What can be asked of batches, by each kind of caller. `given` is unchecked: its rules stand in
 * `input/batch-input.ts`. Every write throws `FORBIDDEN` to a caller who may only read, and any call
 * `STORE_UNAVAILABLE`.
 */
export class BatchCalls {
  constructor(private readonly ports: CallPorts) {}

  /**
   * Makes a batch with its first members, all or nothing.
   *
   * @throws TickwheelError `BATCH_EXISTS` (`details.existingId`), `VALIDATION_FAILED` with every fault
   *   (`tasks[3].delay`), `PAYLOAD_TOO_LARGE`, `TASK_KEY_CONFLICT`, `TYPE_DELIVERY_CONFLICT`
   */
  async create(
    caller: Caller,
    given: unknown,
    { within, headers }: Pick<CallOptions, "within" | "headers"> = {},
  ): Promise<Batch> {
    requireOperator(caller);
    const request = await toBatchRequest(given, bulkCallerOf(caller, this.ports));
    const call = { ...this.traced(caller, request.tasks), requests: requestsOfBatch(request), headers };
    return createTraced(call, () => this.ports.batches.create(request, { within }));
  }

  /**
   * Adds 1 to 10,000 members to a batch that is filling. One bad item does not stop the rest. To an idempotency key
   * calls are equal if their tasks are, as they were given, and their batch is.
   *
   * @param call `given`: `{ tasks }`
   * @throws TickwheelError `BATCH_NOT_FOUND`, `BATCH_SEALED`, `IDEMPOTENCY_KEY_REUSED`, `VALIDATION_FAILED` (no list,
   *   or the batch would have too many members)
   */
  async add(
    caller: Caller,
    id: string,
    { given, ...options }: Pick<CallOptions, "within" | "headers" | "idempotencyKey"> & { given: unknown },
  ): Promise<AddedToBatch> {
    requireOperator(caller);
    const batch = refOf(caller, id);
    const { input, faults } = checkInput(membersInput, given);
    throwFaults([...faults, ...keyFaults(options)]);
    const { within, headers, idempotencyKey: key } = options;
    const hash = key === undefined ? null : new ListHash();
    hash?.add(batch.id);
    const check = new BulkCheck({ ...bulkCallerOf(caller, this.ports), kind: "member" }, hash);
    const items = await eachOf(input.tasks, (task) => check.next(task));
    const tasks = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const idempotency = key === undefined ? null : { key, bodyHash: hash!.digest() };
    const write = () => this.ports.batches.add({ ...batch, tasks }, { within, idempotency });
    const added = await createTraced({ ...this.traced(caller, tasks), headers }, write);
    return { batch: added.batch, replayed: added.replayed, items: bulkAnswers(items, added.results) };
  }

  /**
   * From now on nobody adds members but the members themselves, and the batch completes when all have ended.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete or cancelled
   */
  async seal(caller: Caller, id: string, { within }: Pick<CallOptions, "within"> = {}): Promise<Batch> {
    requireOperator(caller);
    return this.ports.batches.seal(refOf(caller, id), { within });
  }

  /**
   * Cancels a batch: members that have not started are taken back, those that run are asked to stop, and what was to
   * happen at its end does not.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete
   */
  async cancel(caller: Caller, id: string): Promise<Batch> {
    requireOperator(caller);
    return this.ports.batches.cancel({ ...refOf(caller, id), actor: caller.actor });
  }

  /** The batch, or null. */
  async get(caller: Caller, id: string): Promise<Batch | null> {
    return isTaskId(id) ? this.ports.batches.get({ ...readerOf(caller), id: id.toLowerCase() }) : null;
  }

  /** The batch of this name, or null. */
  async getByName(caller: Caller, name: string): Promise<Batch | null> {
    return batchNameRule(name) === null ? this.ports.batches.get({ ...readerOf(caller), name }) : null;
  }

  /** A page of the batches, the newest first. @throws TickwheelError `VALIDATION_FAILED` with every fault */
  async list(caller: Caller, given: unknown): Promise<BatchPage> {
    const { states = [], before, ...asked } = requireInput(batchFilterInput, given);
    return this.ports.batches.list({ ...readerOf(caller), ...asked, states, before: before ?? null });
  }

  /**
   * A page of a batch's members, live and finished ones, the oldest first. It ends with the one that reaches
   * `maxBytes`.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`, `VALIDATION_FAILED` with every fault
   */
  async members(
    caller: Caller,
    id: string,
    { given, maxBytes }: Pick<CallOptions, "maxBytes"> & { given: unknown },
  ): Promise<MembersOfBatch> {
    const batchId = requireBatchId(id);
    const { states = [], limit, after } = requireInput(memberFilterInput, given);
    const asked = { batchId, states, limit, after: after ?? null, maxBytes };
    const page = await this.ports.batches.members({ ...readerOf(caller), ...asked });
    return { ...page, incomplete: page.next !== null && page.tasks.length < limit };
  }

  /**
   * What the members that have succeeded returned, in the order of their shards, then of their ids: all of it, or an
   * error, so that no sum is made of a part.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `VALIDATION_FAILED`: more than 1,000 have succeeded, or they hold more
   *   than 16 MiB together
   */
  async results(caller: Caller, id: string): Promise<ResultOfMember[]> {
    const asked = { ...readerOf(caller), batchId: requireBatchId(id), states: ["succeeded"] as const, limit: MAX_PAGE };
    const members: Task[] = [];
    let bytes = 0;
    let after: string | null = null;
    do {
      const found: MemberPage = await this.ports.batches.members({ ...asked, after });
      members.push(...found.tasks);
      bytes += found.tasks.reduce((sum, task) => sum + bytesOf(task), 0);
      if (members.length > MAX_RESULTS || bytes > MAX_RESULTS_BYTES) throw tooManyResults(id);
      after = found.next;
    } while (after !== null);
    return members.toSorted(byShard).map(({ id: taskId, shard, result }) => ({ taskId, shard, result }));
  }

  private traced({ namespace }: Caller, requests: readonly TaskRequest[]): CreateCall {
    return { tracing: this.ports.tracing, namespace, requests, count: requests.length };
  }
}

/** Most results that are gathered at once, and most bytes of their members. */
const MAX_RESULTS = 1_000;
const MAX_RESULTS_BYTES = 16_777_216;

function tooManyResults(id: string): TickwheelError {
  const message = `the batch ${id} has more than ${MAX_RESULTS} results, or more than 16 MiB of them: page through its members`;
  return new TickwheelError("VALIDATION_FAILED", message, { faults: [{ path: "", message }] });
}

function refOf({ namespace }: Caller, id: string): { namespace: string; id: string } {
  return { namespace, id: requireBatchId(id) };
}

/** @throws TickwheelError `BATCH_NOT_FOUND`: no batch can have this id */
function requireBatchId(id: string): string {
  if (!isTaskId(id)) throw noBatch(id);
  return id.toLowerCase();
}

/** Members without a place come last. */
function byShard(a: Task, b: Task): number {
  const [placeA, placeB] = [a, b].map(({ shard }) => shard?.index ?? Number.MAX_SAFE_INTEGER) as [number, number];
  return placeA - placeB || (a.id < b.id ? -1 : 1);
}
