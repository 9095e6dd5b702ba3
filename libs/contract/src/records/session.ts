import { ROLES } from "@tickwheel/core";
import { flag, id, instant, record, string, words } from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

/** Who is logged in with the page. */
export const session = record("Session", {
  id: id(),
  csrfToken: string("For the header `X-CSRF-Token` of every call but GET and HEAD."),
  role: words(ROLES),
  namespace: string(),
  cluster: flag("Whether its key has the right `cluster`."),
  keyId: id(),
  expiresAt: instant("It is over then; earlier after an hour without a call, or with its key."),
});
export type Session = ValueOf<typeof session>;

export const health = record("Health", { status: words(["live", "ready", "degraded"]) });
