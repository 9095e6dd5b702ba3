import { API_KEY_STATES } from "@tickwheel/core";
import { idCursor, page, wordsParameter } from "./parameters.js";
import { query } from "./query.js";

/** Which API keys a list shows. */
export const apiKeyQuery = query({
  state: wordsParameter(API_KEY_STATES, "Keys in one of these states.", { name: "ApiKeyState" }),
  ...page(idCursor),
});

/** Which page of the sessions. */
export const pageSessionQuery = query(page(idCursor));
