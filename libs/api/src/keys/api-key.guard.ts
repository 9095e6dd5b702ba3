import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type ApiKey, type PageSession, requireRole, type Role, TickwheelError } from "@tickwheel/core";
import { isUser } from "./api-key.js";
import { Callers } from "./callers.js";
import { rememberKey } from "./keyed-connections.js";
import { CSRF_HEADER, isCsrfTokenOf, isReading } from "./session-secret.js";

/** Where a route keeps the role that it needs, and whether it needs the right `cluster`. */
export const ROLE = "tickwheel:role";
export const CLUSTER = "tickwheel:cluster";
/** Where the guard leaves the key on the request, and the session. */
const KEY: unique symbol = Symbol.for("tickwheel.key");
const SESSION: unique symbol = Symbol.for("tickwheel.page-session");

/** The least role that a route needs. A route without one is closed to everybody. */
export const RequireRole = (role: Role): MethodDecorator => SetMetadata(ROLE, role);
/** The route takes every role: what is asked for on it sees to its own. */
export const RequireAnyRole = (): MethodDecorator => SetMetadata(ROLE, "any");
/** The route needs a key with the right `cluster`. */
export const RequireClusterRight = (): MethodDecorator => SetMetadata(CLUSTER, true);

/** A request on its way through {@link ApiKeyGuard}. */
export type KeyedRequest = { [KEY]?: ApiKey; [SESSION]?: PageSession };

/** A request of Express, or of Fastify with the raw one inside. */
type GuardedRequest = KeyedRequest & {
  method: string;
  headers: Record<string, unknown>;
  ip?: string;
  raw?: { socket: object };
  socket: object;
};

/** The API key of a request that {@link ApiKeyGuard} let in, or that of its session. */
export function keyOf(request: KeyedRequest): ApiKey {
  return request[KEY]!;
}

/** The session of a request that {@link ApiKeyGuard} let in; null where it bears a key. */
export function sessionOf(request: KeyedRequest): PageSession | null {
  return request[SESSION] ?? null;
}

/** As {@link keyOf}. */
export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext): ApiKey =>
  keyOf(context.switchToHttp().getRequest<KeyedRequest>()),
);

/**
 * Denies by default: a request needs a known key or a live session of one, and a route that names a role which the key
 * has. A key in `Authorization` wins. What a session may change, it may only with its CSRF token. Where the application
 * has a log-in of its own, its users need neither key nor session; what they change needs the header of that token.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly callers: Callers,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const isRead = isReading(request.method);
    const caller = await this.callers.find(request, isRead);
    if (!caller)
      throw new TickwheelError("UNAUTHENTICATED", "This call needs a valid API key: Authorization: Bearer <key>.");
    const { apiKey, session } = caller;
    rememberKey((request.raw ?? request).socket);
    if (session && !isRead) requireCsrfToken(session.secret, request.headers);
    if (isUser(apiKey) && !isRead) requireOwnHeader(request.headers);
    const role = this.reflector.get<Role | "any" | undefined>(ROLE, context.getHandler());
    if (!role) throw new TickwheelError("FORBIDDEN", "This call is open to nobody.");
    if (role !== "any") requireRole(apiKey, role);
    if (role === "worker") requireNoSession(session);
    if (this.reflector.get<boolean | undefined>(CLUSTER, context.getHandler())) requireClusterRight(apiKey);
    request[KEY] = apiKey;
    if (session) request[SESSION] = session.record;
    return true;
  }
}

/**
 * The page of a session would hold tasks that nobody works on.
 *
 * @throws TickwheelError `FORBIDDEN`: the call is one of consumers, and comes with a session
 */
export function requireNoSession(session: unknown): void {
  if (session) throw new TickwheelError("FORBIDDEN", "A session of the page claims no tasks: send an API key.");
}

/** @throws TickwheelError `FORBIDDEN` */
export function requireClusterRight(apiKey: ApiKey): void {
  if (!apiKey.cluster) throw new TickwheelError("FORBIDDEN", "This call needs a key with the right cluster.");
}

/**
 * The application's log-in may be a cookie, which a browser sends with what another site makes it send. A header of its
 * own that site cannot send, and a browser says where a request comes from.
 *
 * @throws TickwheelError `CSRF_TOKEN_INVALID`
 */
function requireOwnHeader(headers: Record<string, unknown>): void {
  const isForeign = headers["sec-fetch-site"] === "cross-site";
  if (!isForeign && typeof headers[CSRF_HEADER] === "string" && headers[CSRF_HEADER] !== "") return;
  const message = "A call in the application's own log-in needs the header X-CSRF-Token, and comes from its own site.";
  throw new TickwheelError("CSRF_TOKEN_INVALID", message);
}

/** @throws TickwheelError `CSRF_TOKEN_INVALID` */
export function requireCsrfToken(secret: string, headers: Record<string, unknown>): void {
  if (isCsrfTokenOf(secret, headers[CSRF_HEADER])) return;
  const message = "A call with the session cookie needs the session's csrfToken in the header X-CSRF-Token.";
  throw new TickwheelError("CSRF_TOKEN_INVALID", message);
}
