import { Readable } from "node:stream";
import {
  Delete,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Injectable,
  Param,
  Patch,
  Post,
  Query,
  Res,
  StreamableFile,
} from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiHeader, ApiParam, ApiQuery, ApiTags } from "@nestjs/swagger";
import { type ApiKey, TASK_STATES, type TraceHeaders } from "@tickwheel/core";
import { noTask } from "@tickwheel/calls";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { IDEMPOTENCY_KEY, IdempotencyHeader, REPLAYED } from "../openapi/idempotency-header.decorator.js";
import { pageParameters, rangeParameters, tabParameter, textParameter } from "../openapi/query-parameters.decorator.js";
import { readerOf } from "../keys/api-key.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { expectedVersionOf } from "./if-match.js";
import { TaskBody, TasksBody } from "../bodies/body-parameters.js";
import { CallerSignal } from "../bodies/caller-signal.js";
import { RequestTrace } from "../bodies/trace-headers.js";
import { type JournalPageView, requireCancelled, TaskApiService } from "./task-api.service.js";
import { bulkJson, cancelJson, itemsJson, pageJson, taskJson } from "./task-json.js";
import { toJournalRequest, toTaskFilter } from "./task-query.js";

const LIVE = "True: tasks that have not ended; false: those that have.";
const taskId = (): MethodDecorator =>
  ApiParam({ name: "id", description: "The task's id.", schema: { type: "string", format: "uuid" } });

