import { type ApiKey, bytesOf, TickwheelError } from "@tickwheel/core";
import { readerOf } from "../keys/api-key.js";
import type { CancelledTask, TaskResult } from "@tickwheel/calls";
import type { BatchApiService } from "../batches/batch-api.service.js";
import type { ScheduleApiService } from "../schedules/schedule-api.service.js";
import { BatchRoot } from "./graphql-batches.js";
import {
  type Connection,
  connectionOf,
  type GraphqlContext,
  queryOf,
  requireOperator,
  unreadPage,
} from "./graphql-parts.js";
import { ScheduleRoot } from "./graphql-schedules.js";
import type { ClusterReportView, StatsView, TaskApiService } from "../tasks/task-api.service.js";
import type { BulkItem, DetailedTask, ShownTask } from "../tasks/task-json.js";
import { toTaskFilter } from "../tasks/task-query.js";

/** The arguments of `tasks`. Null is as absent. */
export interface TasksArguments {
  filter?: Record<string, unknown> | null;
  first?: number | null;
  after?: string | null;
}

/**
 * The root of every query and mutation: each method resolves the field of its name for the key of the request. It does
 * what REST does, by the same service; inputs come here unchecked but for their GraphQL types. Fields that hold tasks
 * go one after the other, and share the budget of the answer.
 */
export class GraphqlRoot {
  private readonly ofSchedules: ScheduleRoot;
  private readonly ofBatches: BatchRoot;

  constructor(
    private readonly api: TaskApiService,
    { schedules, batches }: { schedules: ScheduleApiService; batches: BatchApiService },
  ) {
    this.ofSchedules = new ScheduleRoot(schedules);
    this.ofBatches = new BatchRoot(batches);
  }

  task({ id }: { id: string }, context: GraphqlContext): Promise<DetailedTask | null> {
    return showing(
      context,
      async (apiKey) => {
        const task = await this.api.get(apiKey, id);
        if (task?.checkpoint) context.budget.spend(JSON.stringify(task.checkpoint.state).length);
        return task;
      },
      (task) => task,
    );
  }

  /** Where the budget is spent, a page without tasks that goes on where it was to begin. */
  tasks({ filter, first, after }: TasksArguments, { apiKey, budget }: GraphqlContext): Promise<Connection<ShownTask>> {
    return budget.inTurn(async () => {
      const query = toTaskFilter(queryOf({ ...filter, first, after }), readerOf(apiKey), {
        limit: "first",
        cursor: "after",
      });
      if (budget.left <= 0) return unreadPage(query.after ?? null);
      return connectionOf(await this.api.find(apiKey, query, budget));
    });
  }

  async cluster(_args: unknown, { apiKey }: GraphqlContext): Promise<ClusterReportView> {
    if (!apiKey.cluster) throw new TickwheelError("FORBIDDEN", "cluster needs a key with the right cluster.");
    return this.api.cluster();
  }

  async stats(_args: unknown, { apiKey }: GraphqlContext): Promise<StatsView> {
    return this.api.stats(apiKey);
  }

  scheduleTask({ input }: { input: unknown }, context: GraphqlContext): Promise<TaskResult<ShownTask>> {
    return changing(
      context,
      (apiKey) => this.api.schedule(apiKey, input, { headers: context.headers }),
      ({ task }) => task,
    );
  }

  scheduleTasks(
    { inputs, idempotencyKey }: { inputs: unknown[]; idempotencyKey?: string | null },
    { apiKey, budget, headers, signal }: GraphqlContext,
  ): Promise<BulkItem[]> {
    requireOperator(apiKey);
    const options = { idempotencyKey: idempotencyKey ?? undefined, budget, headers, signal };
    return budget.inTurn(async () => (await this.api.scheduleMany(apiKey, { tasks: inputs }, options)).items);
  }

  cancelTask({ id }: { id: string }, context: GraphqlContext): Promise<CancelledTask<ShownTask>> {
    return changing(
      context,
      (apiKey) => this.api.cancel(apiKey, id),
      ({ task }) => task,
    );
  }

  rescheduleTask(
    { id, input, expectedVersion }: { id: string; input: unknown; expectedVersion?: number | null },
    context: GraphqlContext,
  ): Promise<ShownTask> {
    const change = { body: input, expectedVersion: expectedVersion ?? null };
    return changingTask(context, (apiKey) => this.api.edit(apiKey, id, change));
  }

  retryTask({ id }: { id: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.retry(apiKey, id));
  }

