import type { IncomingMessage } from "node:http";
import { Inject, Injectable } from "@nestjs/common";
import { ApplicationConfig, HttpAdapterHost } from "@nestjs/core";
import { leaveUnread } from "./request-body.js";

/** What stands before our routes, as it was mounted. */
export const MOUNT_PATH = Symbol("tickwheel.mount-path");

/** Those of our routes that take a body. */
const ROUTES = String.raw`(v1/tasks(/[^/]+)?|graphql)/?`;

interface FastifyHooks {
  addHook(name: "onRequest", hook: (request: { raw: IncomingMessage }, reply: unknown, done: () => void) => void): void;
}

/**
 * Keeps the bodies of our own routes from the application's parsers, whatever these are: they would round numbers, refuse fields by their
 * names, and read before a guard has seen the key. Other routes are not touched.
 *
 * It stands first in the application, since it is made before any parser is bound. Where a parser stands before it all the same (in an Express
 * application that was made elsewhere), or routes of ours are excluded from the global prefix, the parsed body is taken, and numbers are
 * what JavaScript holds.
 */
@Injectable()
export class UnreadBodies {
  private pattern: RegExp | null = null;

  constructor(
    host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    @Inject(MOUNT_PATH) private readonly path: string,
  ) {
    host.init$.subscribe(() => this.bind(host.httpAdapter));
  }

  private bind(adapter: HttpAdapterHost["httpAdapter"]): void {
    if (adapter.getType() === "fastify")
      adapter.getInstance<FastifyHooks>().addHook("onRequest", ({ raw }, _reply, done) => {
        this.see(raw);
        done();
      });
    else
      adapter.use((request: IncomingMessage, _response: unknown, next: () => void) => {
        this.see(request);
        next();
      });
  }

  private see(request: IncomingMessage): void {
    if (request.method !== "POST" && request.method !== "PATCH") return;
    // The global prefix may be set after this was made, but not after the first request.
    this.pattern ??= routesBelow(this.config.getGlobalPrefix(), this.path);
    if (this.pattern.test(request.url ?? "")) leaveUnread(request);
  }
}

function routesBelow(...prefixes: readonly string[]): RegExp {
  const parts = prefixes.flatMap((prefix) => prefix.split("/")).filter((part) => part !== "");
  const before = parts.map((part) => `/${part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`).join("");
  return new RegExp(`^${before}/${ROUTES}(\\?|$)`, "i");
}
