import { Inject, Injectable } from "@nestjs/common";
import { BatchCalls, type BatchFields, isoInstant, toBatchView } from "@tickwheel/calls";
import type { BATCH_OPERATIONS } from "@tickwheel/contract/operations";
import { type Batch, longBytesOf } from "@tickwheel/core";
import { noBatch } from "@tickwheel/engine";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { shownItems, shownTask } from "../tasks/shown-tasks.js";
import type { TaskPageView } from "../tasks/task-api.service.js";
import type { BulkItem } from "../tasks/task-json.js";

type Rows = (typeof BATCH_OPERATIONS)["rows"];

/** A batch as an answer shows it. */
export type ShownBatch = BatchFields<string>;

/** A page of the batches, the newest first. */
export interface BatchPageView {
  items: ShownBatch[];
  nextCursor: string | null;
}

/** What a call that adds members has done. */
export interface AddedMembersView {
  batch: ShownBatch;
  replayed: boolean;
  results: BulkItem[];
}

/** The calls about batches, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class BatchApiService implements Calls<Rows> {
  private readonly calls: BatchCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new BatchCalls(node);
  }

  async createBatch({ apiKey, body, headers }: Call): Promise<ShownBatch> {
    return shown(await this.calls.create(callerOf(apiKey), body, { headers }));
  }

  async batches({ apiKey, query }: Call<Rows["batches"]>): Promise<BatchPageView> {
    const { state: states, cursor: before, ...asked } = query;
    const { batches, next } = await this.calls.list(callerOf(apiKey), { ...asked, states, before });
    return { items: batches.map(shown), nextCursor: next };
  }

  async batch({ apiKey, at }: Call): Promise<ShownBatch> {
    const found = await this.calls.get(callerOf(apiKey), at);
    if (!found) throw noBatch(at);
    return shown(found);
  }

  /**
   * The body is `{ tasks: [...] }`. One bad item does not stop the rest. Where the budget of the answer is spent,
   * further tasks are shown reduced.
   */
  async addMembers({ apiKey, at, body: given, budget, idempotencyKey, headers }: Call): Promise<AddedMembersView> {
    const options = { given, idempotencyKey, headers };
    const { batch, replayed, items } = await this.calls.add(callerOf(apiKey), at, options);
    const results = await shownItems(items, (task) => shownTask(task, apiKey, this.node), budget);
    return { batch: shown(batch), replayed, results };
  }

  /** The page ends with the member that reaches the budget of the answer. */
  async members({ apiKey, at, query, budget }: Call<Rows["members"]>): Promise<TaskPageView> {
    const { limit, state: states, cursor: after } = query;
    const call = { given: { limit, states, after }, maxBytes: budget.left };
    const { tasks, next: nextCursor, incomplete } = await this.calls.members(callerOf(apiKey), at, call);
    budget.spend(tasks.reduce((sum, task) => sum + longBytesOf(task), 0));
    const items = tasks.map((task) => shownTask(task, apiKey, this.node));
    return { items, nextCursor, ...(incomplete ? { incomplete } : {}) };
  }

  async sealBatch({ apiKey, at }: Call): Promise<ShownBatch> {
    return shown(await this.calls.seal(callerOf(apiKey), at));
  }

  async cancelBatch({ apiKey, at }: Call): Promise<ShownBatch> {
    return shown(await this.calls.cancel(callerOf(apiKey), at));
  }
}

function shown(batch: Batch): ShownBatch {
  return toBatchView(batch, isoInstant);
}
