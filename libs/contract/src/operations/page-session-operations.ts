import { pageSessionQuery } from "../queries/key-queries.js";
import { pageSession, pageSessionPage } from "../records/page-session.js";
import { id } from "../shapes/parts.js";
import { group } from "./operation.js";

/** Who is logged in with the page. */
export const PAGE_SESSION_OPERATIONS = group({
  tag: "Sessions",
  text: "Shows and ends the sessions of the page that keys of the namespace have begun.",
  path: { id: id("The session's id.") },
  rows: {
    sessions: {
      summary: "Lists the live sessions of the namespace's keys, the newest first",
      role: "admin",
      rest: "GET /v1/sessions",
      query: pageSessionQuery,
      answers: { 200: pageSessionPage },
      repeat: "reads",
      graphql: { query: "sessions" },
    },
    endSession: {
      summary: "Ends a session, within 5 s on all nodes; its key goes on",
      role: "admin",
      rest: "DELETE /v1/sessions/:id",
      answers: { 200: pageSession },
      errors: ["SESSION_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "endSession" },
    },
  },
});
