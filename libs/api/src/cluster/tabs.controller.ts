import { Injectable } from "@nestjs/common";
import { TASK_OPERATIONS } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { CurrentKey } from "../keys/api-key.guard.js";
import { FigureApiService } from "./figure-api.service.js";
import type { TabCountsView } from "./figure-views.js";

const { rows } = TASK_OPERATIONS;

/** How many tasks the tabs have. It is mounted before the controller of tasks, whose ids would take its path. */
@Injectable()
export class TabsController {
  constructor(private readonly figures: FigureApiService) {}

  @OperationRoute(rows.counts)
  async counts(@CurrentKey() apiKey: ApiKey): Promise<TabCountsView> {
    return this.figures.tabs(apiKey);
  }
}
