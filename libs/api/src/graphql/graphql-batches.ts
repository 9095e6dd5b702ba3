import type { AddedMembersView, BatchApiService, ShownBatch } from "../batches/batch-api.service.js";
import type { BulkItem, ShownTask } from "../tasks/task-json.js";
import {
  type Connection,
  connectionOf,
  type GraphqlContext,
  queryOf,
  requireOperator,
  unreadPage,
} from "./graphql-parts.js";

/** The schema's part about batches. */
export const BATCHES_SDL = /* GraphQL */ `
  "A number of 1 to 1,000, or \\"nodes\\": one for each live node that runs the type."
  scalar ShardCount
  "A delay from now, in milliseconds or such as \\"4h\\", or an ISO 8601 instant with offset."
  scalar Deadline

  extend type Query {
    "The batch, or null."
    batch(id: ID!): Batch
    "Batches of the key's namespace, newest first; first is 1 to 200."
    batches(filter: BatchFilter, first: Int = 50, after: String): BatchConnection!
    "Members of a batch, live and finished, the oldest first; first is 1 to 200."
    batchMembers(id: ID!, state: [TaskState!], first: Int = 50, after: String): TaskConnection!
  }

  extend type Mutation {
    "Makes a batch with its first members, all or nothing."
    createBatch(input: BatchInput!): Batch!
    "Adds members to a batch that is filling, at most 10,000; one bad item does not stop the rest."
    addBatchMembers(id: ID!, tasks: [TaskInput!]!, idempotencyKey: String): AddMembersResult!
    "It takes no members any more, and completes when all have ended."
    sealBatch(id: ID!): Batch!
    "What has not started is taken back, what runs is asked to stop."
    cancelBatch(id: ID!): Batch!
  }

  enum BatchState {
    "Members can be added."
    filling
    "It is sealed, and members of it live."
    open
    "Every member has ended."
    complete
    cancelled
  }
  enum BatchStopReason {
    "Somebody cancelled it."
    REQUESTED
    "A member ended dead, and it is to stop then."
    FAIL_FAST
    "Its members have spawned more than a batch may have."
    TOO_MANY_MEMBERS
  }

  input BatchFilter {
    state: [BatchState!]
    namePrefix: String
  }
  "Its tasks take no merge, maxWait and idempotencyKey, and no onConflict but reject."
  input BatchInput {
    "One batch of the namespace has it, as long as it is kept: 1 to 128 of A-Z a-z 0-9 . _ : -"
    name: String
    "At most 10,000; with shards exactly one, without a key."
    tasks: [TaskInput!]
    shards: ShardCount
    "Made once, when every member has ended; without a key."
    onComplete: TaskInput
    "Made once, when every member has succeeded, also after retries of dead ones; without a key."
    onSuccess: TaskInput
    "When it is looked who is not done."
    deadline: Deadline
    "The first member that ends dead stops the batch. Not together with retryDead."
    failFast: Boolean
    "Members that are dead at the deadline are retried once."
    retryDead: Boolean
    "It takes no further members, and completes when these have ended."
    seal: Boolean
  }

  type Batch {
    id: ID!
    name: String
    state: BatchState!
    counts: BatchCounts!
    "The share of its members that have ended, 0 to 1; null: it is filling, and has none."
    progress: Float
    shards: Int
    createdAt: DateTime!
    createdBy: String!
    sealedAt: DateTime
    finishedAt: DateTime
    deadlineAt: DateTime
    "At the deadline a member had not succeeded."
    overdue: Boolean!
    "Members that had not succeeded at the deadline, some by name; null: it was not looked yet."
    leftovers: Leftovers
    failFast: Boolean!
    retryDead: Boolean!
    "Why it takes back its members; null: it does not."
    stop: BatchStop
    isStopping: Boolean!
    "Since when its dead members are being retried."
    retryingSince: DateTime
    onComplete: FollowUp
    onSuccess: FollowUp
  }
  type BatchCounts {
    total: Int!
    live: Int!
    succeeded: Int!
    dead: Int!
    cancelled: Int!
    expired: Int!
  }
  type Leftovers {
    count: Int!
    named: [Leftover!]!
  }
  type Leftover {
    id: ID!
    type: String!
    key: String
    state: TaskState!
  }
  type BatchStop {
    reason: BatchStopReason!
    at: DateTime!
    by: String!
  }
  type FollowUp {
    type: String!
    "Null: it is not made yet, or never will be."
    taskId: ID
  }
  type BatchConnection {
    nodes: [Batch!]!
    pageInfo: PageInfo!
    "The look ended before the page was full: go on after endCursor."
    incomplete: Boolean!
  }
  type AddMembersResult {
    batch: Batch!
    "The idempotency key had been used for the same call: nothing was written, and this is its first answer again."
    replayed: Boolean!
    results: [TaskItemResult!]!
  }
`;

interface PageArguments {
  first?: number | null;
  after?: string | null;
}

/** The root's fields about batches: what REST does, by the same service. */
export class BatchRoot {
  constructor(private readonly batches: BatchApiService) {}

  batch({ id }: { id: string }, { apiKey }: GraphqlContext): Promise<ShownBatch | null> {
    return this.batches.get(apiKey, id);
  }

  list(
    { filter, first, after }: PageArguments & { filter?: Record<string, unknown> | null },
    { apiKey }: GraphqlContext,
  ): Promise<Connection<ShownBatch>> {
    const query = queryOf({ ...filter, limit: first, cursor: after });
    return this.batches.list(apiKey, query).then(connectionOf);
  }

  /** Where the budget is spent, a page without members that goes on where it was to begin. */
  members(
    { id, state, first, after }: PageArguments & { id: string; state?: unknown },
    { apiKey, budget }: GraphqlContext,
  ): Promise<Connection<ShownTask>> {
    const query = queryOf({ state, limit: first, cursor: after });
    return budget.inTurn(async () => {
      if (budget.left <= 0) return unreadPage(after ?? null);
      return connectionOf(await this.batches.members(apiKey, id, { query, budget }));
    });
  }

  create({ input }: { input: unknown }, { apiKey, headers }: GraphqlContext): Promise<ShownBatch> {
    requireOperator(apiKey);
    return this.batches.create(apiKey, input, headers);
  }

  add(
    { id, tasks, idempotencyKey }: { id: string; tasks: unknown[]; idempotencyKey?: string | null },
    { apiKey, budget, headers }: GraphqlContext,
  ): Promise<Omit<AddedMembersView, "items"> & { results: BulkItem[] }> {
    requireOperator(apiKey);
    const call = { body: { tasks }, idempotencyKey: idempotencyKey ?? undefined, budget, headers };
    return budget.inTurn(async () => {
      const { items: results, ...added } = await this.batches.add(apiKey, id, call);
      return { ...added, results };
    });
  }

  seal({ id }: { id: string }, { apiKey }: GraphqlContext): Promise<ShownBatch> {
    requireOperator(apiKey);
    return this.batches.seal(apiKey, id);
  }

  cancel({ id }: { id: string }, { apiKey }: GraphqlContext): Promise<ShownBatch> {
    requireOperator(apiKey);
    return this.batches.cancel(apiKey, id);
  }
}
