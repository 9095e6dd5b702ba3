import { Get, Injectable, Param, Query } from "@nestjs/common";
import { ApiParam, ApiTags } from "@nestjs/swagger";
import type { ApiKey } from "@tickwheel/core";
import { AHEAD_RANGES, HISTORY_RANGES } from "@tickwheel/engine";
import { CurrentKey } from "../keys/api-key.guard.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { pageParameters, textParameter, wordParameter } from "../openapi/query-parameters.decorator.js";
import { FigureApiService } from "./figure-api.service.js";
import type { ForecastView, HistoryView } from "./figure-views.js";
import type { FindingReportView } from "./finding-view.js";
import type { TypePayloadView } from "./type-payload-view.js";
import type { TypePageView } from "./type-view.js";

/** What is the matter, and figures for people. */
@Injectable()
@ApiTags("Cluster")
export class FiguresController {
  constructor(private readonly figures: FigureApiService) {}

  @Get("v1/findings")
  @ApiCall({
    summary: "Tells what is the matter now, and what was within the last day",
    role: "viewer",
    answers: { 200: "FindingReport" },
  })
  async findings(@CurrentKey() apiKey: ApiKey): Promise<FindingReportView> {
    return this.figures.findings(apiKey);
  }

  @Get("v1/types")
  @ApiCall({
    summary: "Lists the types with their figures, those in need first",
    role: "viewer",
    answers: { 200: "TypePage" },
  })
  @pageParameters()
  async types(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<TypePageView> {
    return this.figures.types(apiKey, query);
  }

  @Get("v1/types/:type")
  @ApiCall({
    summary: "Tells what the payloads of a type must be, as the nodes that run it announce",
    role: "viewer",
    answers: { 200: "TypePayload" },
    errors: ["TYPE_NOT_FOUND"],
  })
  @ApiParam({ name: "type", description: "The type's name." })
  async type(@CurrentKey() apiKey: ApiKey, @Param("type") type: string): Promise<TypePayloadView> {
    return this.figures.typePayload(apiKey, type);
  }

  @Get("v1/stats/history")
  @ApiCall({
    summary: "Tells what happened, in buckets of one length",
    role: "viewer",
    answers: { 200: "History" },
  })
  @wordParameter("range", "An hour by minute, a day by ten minutes, a week by hour.", Object.keys(HISTORY_RANGES))
  @textParameter("type", "One type alone.")
  async history(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<HistoryView> {
    return this.figures.history(apiKey, query);
  }

  @Get("v1/stats/forecast")
  @ApiCall({
    summary: "Tells what is to come, against what the cluster can start",
    role: "viewer",
    answers: { 200: "Forecast" },
  })
  @wordParameter("ahead", "A minute by second, an hour by minute, a day by hour, 30 days.", Object.keys(AHEAD_RANGES))
  @textParameter("type", "One type alone.")
  async forecast(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<ForecastView> {
    return this.figures.forecast(apiKey, query);
  }
}
