import { Get, Injectable } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { ApiKey } from "@tickwheel/core";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { type ClusterReportView, type StatsView, TaskApiService } from "../tasks/task-api.service.js";

/** The cluster's nodes, and the figures of the key's namespace. */
@Injectable()
@ApiTags("Cluster")
export class ClusterController {
  constructor(private readonly api: TaskApiService) {}

  @Get("v1/cluster")
  @ApiCall({ summary: "Shows nodes, leader and view", role: "viewer", cluster: true, answers: { 200: "Cluster" } })
  async cluster(): Promise<ClusterReportView> {
    return this.api.cluster();
  }

  @Get("v1/stats")
  @ApiCall({ summary: "Counts tasks and shows lateness", role: "viewer", answers: { 200: "Stats" } })
  async stats(@CurrentKey() key: ApiKey): Promise<StatsView> {
    return this.api.stats(key);
  }
}