  pauseTask({ id }: { id: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.pauseOrResume(apiKey, "pause", id));
  }

  pauseTaskByKey(input: { type: string; key: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.pauseOrResumeByKey(apiKey, "pause", { ...input }));
  }

  resumeTask({ id }: { id: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.pauseOrResume(apiKey, "resume", id));
  }

  resumeTaskByKey(input: { type: string; key: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.pauseOrResumeByKey(apiKey, "resume", { ...input }));
  }

  schedule(...asked: Parameters<ScheduleRoot["schedule"]>): ReturnType<ScheduleRoot["schedule"]> {
    return this.ofSchedules.schedule(...asked);
  }

  schedules(...asked: Parameters<ScheduleRoot["list"]>): ReturnType<ScheduleRoot["list"]> {
    return this.ofSchedules.list(...asked);
  }

  putSchedule(...asked: Parameters<ScheduleRoot["put"]>): ReturnType<ScheduleRoot["put"]> {
    return this.ofSchedules.put(...asked);
  }

  pauseSchedule(...asked: Parameters<ScheduleRoot["pause"]>): ReturnType<ScheduleRoot["pause"]> {
    return this.ofSchedules.pause(...asked);
  }

  resumeSchedule(...asked: Parameters<ScheduleRoot["resume"]>): ReturnType<ScheduleRoot["resume"]> {
    return this.ofSchedules.resume(...asked);
  }

  triggerSchedule(...asked: Parameters<ScheduleRoot["trigger"]>): ReturnType<ScheduleRoot["trigger"]> {
    return this.ofSchedules.trigger(...asked);
  }

  backfillSchedule(...asked: Parameters<ScheduleRoot["backfill"]>): ReturnType<ScheduleRoot["backfill"]> {
    return this.ofSchedules.backfill(...asked);
  }

  cancelBackfill(...asked: Parameters<ScheduleRoot["cancelBackfill"]>): ReturnType<ScheduleRoot["cancelBackfill"]> {
    return this.ofSchedules.cancelBackfill(...asked);
  }

  deleteSchedule(...asked: Parameters<ScheduleRoot["remove"]>): ReturnType<ScheduleRoot["remove"]> {
    return this.ofSchedules.remove(...asked);
  }

  batch(...asked: Parameters<BatchRoot["batch"]>): ReturnType<BatchRoot["batch"]> {
    return this.ofBatches.batch(...asked);
  }

  batches(...asked: Parameters<BatchRoot["list"]>): ReturnType<BatchRoot["list"]> {
    return this.ofBatches.list(...asked);
  }

  batchMembers(...asked: Parameters<BatchRoot["members"]>): ReturnType<BatchRoot["members"]> {
    return this.ofBatches.members(...asked);
  }

  createBatch(...asked: Parameters<BatchRoot["create"]>): ReturnType<BatchRoot["create"]> {
    return this.ofBatches.create(...asked);
  }

  addBatchMembers(...asked: Parameters<BatchRoot["add"]>): ReturnType<BatchRoot["add"]> {
    return this.ofBatches.add(...asked);
  }

  sealBatch(...asked: Parameters<BatchRoot["seal"]>): ReturnType<BatchRoot["seal"]> {
    return this.ofBatches.seal(...asked);
  }

  cancelBatch(...asked: Parameters<BatchRoot["cancel"]>): ReturnType<BatchRoot["cancel"]> {
    return this.ofBatches.cancel(...asked);
  }

  runTaskNow({ id }: { id: string }, context: GraphqlContext): Promise<ShownTask> {
    return changingTask(context, (apiKey) => this.api.runNow(apiKey, id));
  }
}

/** What `make` answers, its task at the budget's expense. */
function showing<Answer>(
  { apiKey, budget }: GraphqlContext,
  make: (apiKey: ApiKey) => Promise<Answer>,
  taskOf: (answer: Answer) => ShownTask | null | undefined,
): Promise<Answer> {
  return budget.inTurn(async () => {
    budget.requireLeft();
    const answer = await make(apiKey);
    const task = taskOf(answer);
    if (task) budget.spend(bytesOf({ ...task, delivery: task.deliver }));
    return answer;
  });
}

const changing: typeof showing = async (context, make, taskOf) => {
  requireOperator(context.apiKey);
  return showing(context, make, taskOf);
};

/** The same where the answer is the task. */
function changingTask(context: GraphqlContext, make: (apiKey: ApiKey) => Promise<ShownTask>): Promise<ShownTask> {
  return changing(context, make, (task) => task);
}
