import { Readable } from "node:stream";
import {
  Delete,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Injectable,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
} from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiParam, ApiQuery, ApiTags } from "@nestjs/swagger";
import { type ApiKey, BATCH_STATES, TASK_STATES, type TraceHeaders } from "@tickwheel/core";
import { noBatch } from "@tickwheel/engine";
import { BatchBody, TasksBody } from "../bodies/body-parameters.js";
import { RequestTrace } from "../bodies/trace-headers.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { IDEMPOTENCY_KEY, IdempotencyHeader, REPLAYED } from "../openapi/idempotency-header.decorator.js";
import { pageParameters, textParameter } from "../openapi/query-parameters.decorator.js";
import { bulkJson, pageJson } from "../tasks/task-json.js";
import { BatchApiService, type BatchPageView, type ShownBatch } from "./batch-api.service.js";

const batchId = (): MethodDecorator =>
  ApiParam({ name: "id", description: "The batch's id.", schema: { type: "string", format: "uuid" } });

const stateParameter = (description: string, states: readonly string[]): MethodDecorator =>
  ApiQuery({
    name: "state",
    description,
    required: false,
    style: "form",
    explode: false,
    schema: { type: "array", items: { type: "string", enum: [...states] } },
  });

/** REST about batches, under `/v1/batches`. */
@Injectable()
@ApiTags("Batches")
export class BatchesController {
  constructor(
    private readonly api: BatchApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @Post("v1/batches")
  @ApiCall({
    summary: "Makes a batch with its first members, all or nothing",
    role: "operator",
    body: "BatchInput",
    answers: { 201: "Batch" },
    errors: ["BATCH_EXISTS", "TASK_KEY_CONFLICT", "TYPE_DELIVERY_CONFLICT"],
  })
  async createBatch(
    @CurrentKey() apiKey: ApiKey,
    @BatchBody() body: unknown,
    @RequestTrace() headers: TraceHeaders,
  ): Promise<ShownBatch> {
    return this.api.create(apiKey, body, headers);
  }

  @Get("v1/batches")
  @ApiCall({
    summary: "Lists batches, the newest first",
    role: "viewer",
    answers: { 200: "BatchPage" },
  })
  @stateParameter("Batches in one of these states.", BATCH_STATES)
  @textParameter("namePrefix", "Batches with a name that begins so.")
  @pageParameters()
  async batches(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<BatchPageView> {
    return this.api.list(apiKey, query);
  }

  @Get("v1/batches/:id")
  @batchId()
  @ApiCall({ summary: "Shows a batch", role: "viewer", answers: { 200: "Batch" }, errors: ["BATCH_NOT_FOUND"] })
  async batch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    const found = await this.api.get(apiKey, id);
    if (!found) throw noBatch(id);
    return found;
  }

  @Post("v1/batches/:id/members")
  @batchId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Adds members to a batch that is filling; one bad item does not stop the rest",
    role: "operator",
    body: "MembersInput",
    answers: { 200: "AddMembersResult" },
    errors: ["BATCH_NOT_FOUND", "BATCH_SEALED", "IDEMPOTENCY_KEY_REUSED"],
  })
  @IdempotencyHeader()
  async addMembers(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @TasksBody() body: unknown,
    @Headers(IDEMPOTENCY_KEY) idempotencyKey: string | undefined,
    @RequestTrace() headers: TraceHeaders,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<StreamableFile> {
    const { batch, items, replayed } = await this.api.add(apiKey, id, { body, idempotencyKey, headers });
    if (replayed) this.host.httpAdapter.setHeader(response, REPLAYED, "true");
    return new StreamableFile(Readable.from(bulkJson(items, { batch })));
  }

  @Get("v1/batches/:id/members")
  @batchId()
  @ApiCall({
    summary: "Lists a batch's members, live and finished, the oldest first",
    role: "viewer",
    answers: { 200: "TaskPage" },
    errors: ["BATCH_NOT_FOUND"],
  })
  @stateParameter("Members in one of these states.", TASK_STATES)
  @pageParameters()
  async members(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<string> {
    return pageJson(await this.api.members(apiKey, id, { query }));
  }

  @Post("v1/batches/:id/seal")
  @batchId()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Seals a batch: it takes no members any more, and completes when all have ended",
    role: "operator",
    answers: { 200: "Batch" },
    errors: ["BATCH_NOT_FOUND", "BATCH_STATE_CONFLICT"],
  })
  async sealBatch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    return this.api.seal(apiKey, id);
  }

  @Delete("v1/batches/:id")
  @batchId()
  @ApiCall({
    summary: "Cancels a batch: what has not started is taken back, what runs is asked to stop",
    role: "operator",
    answers: { 200: "Batch" },
    errors: ["BATCH_NOT_FOUND", "BATCH_STATE_CONFLICT"],
  })
  async cancelBatch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    return this.api.cancel(apiKey, id);
  }
}
