import { API_KEY_RIGHTS, RISING_ROLES } from "@tickwheel/core";
import { flag, id, instant, list, nullable, record, string, words } from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

/** Who is logged in with the page. */
export const session = record("Session", {
  id: nullable(id("Null: it is the application's own log-in, and no session of the page.")),
  csrfToken: string("For the header `X-CSRF-Token` of every call but GET and HEAD."),
  role: words(RISING_ROLES),
  namespace: string(),
  cluster: flag("Whether its key has the right `cluster`."),
  rights: list(words(API_KEY_RIGHTS, "ApiKeyRight")),
  keyId: nullable(id("Null: in the application's own log-in there is no key.")),
  user: nullable(string("Who is logged in by the application's own log-in; null: it is a session of a key.")),
  expiresAt: nullable(
    instant("It is over then; earlier after an hour without a call, or with its key. Null: the application ends it."),
  ),
});
export type Session = ValueOf<typeof session>;

export const health = record("Health", { status: words(["live", "ready", "degraded"]) });
