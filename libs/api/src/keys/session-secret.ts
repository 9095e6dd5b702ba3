import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** The cookie that holds a session's secret. */
export const SESSION_COOKIE = "tickwheel_session";
/** The header that every call but GET and HEAD needs beside the cookie. */
export const CSRF_HEADER = "x-csrf-token";

const SECRET = /^tws_[A-Za-z0-9_-]{43}$/;

/** A new random secret: `tws_` and 43 URL-safe characters (256 bits). */
export function newSessionSecret(): string {
  return `tws_${randomBytes(32).toString("base64url")}`;
}

/** SHA-256 of a secret, in hex: what is stored. Secrets are random, so a plain hash is enough. */
export function hashSession(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** The token against forged requests. It follows from the secret, and from nothing that is stored. */
export function csrfTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("tickwheel csrf token").digest("base64url");
}

export function isCsrfTokenOf(secret: string, token: unknown): boolean {
  const expected = Buffer.from(csrfTokenOf(secret));
  const given = Buffer.from(typeof token === "string" ? token : "");
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** The secret in a `Cookie` header, or null: there is none, or it has not the form of one. */
export function sessionSecret(header: unknown): string | null {
  if (typeof header !== "string") return null;
  for (const cookie of header.split(";")) {
    const [name, value = ""] = cookie.trim().split("=", 2);
    // A browser sends that of the longest path first: ours, where applications share a host.
    if (name === SESSION_COOKIE) return SECRET.test(value) ? value : null;
  }
  return null;
}

/** A method that changes nothing. */
export function isReading(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}
