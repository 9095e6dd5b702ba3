import { Headers, HttpStatus, Injectable, Param, Query, Res } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { SCHEDULE_OPERATIONS } from "@tickwheel/contract/operations";
import type { BackfillFields, PreviewFields } from "@tickwheel/calls";
import { type ApiKey, shownText, TickwheelError } from "@tickwheel/core";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { TaskBody } from "../bodies/body-parameters.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { expectedVersionOf } from "../tasks/if-match.js";
import { pageJson, taskJson } from "../tasks/task-json.js";
import { type RunPageView, ScheduleApiService } from "./schedule-api.service.js";

const { rows } = SCHEDULE_OPERATIONS;

/** REST about schedules, under `/v1/schedules`. */
@Injectable()
export class SchedulesController {
  constructor(
    private readonly api: ScheduleApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @OperationRoute(rows.createSchedule)
  async createSchedule(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.create(apiKey, body));
  }

  @OperationRoute(rows.schedules)
  async schedules(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<string> {
    return pageJson(await this.api.list(apiKey, query));
  }

  @OperationRoute(rows.putSchedule)
  async putSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
    @Headers("If-Match") ifMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<string> {
    const expectedRevision = expectedVersionOf(ifMatch);
    const { outcome, schedule } = await this.api.put(apiKey, name, { body, expectedRevision });
    this.host.httpAdapter.setHeader(response, "Tickwheel-Outcome", outcome);
    this.host.httpAdapter.status(response, outcome === "created" ? HttpStatus.CREATED : HttpStatus.OK);
    return taskJson(schedule);
  }

  @OperationRoute(rows.schedule)
  async schedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    const found = await this.api.get(apiKey, name);
    if (found) return taskJson(found);
    throw new TickwheelError("SCHEDULE_NOT_FOUND", `There is no schedule ${shownText(name)}.`);
  }

  @OperationRoute(rows.deleteSchedule)
  async deleteSchedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.remove(apiKey, name));
  }

  @OperationRoute(rows.scheduleRuns)
  async scheduleRuns(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @Query() query: Record<string, unknown>,
  ): Promise<RunPageView> {
    return this.api.runs(apiKey, name, query);
  }

  @OperationRoute(rows.previewSchedule)
  async previewSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @Query() query: Record<string, unknown>,
  ): Promise<{ items: PreviewFields<string>[] }> {
    return this.api.preview(apiKey, name, query);
  }

  @OperationRoute(rows.pauseSchedule)
  async pauseSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
  ): Promise<string> {
    return taskJson(await this.api.pause(apiKey, name, body));
  }

  @OperationRoute(rows.resumeSchedule)
  async resumeSchedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.resume(apiKey, name));
  }

  @OperationRoute(rows.triggerSchedule)
  async triggerSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
  ): Promise<string> {
    return taskJson(await this.api.trigger(apiKey, name, body));
  }

  @OperationRoute(rows.backfillSchedule)
  async backfillSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<BackfillFields<string>> {
    const done = await this.api.backfill(apiKey, name, body);
    this.host.httpAdapter.status(response, done.dryRun ? HttpStatus.OK : HttpStatus.ACCEPTED);
    return done;
  }

  @OperationRoute(rows.cancelBackfill)
  async cancelBackfill(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.cancelBackfill(apiKey, name));
  }
}
