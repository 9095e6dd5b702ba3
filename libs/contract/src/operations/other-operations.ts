import { logInInput } from "../input/log-in-input.js";
import { health, session } from "../records/session.js";
import { group } from "./operation.js";

const NO_KEY = "Needs no key.";
const OF_COOKIE = [{ session: [] }] as const;
const NO_GRAPHQL = "It is about HTTP's cookies, which GraphQL does not know.";

/** The log-in of the page. These calls see to their callers themselves. */
export const SESSION_OPERATIONS = group({
  tag: "Session",
  text: "Logs the page in and out: a cookie takes the place of the key.",
  path: {},
  rows: {
    logIn: {
      summary: "Logs the page in: answers a session cookie and its CSRF token",
      role: "none",
      rest: "POST /v1/session",
      body: logInInput,
      answers: { 201: session },
      repeat: "same",
      graphql: { none: NO_GRAPHQL },
      access: {
        text: NO_KEY,
        security: [],
        errors: [
          "VALIDATION_FAILED",
          "UNAUTHENTICATED",
          "FORBIDDEN",
          "PAYLOAD_TOO_LARGE",
          "RATE_LIMITED",
          "STORE_UNAVAILABLE",
        ],
      },
    },
    show: {
      summary: "Shows the page's session, or who is logged in by the application's own log-in",
      role: "none",
      rest: "GET /v1/session",
      answers: { 200: session },
      repeat: "reads",
      graphql: { none: NO_GRAPHQL },
      access: {
        text: "Needs the session cookie, or the application's own log-in.",
        security: OF_COOKIE,
        errors: ["VALIDATION_FAILED", "UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED", "STORE_UNAVAILABLE"],
      },
    },
    logOut: {
      summary: "Logs the page out",
      role: "none",
      rest: "DELETE /v1/session",
      answers: { 204: null },
      repeat: "same",
      graphql: { none: NO_GRAPHQL },
      access: {
        text: "Needs the CSRF token of a live session; without one there is nothing to do.",
        security: [...OF_COOKIE, {}],
        errors: ["VALIDATION_FAILED", "CSRF_TOKEN_INVALID", "RATE_LIMITED", "STORE_UNAVAILABLE"],
      },
    },
  },
});

const HEALTH_ALONE = "Load balancers and supervisors ask by HTTP.";

/** How a node is. */
export const HEALTH_OPERATIONS = group({
  tag: "Health",
  text: "Tells load balancers and supervisors how the node is. Needs no key.",
  path: {},
  rows: {
    live: {
      summary: "Whether the process answers",
      role: "none",
      rest: "GET /health/live",
      answers: { 200: health },
      repeat: "reads",
      graphql: { none: HEALTH_ALONE },
      access: { text: NO_KEY, security: [], errors: [] },
    },
    ready: {
      summary: "Whether the node takes work: the store answers and it is not draining",
      role: "none",
      rest: "GET /health/ready",
      answers: { 200: health },
      repeat: "reads",
      graphql: { none: HEALTH_ALONE },
      access: {
        text: `${NO_KEY} \`degraded\`: it takes work, and one of the findings that it knows of needs somebody.`,
        security: [],
        errors: ["STORE_UNAVAILABLE"],
      },
    },
  },
});
