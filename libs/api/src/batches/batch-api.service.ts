import { Inject, Injectable } from "@nestjs/common";
import {
  type ApiKey,
  type Batch,
  BATCH_STATES,
  inTurns,
  isTaskId,
  longBytesOf,
  MAX_BATCH_NAME,
  type TraceHeaders,
} from "@tickwheel/core";
import { type BatchService, noBatch } from "@tickwheel/engine";
import {
  type BatchFields,
  bulkAnswers,
  BulkCheck,
  type CheckedItem,
  checkInput,
  type CreateCall,
  createTraced,
  idempotencyFaults,
  isoInstant,
  ListHash,
  membersInput,
  requestsOfBatch,
  throwFaults,
  toBatchRequest,
  toBatchView,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { actorOf, readerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { QueryReader } from "../tasks/query-reader.js";
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

/** The use cases of batches as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class BatchApiService {
  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {}

  async create(apiKey: ApiKey, body: unknown, headers?: TraceHeaders): Promise<ShownBatch> {
    const request = await toBatchRequest(body, this.callerOf(apiKey));
    const requests = requestsOfBatch(request);
    const call = { ...this.traced(apiKey, headers), requests, count: request.tasks.length };
    return shown(await createTraced(call, () => this.service.create(request)));
  }

  /**
   * `body` is `{ tasks: [...] }`. One bad item does not stop the rest. Where the budget of the answer is spent, further
   * tasks are shown reduced.
   */
  async add(
    apiKey: ApiKey,
    id: string,
    {
      body,
      idempotencyKey,
      headers,
      budget = new AnswerBudget(),
    }: CallHeaders & { body: unknown; budget?: AnswerBudget },
  ): Promise<AddedMembersView> {
    const { input, faults } = checkInput(membersInput, body);
    throwFaults([...faults, ...idempotencyFaults(idempotencyKey)]);
    const batch = refOf(apiKey, id);
    const { items, hash } = await this.checkMembers(apiKey, batch.id, input.tasks);
    const tasks = items.flatMap((item) => ("request" in item ? [item.request] : []));
    const idempotency = idempotencyKey === undefined ? null : { key: idempotencyKey, bodyHash: hash };
    const call = { ...this.traced(apiKey, headers), requests: tasks, count: tasks.length };
    const added = await createTraced(call, () => this.service.add({ ...batch, tasks }, { idempotency }));
    const answers = bulkAnswers(items, added.results);
    const results = await shownItems(answers, (task) => shownTask(task, apiKey, this.node), budget);
    return { batch: shown(added.batch), replayed: added.replayed, items: results };
  }

  async get(apiKey: ApiKey, id: string): Promise<ShownBatch | null> {
    if (!isTaskId(id)) return null;
    const found = await this.service.get({ ...refOf(apiKey, id), ...readerOf(apiKey) });
    return found && shown(found);
  }

  async list(apiKey: ApiKey, query: Query): Promise<BatchPageView> {
    const reader = new QueryReader(query);
    const [limit, before = null] = [reader.limit("limit"), reader.cursor("cursor")];
    const [states = [], namePrefix] = [reader.words("state", BATCH_STATES), reader.text("namePrefix", MAX_BATCH_NAME)];
    reader.finish();
    const { batches, next } = await this.service.list({ ...readerOf(apiKey), limit, before, states, namePrefix });
    return { items: batches.map(shown), nextCursor: next };
  }

  /** The page ends with the member that reaches the budget of the answer. */
  async members(
    apiKey: ApiKey,
    id: string,
    { query, budget = new AnswerBudget() }: MembersCall,
  ): Promise<TaskPageView> {
    const reader = new QueryReader(query);
    const [limit, after = null] = [reader.limit("limit"), reader.cursor("cursor")];
    const states = reader.states("state") ?? [];
    reader.finish();
    const { id: batchId } = refOf(apiKey, id);
    const { tasks, next: nextCursor } = await this.service.members({
      ...readerOf(apiKey),
      ...{ batchId, states, limit, after },
      maxBytes: budget.left,
    });
    budget.spend(tasks.reduce((sum, task) => sum + longBytesOf(task), 0));
    const isCut = nextCursor !== null && tasks.length < limit;
    const items = tasks.map((task) => shownTask(task, apiKey, this.node));
    return { items, nextCursor, ...(isCut ? { incomplete: true } : {}) };
  }

  async seal(apiKey: ApiKey, id: string): Promise<ShownBatch> {
    return shown(await this.service.seal(refOf(apiKey, id)));
  }

  async cancel(apiKey: ApiKey, id: string): Promise<ShownBatch> {
    return shown(await this.service.cancel({ ...refOf(apiKey, id), actor: actorOf(apiKey) }));
  }

  /** Works in turns: there may be many. Members of another batch are another call to an idempotency key. */
  private async checkMembers(
    apiKey: ApiKey,
    batchId: string,
    tasks: readonly unknown[],
  ): Promise<{ items: CheckedItem[]; hash: string }> {
    const check = new BulkCheck({ ...this.callerOf(apiKey), kind: "member" });
    const hash = new ListHash();
    hash.add(batchId);
    const items = await inTurns(tasks, (task) => {
      hash.add(task);
      return check.next(task);
    });
    return { items, hash: hash.digest() };
  }

  private traced({ namespace }: ApiKey, headers: TraceHeaders | undefined): Omit<CreateCall, "requests" | "count"> {
    return { tracing: this.node.tracing, namespace, headers };
  }

  private callerOf(apiKey: ApiKey) {
    return {
      namespace: apiKey.namespace,
      actor: actorOf(apiKey),
      webhooks: this.node.options,
      payloads: this.node.payloads,
    };
  }

  private get service(): BatchService {
    return this.node.batches;
  }
}

interface MembersCall {
  query: Query;
  budget?: AnswerBudget;
}

function shown(batch: Batch): ShownBatch {
  return toBatchView(batch, isoInstant);
}

/** @throws TickwheelError `BATCH_NOT_FOUND`: no batch can have this id */
function refOf({ namespace }: ApiKey, id: string): { namespace: string; id: string } {
  if (!isTaskId(id)) throw noBatch(id);
  return { namespace, id: id.toLowerCase() };
}
