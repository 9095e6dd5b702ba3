import { Inject, Injectable, Req, Res } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { SESSION_OPERATIONS } from "@tickwheel/contract/operations";
import {
  type ApiKey,
  type ApiKeyRight,
  type PageSession,
  type RisingRole,
  type SessionLimits,
  TickwheelError,
} from "@tickwheel/core";
import { OperationRoute } from "../calls/operation-route.decorator.js";
import { type FrameworkRequest, type FrameworkResponse, requestText } from "../bodies/request-body.js";
import { requireCsrfToken } from "../keys/api-key.guard.js";
import { APPLICATION_CSRF_TOKEN, ApplicationLogIn } from "../keys/application-log-in.js";
import { bearerKey, USER } from "../keys/api-key.js";
import { ApiKeyRing } from "../keys/api-key-ring.js";
import { rememberKey } from "../keys/keyed-connections.js";
import { SESSION_LIMITS } from "../keys/session-options.js";
import { SessionRing } from "../keys/session-ring.js";
import { csrfTokenOf, sessionSecret } from "../keys/session-secret.js";
import { LoadLimit } from "../limits/load-limit.js";
import { type CookieRequest, sessionCookie } from "./session-cookie.js";
import { keyOfBody, MAX_BODY_BYTES } from "./log-in-body.js";
import { LogInTries } from "./log-in-tries.js";

const { rows } = SESSION_OPERATIONS;

type SessionRequest = FrameworkRequest & CookieRequest & { ip?: string };

/** What the page is told of its session. */
export interface SessionView {
  id: string | null;
  csrfToken: string;
  role: RisingRole;
  namespace: string;
  cluster: boolean;
  rights: readonly ApiKeyRight[];
  keyId: string | null;
  user: string | null;
  expiresAt: string | null;
}

/**
 * The log-in of the page: it gives its key once, and has a cookie from then on that no script can read. These calls
 * have no guard of keys; each sees to itself.
 */
@Injectable()
export class SessionController {
  constructor(
    private readonly keys: ApiKeyRing,
    private readonly sessions: SessionRing,
    private readonly application: ApplicationLogIn,
    private readonly tries: LogInTries,
    private readonly load: LoadLimit,
    private readonly host: HttpAdapterHost,
    @Inject(SESSION_LIMITS) private readonly limits: SessionLimits,
  ) {}

  @OperationRoute(rows.logIn)
  async logIn(
    @Req() request: SessionRequest,
    @Res({ passthrough: true }) response: FrameworkResponse,
  ): Promise<SessionView> {
    const text = await requestText(request, response, { owner: `log-in of ${request.ip}`, maxBytes: MAX_BODY_BYTES });
    const secret = keyOfBody(text);
    const apiKey = await this.tried(secret, request.ip ?? "");
    if (apiKey) pageRoleOf(apiKey);
    const made = apiKey && (await this.within(apiKey, () => this.sessions.create(secret)));
    if (!made) throw new TickwheelError("UNAUTHENTICATED", "This is no valid API key.");
    rememberKey((request.raw ?? request).socket);
    this.setCookie(request, response, made.secret);
    return viewOf(made.secret, made.session);
  }

  @OperationRoute(rows.show)
  async show(@Req() request: SessionRequest): Promise<SessionView> {
    const secret = sessionSecret(request.headers.cookie);
    if (secret === null && bearerKey(request.headers.authorization) === null) {
      const user = await this.application.find(request);
      if (user) return viewOfUser(user);
    }
    const session = await this.sessions.find(secret, true);
    if (secret === null || session === null) throw new TickwheelError("UNAUTHENTICATED", "There is no live session.");
    rememberKey((request.raw ?? request).socket);
    return viewOf(secret, session);
  }

  @OperationRoute(rows.logOut)
  async logOut(@Req() request: SessionRequest, @Res({ passthrough: true }) response: FrameworkResponse): Promise<void> {
    const secret = sessionSecret(request.headers.cookie);
    if (secret !== null && (await this.sessions.find(secret, false))) {
      requireCsrfToken(secret, request.headers);
      await this.sessions.end(secret);
    }
    this.setCookie(request, response, null);
  }

  /** The key with this text, or null: then the try counts against the address. */
  private async tried(secret: string, address: string): Promise<ApiKey | null> {
    this.tries.take(address);
    const apiKey = await this.keys.find(secret).catch((error: unknown) => {
      this.tries.giveBack(address);
      throw error;
    });
    if (apiKey) this.tries.giveBack(address);
    return apiKey;
  }

  /** As `LoadLimitGuard` does for calls whose guard knows the key. */
  private async within<Result>({ id }: ApiKey, work: () => Promise<Result>): Promise<Result> {
    this.load.take(id);
    try {
      return await work();
    } finally {
      this.load.done(id);
    }
  }

  private setCookie(request: SessionRequest, response: FrameworkResponse, secret: string | null): void {
    const cookie = sessionCookie(request, secret, this.limits.sessionMs);
    // The application may set cookies of its own.
    this.host.httpAdapter.appendHeader(response, "set-cookie", cookie);
  }
}

/** @throws TickwheelError `FORBIDDEN`: it is a worker, which may see nothing of what the page shows */
function pageRoleOf({ role }: ApiKey): RisingRole {
  if (role !== "worker") return role;
  throw new TickwheelError(
    "FORBIDDEN",
    "A worker has no session of the page: it may claim tasks of its types and nothing else.",
  );
}

function viewOf(secret: string, { id, key: apiKey, endsAt }: PageSession): SessionView {
  const { namespace, cluster, rights, id: keyId } = apiKey;
  const expiresAt = new Date(endsAt).toISOString();
  return {
    id,
    csrfToken: csrfTokenOf(secret),
    role: pageRoleOf(apiKey),
    namespace,
    cluster,
    rights,
    keyId,
    user: null,
    expiresAt,
  };
}

/** In the application's own log-in there is no session of ours: the page goes on without one. */
function viewOfUser(apiKey: ApiKey): SessionView {
  const { id, namespace, cluster, rights } = apiKey;
  const user = id.slice(USER.length);
  const role = pageRoleOf(apiKey);
  const none = { id: null, keyId: null, expiresAt: null };
  return { ...none, csrfToken: APPLICATION_CSRF_TOKEN, role, namespace, cluster, rights, user };
}
