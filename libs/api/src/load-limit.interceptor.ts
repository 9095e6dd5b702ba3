import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common";
import { SystemClock } from "@tickwheel/core";
import { finalize, type Observable } from "rxjs";
import { LoadLimit } from "./load-limit.js";

/** Refuses requests beyond the {@link LoadLimit} with 429 and `Retry-After`. One limit for all our controllers of an application. */
@Injectable()
export class LoadLimitInterceptor implements NestInterceptor {
  private readonly limit = new LoadLimit(new SystemClock());

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.limit.take();
    return next.handle().pipe(finalize(() => this.limit.done()));
  }
}
