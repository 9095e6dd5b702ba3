import {
  asDate,
  BatchCalls,
  type BatchFilterInput,
  type BatchOptions,
  type BatchView,
  type Caller,
  eachOf,
  inputOfCall,
  joinedTransaction,
  lastingInput,
  type ManagerOption,
  type MemberFilterInput,
  type MemberItem,
  readCall,
  resultOf,
  type TaskItemResult,
  type TaskView,
  toBatchView,
} from "@tickwheel/calls";
import type { Batch, Json, Shard } from "@tickwheel/core";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf, shownTask } from "./code-face.js";

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
  private readonly calls: BatchCalls;
  private readonly caller: Caller;

  constructor(private readonly node: DelayTaskNode) {
    this.calls = new BatchCalls(node);
    this.caller = applicationOf(node);
  }

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
    return shown(await this.calls.create(this.caller, given, { within: this.joined(options) }));
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
    const given = { tasks: inputsOf(tasks) };
    const call = { given, within: this.joined({ manager }), idempotencyKey: idempotencyKey ?? undefined };
    const { batch, replayed, items } = await this.calls.add(this.caller, id, call);
    const results = await eachOf(items, (item) =>
      item.status === "rejected" ? item : { ...item, task: shownTask(item.task, this.node) },
    );
    return { batch: shown(batch), replayed, results };
  }

  /**
   * From now on nobody adds members but the members themselves, and the batch completes when all have ended; an empty
   * one at once. Sealing it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete or cancelled
   */
  async seal(id: string, options: ManagerOption = {}): Promise<BatchView> {
    return shown(await this.calls.seal(this.caller, id, { within: this.joined(options) }));
  }

  /** The batch, or null. */
  async get(id: string): Promise<BatchView | null> {
    const found = await this.calls.get(this.caller, id);
    return found && shown(found);
  }

  /** The batch of this name, or null. */
  async getByName(name: string): Promise<BatchView | null> {
    const found = await this.calls.getByName(this.caller, name);
    return found && shown(found);
  }

  /**
   * Batches of this application's namespace, the newest first, in pages.
   *
   * @example await delayTasks.batches.list({ states: ["filling", "open"], namePrefix: "settle:" })
   * @param filter all of it must hold; `limit` 1 … 200, default 50; `before`: the `next` of the page before
   */
  async list(filter: BatchFilterInput = {}): Promise<{ items: BatchView[]; next: string | null }> {
    const { batches, next } = await this.calls.list(this.caller, filter);
    return { items: batches.map(shown), next };
  }

  /**
   * Cancels a batch: members that have not started are taken back, those that run are asked to stop, and what was to
   * happen at its end does not. Cancelling it again changes nothing.
   *
   * @throws TickwheelError `BATCH_NOT_FOUND`; `BATCH_STATE_CONFLICT`: it is complete
   */
  async cancel(id: string): Promise<BatchView> {
    return shown(await this.calls.cancel(this.caller, id));
  }

  /**
   * Members of a batch with their results, live and finished ones, the oldest first, in pages. `incomplete`: a page
   * came to 2 MiB before it was full. It goes on at `next`, however short it is.
   *
   * @param filter `states`: default any; `limit` 1 … 200, default 50; `after`: the `next` of the page before
   * @throws TickwheelError `BATCH_NOT_FOUND`, `VALIDATION_FAILED` with every fault of the filter
   */
  async members(
    id: string,
    filter: MemberFilterInput = {},
  ): Promise<{ items: TaskView[]; next: string | null; incomplete: boolean }> {
    const { tasks, next, incomplete } = await this.calls.members(this.caller, id, { given: filter });
    return { items: tasks.map((task) => shownTask(task, this.node)), next, incomplete };
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
    const results = await this.calls.results(this.caller, id);
    return results.map(({ result, ...member }) => ({ ...member, result: resultOf(result) as Result }));
  }

  private joined(options: ManagerOption) {
    return joinedTransaction(options, this.node.options);
  }
}

function shown(batch: Batch): BatchView {
  return toBatchView(batch, asDate);
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

/** A value that is no list is left to its own rule. */
function inputsOf(tasks: unknown): unknown {
  return Array.isArray(tasks) ? tasks.map((task: unknown) => inputOf(task)) : tasks;
}

/** A value that is no object is left to its own rule. */
function inputOf(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  return readCall(() => {
    const { task, payload, ...fields } = item as MemberItem<unknown>;
    return lastingInput(inputOfCall({ ...fields }, task, "payload" in item ? payload : null));
  });
}
