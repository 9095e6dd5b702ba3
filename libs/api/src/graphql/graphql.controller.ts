import { Get, HttpException, Injectable, Post, Req, Res } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { ApiExcludeController } from "@nestjs/swagger";
import type { ApiKey } from "@tickwheel/core";
import { CurrentKey, type KeyedRequest, RequireAnyRole, RequireRole, sessionOf } from "../keys/api-key.guard.js";
import { GraphqlEndpoint, type GraphqlRequest } from "./graphql-endpoint.js";
import { callerSignal } from "../bodies/caller-signal.js";
import { BODY_LIMITS, type FrameworkRequest, type FrameworkResponse, requestText } from "../bodies/request-body.js";

type Request = FrameworkRequest & KeyedRequest & Omit<GraphqlRequest, "text" | "session">;

/** GraphQL at `/graphql`: queries by GET or POST, mutations by POST. */
@Injectable()
@ApiExcludeController()
export class GraphqlController {
  constructor(
    private readonly endpoint: GraphqlEndpoint,
    private readonly host: HttpAdapterHost,
  ) {}

  @Get("graphql")
  @RequireRole("viewer")
  async byGet(@CurrentKey() apiKey: ApiKey, @Req() request: Request, @Res() response: unknown): Promise<void> {
    const { method, url, headers } = request;
    await this.answer(apiKey, { method, url, headers, session: sessionOf(request)?.id ?? null }, response);
  }

  @Post("graphql")
  @RequireAnyRole()
  async byPost(
    @CurrentKey() apiKey: ApiKey,
    @Req() request: Request,
    @Res() response: FrameworkResponse,
  ): Promise<void> {
    // Its content type is hidden until its body is read.
    const text = await requestText(request, response, { owner: apiKey.id, maxBytes: BODY_LIMITS.bytes });
    const { method, url, headers } = request;
    const signal = callerSignal(request, response);
    const session = sessionOf(request)?.id ?? null;
    await this.answer(apiKey, { method, url, headers, text, session, signal }, response);
  }

  private async answer(apiKey: ApiKey, request: GraphqlRequest, response: unknown): Promise<void> {
    const { httpAdapter } = this.host;
    const [body, { status, statusText, headers }] = await this.endpoint.answer(request, apiKey);
    const all = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers };
    for (const [name, value] of Object.entries(all)) httpAdapter.setHeader(response, name, value);
    if (body === null) throw new HttpException(statusText, status);
    httpAdapter.reply(response, body, status);
  }
}
