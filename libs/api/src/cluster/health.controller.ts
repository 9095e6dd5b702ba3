import { Get, Header, Inject, Injectable } from "@nestjs/common";
import { ApiOperation, ApiResponse, ApiTags } from "@nestjs/swagger";
import { TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "../keys/api-node.js";
import { problemAnswer } from "../openapi/api-call.decorator.js";
import { schemaRef } from "../openapi/openapi-schemas.js";

const NO_KEY = "Needs no key.";

/** For load balancers and supervisors: public, and without any detail. */
@Injectable()
@ApiTags("Health")
export class HealthController {
  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {}

  @Get("health/live")
  @Header("cache-control", "no-store")
  @ApiOperation({ summary: "Whether the process answers", description: NO_KEY, security: [] })
  @ApiResponse({ status: 200, description: "OK", schema: schemaRef("Health") })
  live(): { status: "live" } {
    return { status: "live" };
  }

  @Get("health/ready")
  @Header("cache-control", "no-store")
  @ApiOperation({
    summary: "Whether the node takes work: the store answers and it is not draining",
    description: `${NO_KEY} \`degraded\`: it takes work, and one of the findings that it knows of needs somebody.`,
    security: [],
  })
  @ApiResponse({ status: 200, description: "OK", schema: schemaRef("Health") })
  @problemAnswer(503, "STORE_UNAVAILABLE")
  async ready(): Promise<{ status: "ready" | "degraded" }> {
    const isReady = await this.node.isReady().catch(() => false);
    if (!isReady) throw new TickwheelError("STORE_UNAVAILABLE", "This node does not take work now.");
    return { status: this.node.figures.isDegraded ? "degraded" : "ready" };
  }
}
