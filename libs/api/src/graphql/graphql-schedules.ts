import type { BackfillFields } from "@tickwheel/calls";
import type { ScheduleApiService, ShownSchedule } from "../schedules/schedule-api.service.js";
import type { ShownTask } from "../tasks/task-json.js";
import { type Connection, connectionOf, type GraphqlContext, requireOperator } from "./graphql-parts.js";

/** The schema's part about schedules. */
export const SCHEDULES_SDL = /* GraphQL */ `
  extend type Query {
    "The schedule, or null."
    schedule(name: String!): Schedule
    "By name; first is 1 to 200. A page ends with the schedule that reaches 2 MiB of payloads."
    schedules(first: Int = 50, after: String, state: ScheduleState, type: String): ScheduleConnection!
  }

  extend type Mutation {
    "Makes a schedule, or gives it another definition; an equal one changes nothing."
    putSchedule(name: String!, input: ScheduleInput!, expectedRevision: Int): PutScheduleResult!
    pauseSchedule(name: String!, reason: String, until: DateTime): Schedule!
    resumeSchedule(name: String!): Schedule!
    "Runs it now, outside its rules; with this payload, if one is given."
    triggerSchedule(name: String!, payload: JSON): Task!
    """
    Runs instants from this one up to that one, without it, that passed without a run, one after the other; a dry run
    only tells which. includeUnknown: instants too of which nobody knows any more whether they ran.
    """
    backfillSchedule(
      name: String!
      from: DateTime!
      to: DateTime!
      dryRun: Boolean = false
      includeUnknown: Boolean = false
    ): Backfill!
    "What has not started never starts; a run that executes goes on."
    cancelBackfill(name: String!): Schedule!
    deleteSchedule(name: String!): Schedule!
  }

  enum ScheduleState {
    active
    paused
    finished
  }
  "Why an active schedule has no instant planned."
  enum ScheduleWait {
    "One that has come is due, runs, or waits for its retry: what comes next is planned when that has ended."
    RUN
    "With overlap allow, instants become tasks 30 s before they are due."
    PLAN
  }
  enum PutScheduleOutcome {
    created
    changed
    unchanged
  }

  enum BackfillFate {
    "It runs."
    ready
    "It had a run, or has one that lives."
    ran
    "Nothing is decided about it yet: the schedule is paused, or is about to catch up with it."
    pending
    "Whether it ran is known no more."
    unknown
  }

  "One of cron, every and after. The words of the policies are those of REST."
  input ScheduleInput {
    type: String!
    payload: JSON
    cron: String
    timeZone: String
    every: Duration
    anchor: DateTime
    after: Duration
    startsAt: DateTime
    endsAt: DateTime
    exclude: [String!]
    misfire: String
    limit: Int
    overlap: String
    onResume: String
    gap: String
    fold: String
    jitter: Duration
    catchUpLimit: Duration
    pauseAfterFailures: Int
    holdForRetry: Boolean
    priority: Int
    maxAttempts: Int
    backoff: BackoffInput
    timeout: Duration
    startDeadline: Duration
    tags: [String!]
    deliver: DeliverInput
  }

  type Schedule {
    name: String!
    namespace: String!
    type: String!
    payload: JSON
    state: ScheduleState!
    cron: String
    timeZone: String!
    every: Float
    anchor: DateTime
    after: Float
    startsAt: DateTime
    endsAt: DateTime
    exclude: [String!]!
    misfire: String!
    limit: Int
    overlap: String!
    onResume: String!
    gap: String!
    fold: String!
    jitter: Float!
    catchUpLimit: Float
    pauseAfterFailures: Int
    holdForRetry: Boolean!
    startDeadline: Float
    priority: Int
    maxAttempts: Int
    "As it may be given, with every field of its kind; null: as the type's handler wants."
    backoff: JSON
    timeout: Float
    tags: [String!]!
    "Null: a handler in the application."
    deliver: Delivery
    "Null: none is planned, for which state and waitingFor say why."
    nextAt: DateTime
    "Null: an instant is planned, or it is not active."
    waitingFor: ScheduleWait
    pause: SchedulePause
    "Null: none goes on."
    backfill: BackfillProgress
    failures: Int!
    application: String
    revision: Int!
    createdAt: DateTime!
    createdBy: String!
    changedAt: DateTime!
    changedBy: String!
  }
  type SchedulePause {
    since: DateTime!
    until: DateTime
    reason: String!
    note: String
    by: String
  }
  type BackfillProgress {
    from: DateTime!
    to: DateTime!
    "How many runs it makes, and how many of them wait."
    count: Int!
    left: Int!
    since: DateTime!
    by: String!
  }
  type Backfill {
    dryRun: Boolean!
    "How many instants run."
    count: Int!
    instants: [BackfillInstant!]!
    "The range has more instants than are told: only a dry run is given."
    more: Boolean!
  }
  type BackfillInstant {
    at: DateTime!
    fate: BackfillFate!
    "Why it had no run; null: it had one, or it is not known."
    skipped: String
  }
  type PutScheduleResult {
    outcome: PutScheduleOutcome!
    schedule: Schedule!
  }
  type ScheduleConnection {
    nodes: [Schedule!]!
    pageInfo: PageInfo!
    "The look for active ones ended before the page was full: go on after endCursor."
    incomplete: Boolean!
  }
`;

