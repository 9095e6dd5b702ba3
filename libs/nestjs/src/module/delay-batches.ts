import {
  type Batch,
  bytesOf,
  isTaskId,
  type Json,
  jsonValueOf,
  JsonSource,
  type MemberPage,
  type Shard,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import { type BatchService, noBatch, type TaskRequest } from "@tickwheel/engine";
import {
  addMembersInput,
  asDate,
  batchFilterInput,
  type BatchFilterInput,
  batchNameRule,
  type BatchOptions,
  type BatchView,
  bulkAnswers,
  type BulkCaller,
  BulkCheck,
  type CheckedItem,
  type CreateCall,
  createTraced,
  eachOf,
  inputOfCall,
  joinedTransaction,
  lastingInput,
  ListHash,
  type ManagerOption,
  MAX_PAGE,
  memberFilterInput,
  type MemberFilterInput,
  type MemberItem,
  readCall,
  requestsOfBatch,
  requireInput,
  resultOf,
  type TaskItemResult,
  type TaskView,
  toBatchRequest,
  toBatchView,
  toTaskView,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "../node/delay-task.node.js";

/** What adding members to a batch has done. */
export interface AddedMembers {
  /** As it is now. */
  batch: BatchView;
  /** The idempotency key had been used for the same call: nothing was written, and this is its first answer again. */
  replayed: boolean;
  /** What became of each task, in the order given. */
  results: TaskItemResult[];
}

/** What a member has returned. */
export interface MemberResult<Result = Json> {
  taskId: string;
  /** Null: the batch was not split into shards, or the member was added otherwise. */
  shard: Shard | null;
  result: Result;
}

/**
 * Batches: tasks that belong together, and what happens when all of them have ended. Members are ordinary tasks; the
 * batch and its first members are written in one transaction, and what happens at its end is made in the one that
 * completes it, so it happens once.
 *
 * @example
 * const { id } = await delayTasks.batches.create({
 *   name: `settle:${day}`,
 *   tasks: shops.map((shop) => ({ task: SettleShop, payload: { shop, day } })),
 *   onComplete: { task: ReportDay, payload: { day } },
 *   seal: true,
 * });
 */
export class DelayBatches {
  constructor(private readonly node: DelayTaskNode) {}

  /**
   * Makes a batch with its first members, all or nothing.
   *
   * @example
   * await delayTasks.batches.create({
   *   name: "close-books:2026-11",
   *   tasks: [{ task: CloseBooks, payload: { month: "2026-11" } }],
   *   shards: "nodes",
   *   deadline: "4h",
   *   seal: true,
   * });
   *
   * @throws TickwheelError `BATCH_EXISTS` (`details.existingId`), `VALIDATION_FAILED` with every fault
   *   (`tasks[3].delay`), `PAYLOAD_TOO_LARGE`, `TASK_KEY_CONFLICT`, `TYPE_DELIVERY_CONFLICT`, `STORE_UNAVAILABLE`
   */
  async create<
    Payloads extends readonly (Json | object)[],
    Complete extends Json | object,
    Success extends Json | object,
  >(batch: BatchOptions<Payloads, Complete, Success>, options: ManagerOption = {}): Promise<BatchView> {
    const given = readCall(() => inputOfBatch(batch));
    const within = this.joined(options);
    const request = await toBatchRequest(given, this.caller);
    const call = { ...this.traced(request.tasks), requests: requestsOfBatch(request) };
    return toBatchView(await createTraced(call, () => this.service.create(request, { within })), asDate);
  }

  /**
   * Adds 1 to 10,000 members to a batch that is filling. One bad item does not stop the rest. Answers in the order
   * given.
   *
   * @example await delayTasks.batches.add(id, [{ task: SettleShop, payload: { shop: 8 } }], { idempotencyKey: "page:8" })
   * @param options `idempotencyKey`: of several calls with the same one within 24 h the first is done, and the others
   *   get its answer; default: none
   * @throws TickwheelError `BATCH_NOT_FOUND`, `BATCH_SEALED`, `IDEMPOTENCY_KEY_REUSED`, `VALIDATION_FAILED` (no list,
   *   or the batch would have too many members), `STORE_UNAVAILABLE`
   */
  async add<Payloads extends readonly (Json | object)[]>(
    id: string,
    tasks: { readonly [Index in keyof Payloads]: MemberItem<Payloads[Index]> },
    options: ManagerOption & { idempotencyKey?: string | null } = {},
  ): Promise<AddedMembers> {
    const { manager, idempotencyKey } = options;
    const given = requireInput(addMembersInput, { tasks: inputsOf(tasks), idempotencyKey });
    const within = this.joined({ manager });
    const batchId = requireBatchId(id);
    const check = new BulkCheck({ ...this.caller, kind: "member" });
    const items = await eachOf(given.tasks, (task) => check.next(task));
    const { namespace } = this;
    const key = given.idempotencyKey ?? null;
    const idempotency = key === null ? null : { key, bodyHash: await hashOf(batchId, items) };
    const requests = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const write = () => this.service.add({ namespace, id: batchId, tasks: requests }, { within, idempotency });
    const added = await createTraced(this.traced(requests), write);
    const results = await eachOf(bulkAnswers(items, added.results), (item) =>
      item.status === "rejected" ? item : { ...item, task: this.view(item.task) },
    );
    return { batch: toBatchView(added.batch, asDate), replayed: added.replayed, results };
  }

  /**
   * From now on nobody adds members but the members themselves, and the batch completes when all have ended; an empty
   * one at once. Sealing it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete or cancelled
   */
  async seal(id: string, options: ManagerOption = {}): Promise<BatchView> {
    const within = this.joined(options);
    return toBatchView(await this.service.seal(this.refOf(id), { within }), asDate);
  }

  /** The batch, or null. */
  async get(id: string): Promise<BatchView | null> {
    return isTaskId(id) ? shown(await this.service.get(this.refOf(id))) : null;
  }

  /** The batch of this name, or null. */
  async getByName(name: string): Promise<BatchView | null> {
    if (batchNameRule(name) !== null) return null;
    return shown(await this.service.get({ namespace: this.namespace, name }));
  }

  /**
   * Batches of this application's namespace, the newest first, in pages.
   *
   * @example await delayTasks.batches.list({ states: ["filling", "open"], namePrefix: "settle:" })
   * @param filter all of it must hold; `limit` 1 … 200, default 50; `before`: the `next` of the page before
   */
  async list(filter: BatchFilterInput = {}): Promise<{ items: BatchView[]; next: string | null }> {
    const { states = [], namePrefix, limit, before } = requireInput(batchFilterInput, filter);
    const page = { namespace: this.namespace, limit, before: before?.toLowerCase() ?? null };
    const { batches, next } = await this.service.list({ ...page, states, namePrefix });
    return { items: batches.map((batch) => toBatchView(batch, asDate)), next };
  }

  /**
   * Cancels a batch: members that have not started are taken back, those that run are asked to stop, and what was to
   * happen at its end does not. Cancelling it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete
   */
  async cancel(id: string): Promise<BatchView> {
    return toBatchView(await this.service.cancel({ ...this.refOf(id), actor: ACTOR }), asDate);
  }

  /**
   * Members of a batch with their results, live and finished ones, the oldest first, in pages.
   *
   * @param filter `states`: default any; `limit` 1 … 200, default 50; `after`: the `next` of the page before
   * @throws TickwheelError `BATCH_NOT_FOUND`, `VALIDATION_FAILED` with every fault of the filter
   */
  async members(id: string, filter: MemberFilterInput = {}): Promise<{ items: TaskView[]; next: string | null }> {
    const { states = [], limit, after } = requireInput(memberFilterInput, filter);
    const { namespace } = this;
    const batchId = requireBatchId(id);
    const asked = { namespace, batchId, states, limit, after: after?.toLowerCase() ?? null };
    const { tasks, next } = await this.service.members(asked);
    return { items: tasks.map((task) => this.view(task)), next };
  }

  /**
   * What the members that have succeeded returned, in the order of their shards, then of their ids: all of it, or an
   * error, so that no sum is made of a part. `members` pages through any number of them.
   *
   * @example const sums = await delayTasks.batches.results<{ cents: number }>(context.batchId);
   * @throws TickwheelError `BATCH_NOT_FOUND`; `VALIDATION_FAILED`: more than 1,000 have succeeded, or they hold more
   *   than 16 MiB together
   */
  async results<Result = Json>(id: string): Promise<MemberResult<Result>[]> {
    const { namespace } = this;
    const asked = { namespace, batchId: requireBatchId(id), states: ["succeeded"] as const, limit: MAX_PAGE };
    const members: Task[] = [];
    let bytes = 0;
    let after: string | null = null;
    do {
      const found: MemberPage = await this.service.members({ ...asked, after });
      members.push(...found.tasks);
      bytes += found.tasks.reduce((sum, task) => sum + bytesOf(task), 0);
      if (members.length > MAX_RESULTS || bytes > MAX_RESULTS_BYTES) throw tooManyResults(id);
      after = found.next;
    } while (after !== null);
    return members
      .toSorted(byShard)
      .map(({ id: taskId, shard, result }) => ({ taskId, shard, result: resultOf(result) as Result }));
  }

  private joined(options: ManagerOption) {
    return joinedTransaction(options, this.node.options);
  }

  private refOf(id: string): { namespace: string; id: string } {
    return { namespace: this.namespace, id: requireBatchId(id) };
  }

  private traced(requests: readonly TaskRequest[]): CreateCall {
    return { tracing: this.node.tracing, namespace: this.namespace, requests, count: requests.length };
  }

  private view(task: Task): TaskView {
    const payload = jsonValueOf(task.payload);
    return toTaskView(
      task,
      { waitingFor: this.node.service.waitingFor(task), payload, result: resultOf(task.result) },
      asDate,
    );
  }

  private get caller(): BulkCaller {
    return { namespace: this.namespace, actor: ACTOR, webhooks: this.node.options, payloads: this.node.payloads };
  }

  private get namespace(): string {
    return this.node.options.namespace;
  }

  private get service(): BatchService {
    return this.node.batches;
  }
}

const ACTOR = "application";

/** Most results that are gathered at once, and most bytes of their members. */
const MAX_RESULTS = 1_000;
const MAX_RESULTS_BYTES = 16_777_216;

function tooManyResults(id: string): TickwheelError {
  const message = `the batch ${id} has more than ${MAX_RESULTS} results, or more than 16 MiB of them: page through its members`;
  return new TickwheelError("VALIDATION_FAILED", message, { faults: [{ path: "", message }] });
}

function shown(batch: Batch | null): BatchView | null {
  return batch && toBatchView(batch, asDate);
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

type Given = Partial<Record<keyof BatchOptions, unknown>>;

/** What a call gives, read once. */
function inputOfBatch(batch: object): Record<string, unknown> {
  const { tasks, onComplete, onSuccess, deadline, ...fields }: Given = batch;
  return {
    ...fields,
    tasks: inputsOf(tasks),
    onComplete: inputOf(onComplete),
    onSuccess: inputOf(onSuccess),
    deadline: deadline instanceof Date ? new Date(deadline) : deadline,
  };
}

/** Of what is no list its rule says so. */
function inputsOf(tasks: unknown): unknown {
  return Array.isArray(tasks) ? tasks.map((task: unknown) => inputOf(task)) : tasks;
}

/** Of what is no object its rule says so. */
function inputOf(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  return readCall(() => {
    const { task, payload, ...fields } = item as MemberItem<unknown>;
    return lastingInput(inputOfCall({ ...fields }, task, "payload" in item ? payload : null));
  });
}

/** As it was given: the version is that of the node which was asked, and the trace that of the call. */
function hashedOf({ payload, payloadVersion: _version, trace: _trace, ...request }: TaskRequest): object {
  return { ...request, payload: new JsonSource(payload) };
}

/** The hash of a call: members of another batch are another call. */
async function hashOf(batchId: string, items: readonly CheckedItem[]): Promise<string> {
  const hash = new ListHash();
  hash.add(batchId);
  await eachOf(items, (item) => hash.add("request" in item ? hashedOf(item.request) : item.rejection));
  return hash.digest();
}
