import { buildSchema } from "graphql";
import { BATCHES_SDL } from "./graphql-batches.js";
import { keepJsonText } from "./graphql-payloads.js";
import { SCHEDULES_SDL } from "./graphql-schedules.js";
import { LATENESS_TYPES, TASK_FILTER } from "./graphql-task-parts.js";

/** The GraphQL schema. Types, fields and words are those of REST; instants are ISO 8601, durations as in REST. */
const SDL = /* GraphQL */ `
  "Any JSON value. A payload is given back as received, digit for digit."
  scalar JSON
  "Milliseconds as a number, or a string such as \\"15m\\", \\"1h30m\\" or \\"PT15M\\"."
  scalar Duration
  "An ISO 8601 instant with offset."
  scalar DateTime

  type Query {
    "The task, or null."
    task(id: ID!): Task
    "Tasks of the key's namespace, newest first; first is 1 to 200."
    tasks(filter: TaskFilter, first: Int = 50, after: String): TaskConnection!
    "Needs a key with the right cluster."
    cluster: Cluster!
    stats: Stats!
  }

  "All mutations need the role operator."
  type Mutation {
    scheduleTask(input: TaskInput!): TaskResult!
    "At most 10,000; one bad item does not stop the rest."
    scheduleTasks(inputs: [TaskInput!]!, idempotencyKey: String): [TaskItemResult!]!
    cancelTask(id: ID!): CancelResult!
    "Moves or edits a task that waits; expectedVersion refuses if it has changed since."
    rescheduleTask(id: ID!, input: TaskChangesInput!, expectedVersion: Int): Task!
    "Schedules a finished task again, due now."
    retryTask(id: ID!): Task!
    "Makes a scheduled task due now."
    runTaskNow(id: ID!): Task!
    "Pauses a scheduled task: its countdown stands still until it is resumed."
    pauseTask(id: ID!): Task!
    "Pauses the live task of a key."
    pauseTaskByKey(type: String!, key: String!): Task!
    "Schedules a paused task again, due after what remained of its countdown."
    resumeTask(id: ID!): Task!
    "Schedules the paused task of a key again."
    resumeTaskByKey(type: String!, key: String!): Task!
  }

  enum TaskState {
    scheduled
    paused
    running
    succeeded
    dead
    cancelled
    expired
  }
  enum ConflictPolicy {
    reject
    return
    replace
    refresh
    merge
  }
  enum CreateOutcome {
    created
    existing
    refreshed
    replaced
    merged
  }
  enum TaskItemStatus {
    created
    existing
    refreshed
    replaced
    merged
    rejected
  }
  enum CancelOutcome {
    cancelled
    cancel_requested
    not_found
    too_late
  }
  enum WaitingFor {
    HANDLER
    CAPACITY
    BREAKER
    PAUSE
  }
  enum DeliveryKind {
    webhook
  }
  enum BackoffKind {
    fixed
    exponential
    ladder
    "A ladder, as Alipay notifies merchants: 4, 10, 10 minutes, 1, 2, 6, 15 hours."
    alipay
    "A ladder, as RocketMQ redelivers: 10 and 30 s, 1 to 10, 20, 30 minutes, 1 and 2 hours."
    rocketmq
  }
  enum NodeState {
    joining
    live
    suspect
    draining
    dead
  }

  ${TASK_FILTER}

  input TaskInput {
    type: String!
    payload: JSON
    delay: Duration
    scheduledAt: DateTime
    key: String
    onConflict: ConflictPolicy
    "Of merge: an object of reducers by field of the payload, each replace, add, append, max or min; other fields are replaced."
    merge: JSON
    "Of refresh and merge, above 0: the task is due at the latest this long after its creation."
    maxWait: Duration
    priority: Int
    maxAttempts: Int
    backoff: BackoffInput
    timeout: Duration
    "From the scheduled time: a task that has not started by then ends expired."
    startDeadline: Duration
    idempotencyKey: String
    deliver: DeliverInput
    "What the task belongs to: at most 16, each once, of 1 to 64 characters, at most 1,024 bytes in all."
    tags: [String!]
  }
  input BackoffInput {
    kind: BackoffKind!
    delay: Duration
    "Of ladder: 1 to 100 waits; the last one is repeated."
    delays: [Duration!]
    initial: Duration
    max: Duration
    jitter: Float
  }
  input DeliverInput {
    kind: DeliveryKind!
    url: String!
    headers: JSON
    "What the body of a 2xx answer must be, without spaces around it; another one is a failed attempt."
    expectBody: String
  }
  input TaskChangesInput {
    delay: Duration
    scheduledAt: DateTime
    payload: JSON
    priority: Int
    maxAttempts: Int
  }

  type Task {
    id: ID!
    namespace: String!
    type: String!
    key: String
    payload: JSON
    "The version of its payload, as its creator's definition names it; null: it has none."
    payloadVersion: Int
    state: TaskState!
    "Why it is dead or cancelled; of succeeded: SKIPPED where its condition said no, else null."
    reason: String
    scheduledAt: DateTime!
    "The next try. Of a paused task: as it was at pausedAt."
    dueAt: DateTime!
    "What remains of a paused task's countdown, in milliseconds; null: it is not paused."
    remainingMs: Float
    "Since when it is paused, or was last changed while it is paused; null: it is not paused."
    pausedAt: DateTime
    "For how long it was paused before that, in milliseconds."
    pausedMs: Float!
    startDeadlineAt: DateTime
    createdAt: DateTime!
    claimedAt: DateTime
    startedAt: DateTime
    finishedAt: DateTime
    latenessMs: Float
    "Where the lateness went; the parts add up to it. Null: not measured."
    latenessParts: LatenessParts
    attempt: Int!
    maxAttempts: Int!
    crashCount: Int!
    priority: Int!
    version: Int!
    fence: Int!
    node: String
    result: JSON
    lastError: String
    deliver: Delivery
    "The task that had the key before this one and had already started when this one took it."
    continues: ID
    "The latest task that took the key from this one after it had started."
    continuedBy: ID
    "In the order in which they were given; null only where the task is reduced."
    tags: [String!]
    "The batch that it is a member of."
    batchId: ID
    "Its place in a batch that was split into shards."
    shard: Shard
    waitingFor: WaitingFor
    "What the handler stored last for its next attempt; null: nothing, or the task is not asked for by its id."
    checkpoint: Checkpoint
    "How far the handler said last that it has come; null: it has not, or the task is not asked for by its id."
    progress: Progress
    "Why it stands as it does; null: the task is not asked for by its id."
    because: Because
  }
  ${LATENESS_TYPES}
  type Shard {
    "0 to total - 1."
    index: Int!
    total: Int!
  }
  type Checkpoint {
    state: JSON
    at: DateTime!
  }
  type Progress {
    "0 to 1."
    value: Float!
    note: String
    at: DateTime!
  }
  type Delivery {
    kind: DeliveryKind!
    "A viewer sees its origin alone, and no headers."
    url: String!
    headers: JSON
    expectBody: String
  }

  type TaskConnection {
    nodes: [Task!]!
    pageInfo: PageInfo!
    "The look ended before the page was full, or the fields before this one have used up the answer: go on after endCursor (null: from the start)."
    incomplete: Boolean!
  }
  type PageInfo {
    hasNextPage: Boolean!
    "Give it as after to go on; null where there is no next page."
    endCursor: String
  }

  type TaskResult {
    outcome: CreateOutcome!
    task: Task!
    """
    The idempotency key had been used for the same call: nothing was written, and this is its first answer again.
    """
    replayed: Boolean!
  }
  type TaskItemResult {
    index: Int!
    status: TaskItemStatus!
    "Without payload, result, lastError, deliver and tags where reduced."
    task: Task
    "True where the answer is so long that this task is shown without what can be long."
    reduced: Boolean
    error: TaskItemError
  }
  type TaskItemError {
    code: String!
    detail: String!
    errors: [Fault!]!
  }
  type Fault {
    path: String!
    message: String!
  }
  type CancelResult {
    outcome: CancelOutcome!
    task: Task
  }

  type Cluster {
    coordination: String!
    leader: Leader
    view: Float!
    slots: Int!
    degraded: [DegradedPart!]!
    nodes: [ClusterNode!]!
    "Null: not known, Postgres does not answer."
    gone: [GoneNode!]
  }
  type GoneNode {
    bootId: String!
    label: String
    name: String
    how: GoneHow!
    at: DateTime!
    lastBeatAt: DateTime
    orphanedTypes: [String!]!
  }
  enum GoneHow {
    DEAD
    LEFT
  }
  type Leader {
    node: String!
    bootId: String!
    term: Float!
  }
  type DegradedPart {
    part: String!
    since: DateTime!
    detail: String!
  }
  type ClusterNode {
    label: String!
    name: String!
    bootId: String!
    version: String!
    joinedAt: DateTime!
    state: NodeState!
    roles: [String!]!
    types: [String!]!
    heartbeatAgeMs: Float!
    loopLagMs: Float!
    clockOffsetMs: Float!
    ownedSlots: Int!
    wheelSize: Int!
    inFlight: Int!
    places: Int!
    blocked: BlockedLoop
    away: [String!]!
  }
  type BlockedLoop {
    forMs: Float!
    running: [TypeInFlight!]!
    lastStarted: String
  }
  type TypeInFlight {
    type: String!
    count: Int!
  }

  type Stats {
    counts: StateCounts!
    countedAt: DateTime!
    overdue: Float!
    oldestOverdueMs: Float
    lastMinute: LastMinute!
    wheel: Wheel!
  }
  type Wheel {
    entries: Int!
    bytes: Float!
  }
  type StateCounts {
    scheduled: Float!
    paused: Float!
    running: Float!
    succeeded: Float!
    dead: Float!
    cancelled: Float!
    expired: Float!
  }
  type LastMinute {
    created: Float!
    started: Float!
    succeeded: Float!
    "Of these, the ones whose condition said no."
    skipped: Float!
    failed: Float!
    latenessMs: Lateness
  }
  type Lateness {
    p50: Float!
    p99: Float!
    max: Float!
  }
`;

/** Scalars pass values as they are: the inputs' own rules check them, as they do for REST. JSON passes as text. */
export const graphqlSchema = keepJsonText(buildSchema(SDL + SCHEDULES_SDL + BATCHES_SDL));