/** What names a schedule. */
interface Named {
  name: string;
}

/** The root's fields about schedules: what REST does, by the same service. */
export class ScheduleRoot {
  constructor(private readonly schedules: ScheduleApiService) {}

  schedule({ name }: Named, { apiKey, budget }: GraphqlContext): Promise<ShownSchedule | null> {
    return budget.inTurn(async () => {
      budget.requireLeft();
      const found = await this.schedules.get(apiKey, name);
      if (found) budget.spend(found.payload.length);
      return found;
    });
  }

  list(
    { first, after, state, type }: { first?: number | null; after?: string | null; state?: string; type?: string },
    { apiKey, budget }: GraphqlContext,
  ): Promise<Connection<ShownSchedule>> {
    return budget.inTurn(async () => {
      budget.requireLeft();
      const asked = { limit: String(first ?? 50), cursor: after || null, state, type };
      const query = Object.fromEntries(
        Object.entries(asked).filter(([, value]) => value !== undefined && value !== null),
      );
      return connectionOf(await this.schedules.list(apiKey, query, budget));
    });
  }

  put(
    { name, input, expectedRevision }: Named & { input: object; expectedRevision?: number | null },
    { apiKey }: GraphqlContext,
  ): Promise<{ outcome: string; schedule: ShownSchedule }> {
    requireOperator(apiKey);
    return this.schedules.put(apiKey, name, { body: input, expectedRevision: expectedRevision ?? null });
  }

  pause(
    { name, ...by }: Named & { reason?: string; until?: string },
    { apiKey }: GraphqlContext,
  ): Promise<ShownSchedule> {
    requireOperator(apiKey);
    return this.schedules.pause(apiKey, name, by);
  }

  resume({ name }: Named, { apiKey }: GraphqlContext): Promise<ShownSchedule> {
    requireOperator(apiKey);
    return this.schedules.resume(apiKey, name);
  }

  trigger({ name, ...given }: Named & { payload?: unknown }, { apiKey }: GraphqlContext): Promise<ShownTask> {
    requireOperator(apiKey);
    return this.schedules.trigger(apiKey, name, given);
  }

  backfill({ name, ...range }: Named & object, { apiKey }: GraphqlContext): Promise<BackfillFields<string>> {
    requireOperator(apiKey);
    return this.schedules.backfill(apiKey, name, range);
  }

  cancelBackfill({ name }: Named, { apiKey }: GraphqlContext): Promise<ShownSchedule> {
    requireOperator(apiKey);
    return this.schedules.cancelBackfill(apiKey, name);
  }

  remove({ name }: Named, { apiKey }: GraphqlContext): Promise<ShownSchedule> {
    requireOperator(apiKey);
    return this.schedules.remove(apiKey, name);
  }
}
