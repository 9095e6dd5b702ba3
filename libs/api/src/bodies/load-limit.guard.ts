import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type KeyedRequest, keyOf, sessionOf } from "../keys/api-key.guard.js";
import { LastingLoads, PollLoads } from "../limits/lasting-loads.js";
import { LoadLimit } from "../limits/load-limit.js";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "./request-body.js";
import { waitSecondsOf } from "./preferences.js";
import { whenOver } from "./request-end.js";

const LASTING = "tickwheel:lasting";

/**
 * The route's answers are meant to last, as a stream's or a waiting poll's do: {@link LastingLoads} counts them, and
 * the load limit does not.
 */
export const Lasting = (): MethodDecorator => SetMetadata(LASTING, "always");

/** The same for a route whose answers last if its caller prefers to wait. */
export const LastingIfAsked = (): MethodDecorator => SetMetadata(LASTING, "asked");

/** The route is that of consumers' polls: {@link PollLoads} counts them. */
export const Poll = (): MethodDecorator => SetMetadata(LASTING, "poll");

/**
 * Refuses requests beyond the {@link LoadLimit} with 429 and `Retry-After`, those that last beyond
 * {@link LastingLoads}; a request is over when its response is, answered or given up. One limit for all our controllers
 * of an application. A guard, because an interceptor would cost each request a tenth of what the framework does.
 */
@Injectable()
export class LoadLimitGuard implements CanActivate {
  constructor(
    @Inject(LoadLimit) private readonly load: LoadLimit,
    @Inject(LastingLoads) private readonly lasting: LastingLoads,
    @Inject(PollLoads) private readonly polls: PollLoads,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FrameworkRequest & KeyedRequest>();
    const lasts = this.reflector.get<"always" | "asked" | "poll" | undefined>(LASTING, context.getHandler());
    const isLasting = lasts === "always" || (lasts === "asked" && waitSecondsOf(request.headers["prefer"]) > 0);
    const done =
      lasts === "poll"
        ? this.takeLasting(request, this.polls)
        : isLasting
          ? this.takeLasting(request, this.lasting)
          : this.takeRequest(request);
    const response = rawResponse(http.getResponse<FrameworkResponse>());
    whenOver((request.raw ?? request).socket, response, done);
    return true;
  }

  /** @returns to be called when it is over */
  private takeRequest(request: KeyedRequest): () => void {
    const { id } = keyOf(request);
    this.load.take(id);
    return () => this.load.done(id);
  }

  /** As {@link takeRequest}. */
  private takeLasting(request: KeyedRequest, loads: LastingLoads): () => void {
    const { namespace, id: key } = keyOf(request);
    const caller = { namespace, key, session: sessionOf(request)?.id ?? null };
    loads.take(caller);
    return () => loads.done(caller);
  }
}
