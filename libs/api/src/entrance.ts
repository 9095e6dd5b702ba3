import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Inject, Injectable, type OnModuleInit } from "@nestjs/common";
import { ApplicationConfig, HttpAdapterHost } from "@nestjs/core";
import { isOneTooMany } from "./pipelining.js";
import { leaveUnread } from "./request-body.js";

/** What stands before our routes, as it was mounted. */
export const MOUNT_PATH = Symbol("tickwheel.mount-path");

const ROUTES = String.raw`(v1|graphql|health|dashboard|docs|openapi\.json)(/|$)`;
/** Those of our routes that take a body. */
const BODY_ROUTES = String.raw`(v1/tasks(/[^/]+)?|graphql)/?$`;

interface Raw<Message> {
  raw: Message;
}
interface FastifyHooks {
  addHook(
    name: "onRequest",
    hook: (request: Raw<IncomingMessage>, reply: Raw<ServerResponse>, done: () => void) => void,
  ): void;
}

/**
 * Sees requests of our own routes before the application does; other routes are not touched.
 *
 * Whoever asks for much and reads nothing loses the connection here, before the requests cost anything. And the bodies are kept from the
 * application's parsers, whatever these are: they would round numbers, refuse fields by their names, and read before a guard has seen the key.
 *
 * It stands first in the application, since it is made before any parser is bound. Where a parser stands before it all the same (in an Express
 * application that was made elsewhere), or routes of ours are excluded from the global prefix, the parsed body is taken, and numbers are
 * what JavaScript holds.
 */
@Injectable()
export class Entrance implements OnModuleInit {
  private routes: { all: RegExp; withBody: RegExp } | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    @Inject(MOUNT_PATH) private readonly path: string,
  ) {
    host.init$.subscribe(() => this.bind(host.httpAdapter));
  }

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server | undefined;
    if (server) passOver(server);
  }

  private bind(adapter: HttpAdapterHost["httpAdapter"]): void {
    if (adapter.getType() === "fastify")
      adapter.getInstance<FastifyHooks>().addHook("onRequest", ({ raw: request }, { raw: response }, done) => {
        if (this.admits(request, response)) done();
      });
    else
      adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        if (this.admits(request, response)) next();
      });
  }

  private admits(request: IncomingMessage, response: ServerResponse): boolean {
    const isTooMany = isOneTooMany(request, response);
    const hasBody = request.method === "POST" || request.method === "PATCH";
    if (!isTooMany && !hasBody) return true;
    const path = (request.url ?? "").split("?", 1)[0]!;
    const { all, withBody } = this.ownRoutes();
    if (hasBody && withBody.test(path)) leaveUnread(request);
    if (!isTooMany || !all.test(path)) return true;
    request.socket.destroy();
    return false;
  }

  /** The global prefix may be set after this was made, but not after the first request. */
  private ownRoutes(): { all: RegExp; withBody: RegExp } {
    if (this.routes) return this.routes;
    const below = (routes: string): RegExp => routesBelow([this.config.getGlobalPrefix(), this.path], routes);
    return (this.routes = { all: below(ROUTES), withBody: below(BODY_ROUTES) });
  }
}

/**
 * Requests whose connection was ended are not handed on: those that came in one packet with the one that ended it would cost the loop and the
 * memory what any request costs.
 */
function passOver(server: Server): void {
  for (const listener of server.listeners("request") as RequestListener[])
    server.off("request", listener).on("request", (request, response) => {
      if (!request.socket.destroyed) listener.call(server, request, response);
    });
}

function routesBelow(prefixes: readonly string[], routes: string): RegExp {
  const parts = prefixes.flatMap((prefix) => prefix.split("/")).filter((part) => part !== "");
  const before = parts.map((part) => `/${part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`).join("");
  return new RegExp(`^${before}/${routes}`, "i");
}
