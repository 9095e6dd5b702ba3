import { Injectable, Query } from "@nestjs/common";
import { CLUSTER_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import type { ClusterEventPageView } from "./event-view.js";
import { FigureApiService } from "./figure-api.service.js";
import type { ClusterWheelView } from "./wheel-view.js";
import { type ClusterReportView, type StatsView, TaskApiService } from "../tasks/task-api.service.js";

const { rows } = CLUSTER_OPERATIONS;

/** The cluster's nodes, and the figures of the key's namespace. */
@Injectable()
export class ClusterController {
  constructor(
    private readonly api: TaskApiService,
    private readonly figures: FigureApiService,
  ) {}

  @OperationRoute(rows.cluster)
  async cluster(): Promise<ClusterReportView> {
    return this.api.cluster();
  }

  @OperationRoute(rows.events)
  async events(@Query() query: Record<string, unknown>): Promise<ClusterEventPageView> {
    return this.figures.clusterEvents(query);
  }

  @OperationRoute(rows.wheel)
  async wheel(): Promise<ClusterWheelView> {
    return this.figures.clusterWheel();
  }

  @OperationRoute(rows.stats)
  async stats(@CurrentKey() apiKey: ApiKey): Promise<StatsView> {
    return this.api.stats(apiKey);
  }
}
