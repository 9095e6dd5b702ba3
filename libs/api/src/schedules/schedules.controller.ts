import { Delete, Get, Headers, HttpCode, HttpStatus, Injectable, Param, Post, Put, Query, Res } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiHeader, ApiParam, ApiQuery, ApiTags } from "@nestjs/swagger";
import type { BackfillFields, PreviewFields } from "@tickwheel/calls";
import { type ApiKey, shownText, TickwheelError } from "@tickwheel/core";
import { SCHEDULE_STATES } from "@tickwheel/schedules";
import { TaskBody } from "../bodies/body-parameters.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { instantParameter, pageParameters, textParameter } from "../openapi/query-parameters.decorator.js";
import { expectedVersionOf } from "../tasks/if-match.js";
import { pageJson, taskJson } from "../tasks/task-json.js";
import { type RunPageView, ScheduleApiService } from "./schedule-api.service.js";

const scheduleName = (): MethodDecorator =>
  ApiParam({ name: "name", description: "The schedule's name.", schema: { type: "string" } });

const stateParameter = (): MethodDecorator =>
  ApiQuery({
    name: "state",
    description: "Schedules in this state. Without a `type`, a page of active ones may be `incomplete`.",
    required: false,
    schema: { type: "string", enum: [...SCHEDULE_STATES] },
  });

/** REST about schedules, under `/v1/schedules`. */
@Injectable()
@ApiTags("Schedules")
export class SchedulesController {
  constructor(
    private readonly api: ScheduleApiService,
    private readonly host: HttpAdapterHost,
  ) {}

  @Post("v1/schedules")
  @ApiCall({
    summary: "Makes a schedule",
    role: "operator",
    body: "ScheduleInput",
    answers: { 201: "Schedule" },
    errors: ["SCHEDULE_EXISTS", "TYPE_DELIVERY_CONFLICT"],
  })
  async createSchedule(@CurrentKey() apiKey: ApiKey, @TaskBody() body: unknown): Promise<string> {
    return taskJson(await this.api.create(apiKey, body));
  }

  @Get("v1/schedules")
  @ApiCall({
    summary: "Lists schedules by name",
    role: "viewer",
    answers: { 200: "SchedulePage" },
  })
  @stateParameter()
  @textParameter("type", "Schedules whose tasks are of this type.")
  @pageParameters()
  async schedules(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<string> {
    return pageJson(await this.api.list(apiKey, query));
  }

  @Put("v1/schedules/:name")
  @scheduleName()
  @ApiCall({
    summary: "Makes a schedule, or gives it another definition; an equal one changes nothing",
    role: "operator",
    body: "ScheduleInput",
    answers: { 201: "Schedule", 200: "Schedule" },
    errors: ["SCHEDULE_NOT_FOUND", "TYPE_DELIVERY_CONFLICT", "VERSION_MISMATCH"],
  })
  @ApiHeader({ name: "If-Match", required: false, description: "The revision that the schedule must have." })
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

  @Get("v1/schedules/:name")
  @scheduleName()
  @ApiCall({
    summary: "Shows a schedule",
    role: "viewer",
    answers: { 200: "Schedule" },
    errors: ["SCHEDULE_NOT_FOUND"],
  })
  async schedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    const found = await this.api.get(apiKey, name);
    if (found) return taskJson(found);
    throw new TickwheelError("SCHEDULE_NOT_FOUND", `There is no schedule ${shownText(name)}.`);
  }

  @Delete("v1/schedules/:name")
  @scheduleName()
  @ApiCall({
    summary: "Deletes a schedule; what has not started is cancelled, what runs goes on",
    role: "operator",
    answers: { 200: "Schedule" },
    errors: ["SCHEDULE_NOT_FOUND", "SCHEDULE_IN_CODE"],
  })
  async deleteSchedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.remove(apiKey, name));
  }

  @Get("v1/schedules/:name/runs")
  @scheduleName()
  @ApiCall({
    summary: "Lists a schedule's last runs and skipped instants, the newest first",
    role: "viewer",
    answers: { 200: "ScheduleRunPage" },
    errors: ["SCHEDULE_NOT_FOUND"],
  })
  @pageParameters()
  async scheduleRuns(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @Query() query: Record<string, unknown>,
  ): Promise<RunPageView> {
    return this.api.runs(apiKey, name, query);
  }

  @Get("v1/schedules/:name/preview")
  @scheduleName()
  @ApiCall({
    summary: "Tells a schedule's next instants, with what changes of the clock do to them",
    role: "viewer",
    answers: { 200: "SchedulePreview" },
    errors: ["SCHEDULE_NOT_FOUND"],
  })
  @textParameter("count", "How many instants: 1 to 1,000, default 10.")
  @instantParameter("from", "From when on; default: now.")
  async previewSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @Query() query: Record<string, unknown>,
  ): Promise<{ items: PreviewFields<string>[] }> {
    return this.api.preview(apiKey, name, query);
  }

  @Post("v1/schedules/:name/pause")
  @scheduleName()
  @HttpCode(HttpStatus.OK)
  @ApiCall({
    summary: "Pauses a schedule; what has not started is taken back",
    role: "operator",
    body: "SchedulePauseInput",
    answers: { 200: "Schedule" },
    errors: ["SCHEDULE_NOT_FOUND"],
  })
  async pauseSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
  ): Promise<string> {
    return taskJson(await this.api.pause(apiKey, name, body));
  }

  @Post("v1/schedules/:name/resume")
  @scheduleName()
  @HttpCode(HttpStatus.OK)
  @ApiCall({ summary: "Ends a pause", role: "operator", answers: { 200: "Schedule" }, errors: ["SCHEDULE_NOT_FOUND"] })
  async resumeSchedule(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.resume(apiKey, name));
  }

  @Post("v1/schedules/:name/trigger")
  @scheduleName()
  @ApiCall({
    summary: "Runs a schedule now, outside its rules; with another payload, if one is given",
    role: "operator",
    body: "ScheduleTriggerInput",
    answers: { 201: "Task" },
    errors: ["SCHEDULE_NOT_FOUND", "TASK_STATE_CONFLICT"],
  })
  async triggerSchedule(
    @CurrentKey() apiKey: ApiKey,
    @Param("name") name: string,
    @TaskBody() body: unknown,
  ): Promise<string> {
    return taskJson(await this.api.trigger(apiKey, name, body));
  }

  @Post("v1/schedules/:name/backfill")
  @scheduleName()
  @ApiCall({
    summary: "Runs instants of a range that passed without a run, one after the other; or only tells which",
    role: "operator",
    body: "ScheduleBackfillInput",
    answers: { 200: "ScheduleBackfill", 202: "ScheduleBackfill" },
    errors: ["SCHEDULE_NOT_FOUND", "TASK_STATE_CONFLICT", "VERSION_MISMATCH"],
  })
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

  @Delete("v1/schedules/:name/backfill")
  @scheduleName()
  @ApiCall({
    summary: "Ends the backfill that goes on: what has not started never starts, a run that executes goes on",
    role: "operator",
    answers: { 200: "Schedule" },
    errors: ["SCHEDULE_NOT_FOUND"],
  })
  async cancelBackfill(@CurrentKey() apiKey: ApiKey, @Param("name") name: string): Promise<string> {
    return taskJson(await this.api.cancelBackfill(apiKey, name));
  }
}
