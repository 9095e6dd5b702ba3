import { Inject, Injectable } from "@nestjs/common";
import { HEALTH_OPERATIONS } from "@tickwheel/contract/operations";
import { TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { API_NODE } from "../keys/api-node.js";

const { rows } = HEALTH_OPERATIONS;

/** For load balancers and supervisors: public, and without any detail. */
@Injectable()
export class HealthController {
  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {}

  @OperationRoute(rows.live)
  live(): { status: "live" } {
    return { status: "live" };
  }

  @OperationRoute(rows.ready)
  async ready(): Promise<{ status: "ready" | "degraded" }> {
    const isReady = await this.node.isReady().catch(() => false);
    if (!isReady) throw new TickwheelError("STORE_UNAVAILABLE", "This node does not take work now.");
    return { status: this.node.figures.isDegraded ? "degraded" : "ready" };
  }
}
