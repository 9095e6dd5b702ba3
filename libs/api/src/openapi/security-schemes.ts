import { ROLES } from "@tickwheel/core";

/** How a key is shown to the API, with its roles. */
export const SECURITY_SCHEME = {
  type: "http" as const,
  scheme: "bearer",
  description: `An API key. Roles: ${ROLES.join(" < ")}; each belongs to one namespace.`,
};

/** How the page shows its session to the API. */
export const SESSION_SCHEME = {
  type: "apiKey" as const,
  in: "cookie" as const,
  name: "tickwheel_session",
  description: "A session of the page. Every call but GET and HEAD needs its CSRF token, too, in `X-CSRF-Token`.",
};
