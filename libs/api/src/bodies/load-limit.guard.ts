import { type CanActivate, type ExecutionContext, Injectable } from "@nestjs/common";
import { SystemClock } from "@tickwheel/core";
import { type KeyedRequest, keyOf } from "../keys/api-key.guard.js";
import { LoadLimit } from "../limits/load-limit.js";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "./request-body.js";
import { whenOver } from "./request-end.js";

/**
 * Refuses requests beyond the {@link LoadLimit} with 429 and `Retry-After`; a request is over when its response is, answered or given up. One
 * limit for all our controllers of an application. A guard, because an interceptor would cost each request a tenth of what the framework does.
 */
@Injectable()
export class LoadLimitGuard implements CanActivate {
  private readonly limit = new LoadLimit(new SystemClock());

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FrameworkRequest & KeyedRequest>();
    const caller = keyOf(request).id;
    this.limit.take(caller);
    const response = rawResponse(http.getResponse<FrameworkResponse>());
    whenOver((request.raw ?? request).socket, response, () => this.limit.done(caller));
    return true;
  }
}
