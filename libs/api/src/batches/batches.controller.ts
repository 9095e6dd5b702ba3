import { Readable } from "node:stream";
import { Headers, Injectable, Param, Query, Res, StreamableFile } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { IDEMPOTENCY_KEY, REPLAYED } from "@tickwheel/contract/documents";
import { BATCH_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKey, TraceHeaders } from "@tickwheel/core";
import { noBatch } from "@tickwheel/engine";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { BatchBody, TasksBody } from "../bodies/body-parameters.js";
import { RequestTrace } from "../bodies/trace-headers.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { bulkJson, pageJson } from "../tasks/task-json.js";
import { BatchApiService, type BatchPageView, type ShownBatch } from "./batch-api.service.js";

const { rows } = BATCH_OPERATIONS;

/** REST about batches, under `/v1/batches`. */
@Injectable()
export class BatchesController {
  constructor(
    private readonly api: BatchApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @OperationRoute(rows.createBatch)
  async createBatch(
    @CurrentKey() apiKey: ApiKey,
    @BatchBody() body: unknown,
    @RequestTrace() headers: TraceHeaders,
  ): Promise<ShownBatch> {
    return this.api.create(apiKey, body, headers);
  }

  @OperationRoute(rows.batches)
  async batches(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<BatchPageView> {
    return this.api.list(apiKey, query);
  }

  @OperationRoute(rows.batch)
  async batch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    const found = await this.api.get(apiKey, id);
    if (!found) throw noBatch(id);
    return found;
  }

  @OperationRoute(rows.addMembers)
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

  @OperationRoute(rows.members)
  async members(
    @CurrentKey() apiKey: ApiKey,
    @Param("id") id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<string> {
    return pageJson(await this.api.members(apiKey, id, { query }));
  }

  @OperationRoute(rows.sealBatch)
  async sealBatch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    return this.api.seal(apiKey, id);
  }

  @OperationRoute(rows.cancelBatch)
  async cancelBatch(@CurrentKey() apiKey: ApiKey, @Param("id") id: string): Promise<ShownBatch> {
    return this.api.cancel(apiKey, id);
  }
}
