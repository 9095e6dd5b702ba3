import type { ServerResponse } from "node:http";
import { type CanActivate, type ExecutionContext, Injectable } from "@nestjs/common";
import { SystemClock } from "@tickwheel/core";
import { LoadLimit } from "./load-limit.js";

/**
 * Refuses requests beyond the {@link LoadLimit} with 429 and `Retry-After`; a request is over when its response is, answered or given up. One
 * limit for all our controllers of an application. A guard, because an interceptor would cost each request a tenth of what the framework does.
 */
@Injectable()
export class LoadLimitGuard implements CanActivate {
  private readonly limit = new LoadLimit(new SystemClock());

  canActivate(context: ExecutionContext): boolean {
    this.limit.take();
    const response = context.switchToHttp().getResponse<ServerResponse | { raw: ServerResponse }>();
    ("raw" in response ? response.raw : response).once("close", () => this.limit.done());
    return true;
  }
}
