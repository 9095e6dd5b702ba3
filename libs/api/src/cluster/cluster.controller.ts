import { Get, Injectable, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { type ApiKey, CLUSTER_EVENT_KINDS } from "@tickwheel/core";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { instantParameter, pageParameters, textParameter } from "../openapi/query-parameters.decorator.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import type { ClusterEventPageView } from "./event-view.js";
import { FigureApiService } from "./figure-api.service.js";
import type { ClusterWheelView } from "./wheel-view.js";
import { type ClusterReportView, type StatsView, TaskApiService } from "../tasks/task-api.service.js";

/** The cluster's nodes, and the figures of the key's namespace. */
@Injectable()
@ApiTags("Cluster")
export class ClusterController {
  constructor(
    private readonly api: TaskApiService,
    private readonly figures: FigureApiService,
  ) {}

  @Get("v1/cluster")
  @ApiCall({ summary: "Shows nodes, leader and view", role: "viewer", cluster: true, answers: { 200: "Cluster" } })
  async cluster(): Promise<ClusterReportView> {
    return this.api.cluster();
  }

  @Get("v1/cluster/events")
  @ApiCall({
    summary: "Tells what has happened to the cluster within a week, newest first",
    role: "viewer",
    cluster: true,
    answers: { 200: "ClusterEventPage" },
  })
  @textParameter("kind", `Some of ${CLUSTER_EVENT_KINDS.join(", ")}, with commas between them.`)
  @textParameter("node", "One node's events: by its boot id, or all incarnations by its label.")
  @instantParameter("from", "At this instant or later.")
  @instantParameter("to", "Before this instant.")
  @pageParameters()
  async events(@Query() query: Record<string, unknown>): Promise<ClusterEventPageView> {
    return this.figures.clusterEvents(query);
  }

  @Get("v1/cluster/wheel")
  @ApiCall({
    summary: "Tells what is due within a minute, by second, and each node's share of it",
    role: "viewer",
    cluster: true,
    answers: { 200: "ClusterWheel" },
  })
  async wheel(): Promise<ClusterWheelView> {
    return this.figures.clusterWheel();
  }

  @Get("v1/stats")
  @ApiCall({ summary: "Counts tasks and shows lateness", role: "viewer", answers: { 200: "Stats" } })
  async stats(@CurrentKey() apiKey: ApiKey): Promise<StatsView> {
    return this.api.stats(apiKey);
  }
}
