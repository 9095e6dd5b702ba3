import { Readable } from "node:stream";
import { Headers, HttpStatus, Injectable, Param, Query, Res, StreamableFile } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { IDEMPOTENCY_KEY, REPLAYED } from "@tickwheel/contract/documents";
import { journalQuery, readQuery, TASK_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKey, TraceHeaders } from "@tickwheel/core";
import { noTask } from "@tickwheel/calls";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { readerOf } from "../keys/api-key.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { expectedVersionOf } from "./if-match.js";
import { TaskBody, TasksBody } from "../bodies/body-parameters.js";
import { CallerSignal } from "../bodies/caller-signal.js";
import { RequestTrace } from "../bodies/trace-headers.js";
import { type JournalPageView, requireCancelled, TaskApiService } from "./task-api.service.js";
import { bulkJson, cancelJson, itemsJson, pageJson, taskJson } from "./task-json.js";
import { toTaskFilter } from "./task-query.js";

const { rows } = TASK_OPERATIONS;

/** REST about tasks, under `/v1`. Answers what {@link TaskApiService} does. */
@Injectable()
export class TasksController {
  constructor(
    private readonly api: TaskApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @OperationRoute(rows.create)
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

  @OperationRoute(rows.createMany)
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

  @OperationRoute(rows.cancelByKey)
  async cancelByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return cancelJson(requireCancelled(await this.api.cancelByKey(apiKey, body), "with this type and key"));
  }

  @OperationRoute(rows.pauseByKey)
  async pauseByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.pauseOrResumeByKey(apiKey, "pause", body));
  }

  @OperationRoute(rows.resumeByKey)
  async resumeByKey(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.pauseOrResumeByKey(apiKey, "resume", body));
  }

  @OperationRoute(rows.cancelMany)
  async cancelMany(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return itemsJson(await this.api.cancelMany(apiKey, body));
  }

  @OperationRoute(rows.retryMany)
  async retryMany(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return itemsJson(await this.api.retryMany(apiKey, body));
  }

  @OperationRoute(rows.find)
  async find(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<string> {
    return pageJson(await this.api.find(apiKey, toTaskFilter(query, readerOf(apiKey))));
  }

  @OperationRoute(rows.get)
  async get(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    const task = await this.api.get(apiKey, id);
    if (!task) throw noTask(id);
    return taskJson(task);
  }

  @OperationRoute(rows.edit)
  async edit(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @TaskBody() body: unknown,
    @Headers("If-Match") ifMatch: string | undefined,
  ): Promise<string> {
    return taskJson(await this.api.edit(apiKey, id, { body, expectedVersion: expectedVersionOf(ifMatch) }));
  }

  @OperationRoute(rows.cancel)
  async cancel(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return cancelJson(requireCancelled(await this.api.cancel(apiKey, id), id));
  }

  @OperationRoute(rows.runNow)
  async runNow(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.runNow(apiKey, id));
  }

  @OperationRoute(rows.pause)
  async pause(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.pauseOrResume(apiKey, "pause", id));
  }

  @OperationRoute(rows.resume)
  async resume(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.pauseOrResume(apiKey, "resume", id));
  }

  @OperationRoute(rows.retry)
  async retry(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<string> {
    return taskJson(await this.api.retry(apiKey, id));
  }

  @OperationRoute(rows.journal)
  async journal(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<JournalPageView> {
    const { limit, cursor: after } = readQuery(journalQuery, query);
    return this.api.journal(apiKey, { ...readerOf(apiKey), id, limit, after });
  }

  private tellReplay(response: unknown, replayed: boolean): void {
    if (replayed) this.host.httpAdapter.setHeader(response, REPLAYED, "true");
  }
}
