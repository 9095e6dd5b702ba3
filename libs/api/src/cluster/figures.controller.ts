import { Get, Injectable, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { ApiKey } from "@tickwheel/core";
import { CurrentKey } from "../keys/api-key.guard.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { pageParameters } from "../openapi/query-parameters.decorator.js";
import { FigureApiService } from "./figure-api.service.js";
import type { FindingReportView } from "./finding-view.js";
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
  async findings(@CurrentKey() key: ApiKey): Promise<FindingReportView> {
    return this.figures.findings(key);
  }

  @Get("v1/types")
  @ApiCall({
    summary: "Lists the types with their figures, those in need first",
    role: "viewer",
    answers: { 200: "TypePage" },
    errors: ["VALIDATION_FAILED"],
  })
  @pageParameters()
  async types(@CurrentKey() key: ApiKey, @Query() query: Record<string, unknown>): Promise<TypePageView> {
    return this.figures.types(key, query);
  }
}
