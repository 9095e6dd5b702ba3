import { ROLES } from "@tickwheel/core";
import { flag, id, instant, list, nullable, record, string, words } from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

export const pageSession = record("PageSession", {
  id: id(),
  apiKey: id("The key that has logged in: whose rights it has."),
  keyName: nullable(string("What the key is called; null: it is a first key.")),
  keyPrefix: nullable(string("How the key begins; null: nobody knows, it is a first key.")),
  role: words(ROLES, "ApiKeyRole"),
  createdAt: instant("When it logged in."),
  usedAt: instant("When it was used last, to within two minutes."),
  endsAt: instant("It is over then; earlier after an hour without a call, or with its key."),
  isOwn: flag("Whether the call comes with it."),
});

export const pageSessionPage = record("PageSessionPage", { items: list(pageSession), nextCursor: nullable(string()) });
export type PageSessionPage = ValueOf<typeof pageSessionPage>;
