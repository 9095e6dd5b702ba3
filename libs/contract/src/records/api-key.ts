import { API_KEY_RIGHTS, API_KEY_STATES, ROLES } from "@tickwheel/core";
import { flag, id, instant, list, nullable, number, record, said, string, words } from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

/** What is told of a key wherever it is shown. */
export const API_KEY_FIELDS = {
  id: id(),
  name: nullable(string("What it is called in its namespace; null: it is a first key.")),
  prefix: nullable(string("How it begins; null: nobody knows, it is a first key.")),
  role: words(ROLES, "ApiKeyRole"),
  cluster: flag("Whether it has the right `cluster`."),
  rights: said(
    list(words(API_KEY_RIGHTS, "ApiKeyRight")),
    "What it has besides its role. `payload`: payloads, results and checkpoints as they are, which administrators see anyway.",
  ),
  types: nullable(
    said(
      list(string()),
      "For a `worker`: the types whose tasks it may claim; one that ends with `*` stands for all that begin so. Null: it is no worker.",
    ),
  ),
  state: said(
    words(API_KEY_STATES, "ApiKeyState", {
      works: "It may be called with.",
      ended: "Its end has come.",
      revoked: "Somebody has revoked it.",
    }),
    "Nodes know within 5 s that a key is over.",
  ),
  expiresAt: nullable(instant("When it ends, or has ended; null: it works until it is revoked.")),
  createdAt: instant(),
  createdBy: string("`key:<id>`, `user:<name>`, `application`; `system`: it is a first key."),
  revokedAt: nullable(instant()),
  revokedBy: nullable(string()),
  replacedBy: nullable(id("The key that a rotation has made in its place; null: none.")),
  usedAt: nullable(instant("When it was used last, to within two minutes; null: never.")),
  usedFrom: nullable(string("The address from which it was.")),
};

export const apiKey = record("ApiKey", {
  ...API_KEY_FIELDS,
  perSecondHere: number("Requests a second with it and its sessions on the node that answers, over the last minute."),
});

export const newApiKey = record("NewApiKey", {
  key: string("The key itself. Only this answer has it: what is stored is its hash."),
  apiKey,
});
export type NewApiKey = ValueOf<typeof newApiKey>;

export const apiKeyPage = record("ApiKeyPage", { items: list(apiKey), nextCursor: nullable(string()) });
export type ApiKeyPage = ValueOf<typeof apiKeyPage>;
