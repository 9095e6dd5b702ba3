import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { problemOf, reportOf, retryAfterS } from "./problem.js";
import { type FrameworkRequest, type FrameworkResponse, giveUpUnread } from "../bodies/request-body.js";

/**
 * Answers every error as `application/problem+json`. Bound to our own controllers; an application that is ours alone
 * binds it globally too, so that a body that cannot be read is a problem as well.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger("Tickwheel API");

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const http = context.switchToHttp();
    const response = http.getResponse<FrameworkResponse>();
    const problem = problemOf(error);
    if (httpAdapter.isHeadersSent(response)) return;
    giveUpUnread(http.getRequest<FrameworkRequest>(), response);
    if (problem.status >= 500 && problem.code !== "STORE_UNAVAILABLE") this.logger.error(reportOf(error));
    httpAdapter.setHeader(response, "content-type", "application/problem+json; charset=utf-8");
    httpAdapter.setHeader(response, "cache-control", "no-store");
    httpAdapter.setHeader(response, "x-content-type-options", "nosniff");
    if (problem.status === 503 || problem.status === 429)
      httpAdapter.setHeader(response, "retry-after", String(retryAfterS(error)));
    if (problem.status === 401) httpAdapter.setHeader(response, "www-authenticate", "Bearer");
    httpAdapter.reply(response, JSON.stringify(problem), problem.status);
  }
}
