import { SESSION_COOKIE } from "../keys/session-secret.js";

/** What of a request of Express or Fastify decides on the cookie. */
export interface CookieRequest {
  /** `https` where it came by TLS, as the framework's trusted proxies say. */
  protocol?: string;
  /** Its address before any rewriting. */
  originalUrl?: string;
}

const PLAIN_PATH = /^\/[\x21-\x3a\x3c-\x7e]*$/;

/** The `Set-Cookie` that gives a page its session, for all routes of ours and no other; null: that takes it away. */
export function sessionCookie(request: CookieRequest, secret: string | null, sessionMs: number): string {
  const parts = [
    `${SESSION_COOKIE}=${secret ?? ""}`,
    "HttpOnly",
    "SameSite=Strict",
    `Path=${mountPathOf(request)}`,
    `Max-Age=${secret === null ? 0 : Math.floor(sessionMs / 1_000)}`,
    ...(request.protocol === "https" ? ["Secure"] : []),
  ];
  return parts.join("; ");
}

/** What stands before `/v1/session` in the address: the application's prefix and ours, whatever they are made of. */
function mountPathOf({ originalUrl = "" }: CookieRequest): string {
  const path = /^([^?]*)\/v1\/session\/?(\?|$)/i.exec(originalUrl)?.[1] ?? "";
  return PLAIN_PATH.test(path) ? path : "/";
}
