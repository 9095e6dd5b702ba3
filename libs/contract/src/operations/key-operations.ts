import { apiKeyChangesInput, apiKeyInput, revokeApiKeyInput, rotateApiKeyInput } from "../input/key-input.js";
import { apiKeyQuery } from "../queries/key-queries.js";
import { apiKey, apiKeyPage, newApiKey } from "../records/api-key.js";
import { id } from "../shapes/parts.js";
import { group } from "./operation.js";

/** The keys that the API is called with. */
export const KEY_OPERATIONS = group({
  tag: "API keys",
  text: "Makes, rotates and revokes the API keys of the namespace. Nobody gives a role or a right that he has not. A key is shown once, in the answer that makes it. Each change is written to the audit.",
  path: { id: id("The key's id.") },
  rows: {
    createApiKey: {
      summary: "Makes an API key, and shows it this once",
      role: "admin",
      rest: "POST /v1/api-keys",
      body: apiKeyInput,
      answers: { 201: newApiKey },
      errors: ["KEY_EXISTS"],
      repeat: "refused",
      graphql: { mutation: "createApiKey" },
    },
    apiKeys: {
      summary: "Lists the API keys of the namespace, the newest first; revoked ones for 400 days",
      role: "admin",
      rest: "GET /v1/api-keys",
      query: apiKeyQuery,
      answers: { 200: apiKeyPage },
      repeat: "reads",
      graphql: { query: "apiKeys" },
    },
    ownApiKey: {
      summary: "Shows the API key that the call, or its session, comes with",
      role: "viewer",
      rest: "GET /v1/api-keys/self",
      answers: { 200: apiKey },
      errors: ["KEY_NOT_FOUND"],
      repeat: "reads",
      graphql: {
        query: "ownApiKey",
        orNull: true,
        text: "The API key that the call comes with, or null: the caller has the application's own log-in",
      },
    },
    apiKey: {
      summary: "Shows an API key",
      role: "admin",
      rest: "GET /v1/api-keys/:id",
      answers: { 200: apiKey },
      errors: ["KEY_NOT_FOUND"],
      repeat: "reads",
      graphql: { query: "apiKey", orNull: true, text: "The API key, or null" },
    },
    updateApiKey: {
      summary:
        "Changes name or end of an API key, and the types of a worker's; role and rights never change: rotate it",
      role: "admin",
      rest: "PATCH /v1/api-keys/:id",
      body: apiKeyChangesInput,
      answers: { 200: apiKey },
      errors: ["KEY_NOT_FOUND", "KEY_EXISTS", "LAST_ADMIN_KEY"],
      repeat: "same",
      graphql: { mutation: "updateApiKey", body: "spread" },
    },
    rotateApiKey: {
      summary: "Makes a key of the same name in place of an API key, which goes on for a while, and shows it this once",
      role: "admin",
      rest: "POST /v1/api-keys/:id/rotate",
      body: rotateApiKeyInput,
      answers: { 201: newApiKey },
      errors: ["KEY_NOT_FOUND", "KEY_EXISTS", "LAST_ADMIN_KEY"],
      repeat: "refused",
      graphql: { mutation: "rotateApiKey", body: "spread" },
    },
    revokeApiKey: {
      summary: "Revokes an API key and its sessions, within 5 s on all nodes; one that is revoked stays so",
      role: "admin",
      rest: "DELETE /v1/api-keys/:id",
      body: revokeApiKeyInput,
      answers: { 200: apiKey },
      errors: ["KEY_NOT_FOUND", "LAST_ADMIN_KEY", "OWN_KEY"],
      repeat: "same",
      graphql: { mutation: "revokeApiKey", body: "spread" },
    },
  },
});
