import { Inject, Injectable } from "@nestjs/common";
import { batchQuery, memberQuery, readQuery } from "@tickwheel/contract/operations";
import { BatchCalls, type BatchFields, isoInstant, toBatchView } from "@tickwheel/calls";
import { type ApiKey, type Batch, longBytesOf, type TraceHeaders } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { shownItems, shownTask } from "../tasks/shown-tasks.js";
import type { CallHeaders, TaskPageView } from "../tasks/task-api.service.js";
import type { BulkItem } from "../tasks/task-json.js";

type Query = Record<string, unknown>;

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
  items: BulkItem[];
}

/** The calls of batches as REST and GraphQL have them, within the key's namespace. */
@Injectable()
export class BatchApiService {
  private readonly calls: BatchCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new BatchCalls(node);
  }

  async create(apiKey: ApiKey, body: unknown, headers?: TraceHeaders): Promise<ShownBatch> {
    return shown(await this.calls.create(callerOf(apiKey), body, { headers }));
  }

  /**
   * `body` is `{ tasks: [...] }`. One bad item does not stop the rest. Where the budget of the answer is spent, further
   * tasks are shown reduced.
   */
  async add(
    apiKey: ApiKey,
    id: string,
    { body: given, budget = new AnswerBudget(), ...options }: CallHeaders & { body: unknown; budget?: AnswerBudget },
  ): Promise<AddedMembersView> {
    const { batch, replayed, items } = await this.calls.add(callerOf(apiKey), id, { given, ...options });
    const shownOnes = await shownItems(items, (task) => shownTask(task, apiKey, this.node), budget);
    return { batch: shown(batch), replayed, items: shownOnes };
  }

  async get(apiKey: ApiKey, id: string): Promise<ShownBatch | null> {
    const found = await this.calls.get(callerOf(apiKey), id);
    return found && shown(found);
  }

  async list(apiKey: ApiKey, query: Query): Promise<BatchPageView> {
    const { state: states, cursor: before, ...asked } = readQuery(batchQuery, query);
    const { batches, next } = await this.calls.list(callerOf(apiKey), { ...asked, states, before });
    return { items: batches.map(shown), nextCursor: next };
  }

  /** The page ends with the member that reaches the budget of the answer. */
  async members(
    apiKey: ApiKey,
    id: string,
    { query, budget = new AnswerBudget() }: MembersCall,
  ): Promise<TaskPageView> {
    const { limit, state: states, cursor: after } = readQuery(memberQuery, query);
    const call = { given: { limit, states, after }, maxBytes: budget.left };
    const { tasks, next: nextCursor, incomplete } = await this.calls.members(callerOf(apiKey), id, call);
    budget.spend(tasks.reduce((sum, task) => sum + longBytesOf(task), 0));
    const items = tasks.map((task) => shownTask(task, apiKey, this.node));
    return { items, nextCursor, ...(incomplete ? { incomplete } : {}) };
  }

  async seal(apiKey: ApiKey, id: string): Promise<ShownBatch> {
    return shown(await this.calls.seal(callerOf(apiKey), id));
  }

  async cancel(apiKey: ApiKey, id: string): Promise<ShownBatch> {
    return shown(await this.calls.cancel(callerOf(apiKey), id));
  }
}

interface MembersCall {
  query: Query;
  budget?: AnswerBudget;
}

function shown(batch: Batch): ShownBatch {
  return toBatchView(batch, isoInstant);
}
