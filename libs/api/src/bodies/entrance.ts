import type { IncomingMessage, ServerResponse } from "node:http";
import { Inject, Injectable } from "@nestjs/common";
import { ApplicationConfig, HttpAdapterHost } from "@nestjs/core";
import { addressOf, GROUPS, type Operation } from "@tickwheel/contract/operations";
import { isInTurn } from "./pipelining.js";
import { closeBehindLongBody, leaveUnread } from "./request-body.js";

/** What stands before our routes, as it was mounted. */
export const MOUNT_PATH = Symbol("tickwheel.mount-path");

const ROUTES = String.raw`(v1|graphql|health|dashboard|docs|openapi\.json)(/|$)`;
/** Those that take a body, verb and path. */
const BODY_ROUTES = GROUPS.flatMap(({ rows }) => Object.values<Operation>(rows))
  .filter(({ body }) => body !== undefined)
  .map(addressOf)
  .concat({ verb: "POST", path: "/graphql" });
/** No browser guesses what an answer of ours is. */
const NOSNIFF = ["x-content-type-options", "nosniff"] as const;

interface FastifyReply {
  raw: ServerResponse;
  header(name: string, value: string): unknown;
}
interface FastifyHooks {
  addHook(
    name: "onRequest",
    hook: (request: { raw: IncomingMessage }, reply: FastifyReply, done: () => void) => void,
  ): void;
}

/**
 * Sees requests of our own routes before the application does; other routes are not touched. Who asks for much and
 * waits for nothing loses the connection here. And it keeps the bodies from the application's parsers, whatever these
 * are: they would round numbers, refuse fields by their names or an empty body, and read before a guard has seen the
 * key.
 *
 * It stands first in the application, since it is made before any parser is bound. Where a parser stands before it all
 * the same (in an Express application that was made elsewhere), or routes of ours are excluded from the global prefix,
 * the parsed body is taken, and numbers are what JavaScript holds.
 */
@Injectable()
export class Entrance {
  private routes: { all: RegExp; withBody: RegExp } | null = null;

  constructor(
    host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    @Inject(MOUNT_PATH) private readonly path: string,
  ) {
    host.init$.subscribe(() => this.bind(host.httpAdapter));
  }

  private bind(adapter: HttpAdapterHost["httpAdapter"]): void {
    if (adapter.getType() === "fastify")
      adapter.getInstance<FastifyHooks>().addHook("onRequest", ({ raw }, reply, done) => {
        const verdict = this.see(raw, reply.raw);
        if (verdict === "ours") reply.header(...NOSNIFF);
        if (verdict !== "ended") done();
      });
    else
      adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        const verdict = this.see(request, response);
        if (verdict === "ours") response.setHeader(...NOSNIFF);
        if (verdict !== "ended") next();
      });
  }

  /** `ended`: its connection was. */
  private see(request: IncomingMessage, response: ServerResponse): "ours" | "another's" | "ended" {
    // The global prefix may be set after this was made, but not after the first request.
    this.routes ??= this.ownRoutes();
    const path = pathOf(request);
    if (!this.routes.all.test(path)) return "another's";
    if (!isInTurn(request, response)) return "ended";
    if (request.method === "GET" || request.method === "HEAD") return "ours";
    leaveUnread(request);
    if (!this.routes.withBody.test(`${request.method} ${path}`)) closeBehindLongBody(request, response);
    return "ours";
  }

  private ownRoutes(): { all: RegExp; withBody: RegExp } {
    const parts = [this.config.getGlobalPrefix(), this.path].flatMap((prefix) => prefix.split("/"));
    const before = parts.flatMap((part) => (part === "" ? [] : [`/${escaped(part)}`])).join("");
    const withBody = BODY_ROUTES.map(({ verb, path }) => `${verb} ${before}${path.replaceAll(/:\w+/g, "[^/]+")}`);
    return {
      all: new RegExp(`^${before}/${ROUTES}`, "i"),
      withBody: new RegExp(`^(${withBody.join("|")})/?$`, "i"),
    };
  }
}

/** As routers read it: an encoded letter is the letter. */
function pathOf({ url = "" }: IncomingMessage): string {
  const path = url.split("?", 1)[0]!;
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
