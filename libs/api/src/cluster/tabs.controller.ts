import { Get, Injectable } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { ApiKey } from "@tickwheel/core";
import { CurrentKey } from "../keys/api-key.guard.js";
import { ApiCall } from "../openapi/api-call.decorator.js";
import { FigureApiService } from "./figure-api.service.js";
import type { TabCountsView } from "./figure-views.js";

/** How many tasks the tabs have. It is mounted before the controller of tasks, whose ids would take its path. */
@Injectable()
@ApiTags("Tasks")
export class TabsController {
  constructor(private readonly figures: FigureApiService) {}

  @Get("v1/tasks/counts")
  @ApiCall({
    summary: "Tells how many tasks each tab of the list has, at most ten seconds old",
    role: "viewer",
    answers: { 200: "TabCounts" },
  })
  async counts(@CurrentKey() apiKey: ApiKey): Promise<TabCountsView> {
    return this.figures.tabs(apiKey);
  }
}
