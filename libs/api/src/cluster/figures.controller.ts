import { Injectable, Param, Query } from "@nestjs/common";
import { CLUSTER_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { FigureApiService } from "./figure-api.service.js";
import type { ForecastView, HistoryView } from "./figure-views.js";
import type { FindingReportView } from "./finding-view.js";
import type { TypePayloadView } from "./type-payload-view.js";
import type { TypePageView } from "./type-view.js";

const { rows } = CLUSTER_OPERATIONS;

/** What is the matter, and figures for people. */
@Injectable()
export class FiguresController {
  constructor(private readonly figures: FigureApiService) {}

  @OperationRoute(rows.findings)
  async findings(@CurrentKey() apiKey: ApiKey): Promise<FindingReportView> {
    return this.figures.findings(apiKey);
  }

  @OperationRoute(rows.types)
  async types(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<TypePageView> {
    return this.figures.types(apiKey, query);
  }

  @OperationRoute(rows.type)
  async type(@CurrentKey() apiKey: ApiKey, @Param("type") type: string): Promise<TypePayloadView> {
    return this.figures.typePayload(apiKey, type);
  }

  @OperationRoute(rows.history)
  async history(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<HistoryView> {
    return this.figures.history(apiKey, query);
  }

  @OperationRoute(rows.forecast)
  async forecast(@CurrentKey() apiKey: ApiKey, @Query() query: Record<string, unknown>): Promise<ForecastView> {
    return this.figures.forecast(apiKey, query);
  }
}