/** REST about tasks, under `/v1`. Answers what {@link TaskApiService} does. */
@Injectable()
@ApiTags("Tasks")
export class TasksController {
  constructor(
    private readonly api: TaskApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @Post("v1/tasks")
  @ApiCall({
    summary: "Schedules a task",
    role: "operator",
    body: "TaskInput",
    answers: { 201: "Task", 200: "Task" },
    errors: ["TASK_KEY_CONFLICT", "MERGE_CONFLICT", "TYPE_DELIVERY_CONFLICT", "IDEMPOTENCY_KEY_REUSED"],
  })
  @IdempotencyHeader()
  async create(
    @CurrentKey() apiKey: ApiKey,
    @TaskBody() body: unknown,
    @Headers(IDEMPOTENCY_KEY) idempotencyKey: string | undefined,
    @RequestTrace() headers: TraceHeaders,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<string> {
    const { outcome, task, replayed } = await this.api.schedule(apiKey, body, { idempotencyKey, headers });
    const isNew = outcome === "created" || outcome === "replaced";
    this.host.httpAdapter.setHeader(response, "Tickwheel-Outcome", outcome);
    this.tellReplay(response, replayed);
    this.host.httpAdapter.status(response, isNew ? HttpStatus.CREATED : HttpStatus.OK);
    return taskJson(task);
  }

  @Post("v1/tasks/bulk")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Schedules many tasks; one bad item does not stop the rest",
    role: "operator",
    body: "BulkInput",
    answers: { 200: "BulkResult" },
    errors: ["IDEMPOTENCY_KEY_REUSED"],
  })
  @IdempotencyHeader()
  async createMany(
    @CurrentKey() apiKey: ApiKey,
    @TasksBody() body: unknown,
    @Headers(IDEMPOTENCY_KEY) idempotencyKey: string | undefined,
    @RequestTrace() headers: TraceHeaders,
    @CallerSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<StreamableFile> {
    const { items, replayed } = await this.api.scheduleMany(apiKey, body, { idempotencyKey, headers, signal });
    this.tellReplay(response, replayed);
    return new StreamableFile(Readable.from(bulkJson(items)));
  }

  @Post("v1/tasks/cancel")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Cancels the live task of a key",
    role: "operator",
    body: "TaskKeyInput",
    answers: { 200: "CancelResult" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async cancelByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return cancelJson(requireCancelled(await this.api.cancelByKey(apiKey, body), "with this type and key"));
  }

  @Post("v1/tasks/pause")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Pauses the live task of a key",
    role: "operator",
    body: "TaskKeyInput",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async pauseByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.pauseOrResumeByKey(apiKey, "pause", body));
  }

  @Post("v1/tasks/resume")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Resumes the paused task of a key",
    role: "operator",
    body: "TaskKeyInput",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async resumeByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.pauseOrResumeByKey(apiKey, "resume", body));
  }

  @Post("v1/tasks/bulk/cancel")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Cancels tasks by their ids, and says of each what became of it",
    role: "operator",
    body: "TaskIdsInput",
    answers: { 200: "CancelManyResult" },
  })
  async cancelMany(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return itemsJson(await this.api.cancelMany(apiKey, body));
  }

  @Post("v1/tasks/bulk/retry")
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Schedules finished tasks again by their ids, and says of each what became of it",
    role: "operator",
    body: "TaskIdsInput",
    answers: { 200: "RetryManyResult" },
  })
  async retryMany(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return itemsJson(await this.api.retryMany(apiKey, body));
  }

  @Get("v1/tasks")
  @ApiCall({
    summary: "Lists tasks, newest first, or those of a tab in its order",
    role: "viewer",
    answers: { 200: "TaskPage" },
  })
  @tabParameter()
  @textParameter("type", "Tasks of this type.")
  @textParameter("key", "Tasks with this key.")
  @ApiQuery({
    name: "state",
    description: "Tasks in one of these states.",
    required: false,
    style: "form",
    explode: false,
    schema: { type: "array", items: { type: "string", enum: [...TASK_STATES] } },
  })
  @textParameter(
    "tag",
    "Tasks with this tag. No index has them, so a page may be `incomplete`; with a `type` the look is shorter.",
  )
  @ApiQuery({ name: "live", description: LIVE, required: false, schema: { type: "boolean" } })
  @textParameter("node", "Tasks that the node with this label runs, or ran last.")
  @textParameter("error", "Tasks whose last error contains this text, in upper or lower case; at most 200 characters.")
  @rangeParameters("scheduled", "Tasks that were scheduled for")
  @rangeParameters("due", "Tasks whose next try is due")
  @rangeParameters("created", "Tasks that were created")
  @pageParameters()
  async find(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<string> {
    return pageJson(await this.api.find(apiKey, toTaskFilter(query, readerOf(apiKey))));
  }

  @Get("v1/tasks/:id")
  @taskId()
  @ApiCall({ summary: "Shows a task", role: "viewer", answers: { 200: "Task" }, errors: ["TASK_NOT_FOUND"] })
  async get(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    const task = await this.api.get(apiKey, id);
    if (!task) throw noTask(id);
    return taskJson(task);
  }

  @Patch("v1/tasks/:id")
  @taskId()
  @ApiCall({
    summary: "Moves or edits a task that waits",
    role: "operator",
    body: "TaskChangesInput",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT", "VERSION_MISMATCH"],
  })
  @ApiHeader({ name: "If-Match", required: false, description: "The version that the task must have." })
  async edit(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @TaskBody() body: unknown,
    @Headers("If-Match") ifMatch: string | undefined,
  ): Promise<string> {
    return taskJson(await this.api.edit(apiKey, id, { body, expectedVersion: expectedVersionOf(ifMatch) }));
  }

  @Delete("v1/tasks/:id")
  @taskId()
  @ApiCall({
    summary: "Cancels a task; `cancel_requested` when it is running",
    role: "operator",
    answers: { 200: "CancelResult" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async cancel(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return cancelJson(requireCancelled(await this.api.cancel(apiKey, id), id));
  }

  @Post("v1/tasks/:id/run-now")
  @taskId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Makes a scheduled task due now",
    role: "operator",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async runNow(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.runNow(apiKey, id));
  }

  @Post("v1/tasks/:id/pause")
  @taskId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Pauses a scheduled task: its countdown stands still until it is resumed",
    role: "operator",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async pause(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.pauseOrResume(apiKey, "pause", id));
  }

  @Post("v1/tasks/:id/resume")
  @taskId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Resumes a paused task, due after what remained of its countdown",
    role: "operator",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async resume(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.pauseOrResume(apiKey, "resume", id));
  }

  @Post("v1/tasks/:id/retry")
  @taskId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Schedules a finished task again, due now",
    role: "operator",
    answers: { 200: "Task" },
    errors: ["TASK_NOT_FOUND", "TASK_STATE_CONFLICT", "TASK_KEY_CONFLICT"],
  })
  async retry(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.retry(apiKey, id));
  }

  @Get("v1/tasks/:id/journal")
  @taskId()
  @ApiCall({
    summary: "Lists a task's transitions, oldest first",
    role: "viewer",
    answers: { 200: "JournalPage" },
    errors: ["TASK_NOT_FOUND"],
  })
  @pageParameters()
  async journal(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<JournalPageView> {
    return this.api.journal(apiKey, toJournalRequest(query, { ...readerOf(apiKey), id }));
  }

  private tellReplay(response: unknown, replayed: boolean): void {
    if (replayed) this.host.httpAdapter.setHeader(response, REPLAYED, "true");
  }
}
