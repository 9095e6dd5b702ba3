import {
  type DurationInput,
  API_KEY_NAME,
  API_KEY_RIGHTS,
  type ApiKeyRight,
  MAX_KEY_OVERLAP_MS,
  MAX_KEY_REASON,
  type Role,
  ROLES,
} from "@tickwheel/core";
import { instant, list, nullable, words } from "../shapes/parts.js";

import { durationRule, flagRule, type InputRule, oneOfRule, textRule, told } from "./input-rules.js";
import { field, inputObject, whenObject } from "./input-schema.js";
import { looksLike, named, said } from "./input-shape.js";
import { instantField } from "./setting-input.js";
import { roleFaults, workerTypesField } from "./worker-input.js";

const keyNameRule: InputRule = told({ type: "string", pattern: API_KEY_NAME.source }, (value) =>
  typeof value === "string" && API_KEY_NAME.test(value) ? null : "must be 1 to 64 characters of A-Z a-z 0-9 . _ -",
);

const name = field<string>(keyNameRule);
const role = field<Role>(oneOfRule(ROLES, `must be one of ${ROLES.join(", ")}`));
const cluster = field<boolean>(flagRule);

const NO_RIGHTS = `must be a list of rights, none twice: ${API_KEY_RIGHTS.join(", ")}`;
const rightsRule: InputRule = told(
  { type: "array", items: { type: "string", enum: [...API_KEY_RIGHTS] }, uniqueItems: true },
  (value) => (isRights(value) ? null : NO_RIGHTS),
);
const rights = looksLike(field<readonly ApiKeyRight[]>(rightsRule), () => list(words(API_KEY_RIGHTS, "ApiKeyRight")));

function isRights(value: unknown): boolean {
  if (!Array.isArray(value) || new Set(value).size < value.length) return false;
  return value.every((item) => API_KEY_RIGHTS.includes(item as ApiKeyRight));
}

/** An API key that is to be made. */
export const apiKeyInput = inputObject({
  name: said(name, "What it is called in its namespace.", { example: "shop-backend" }),
  role: said(
    role,
    "What it may do: an `operator` may what a `viewer` may, an `admin` what an `operator` may. A `worker` may claim tasks of its `types`, and nothing else.",
    { words: "ApiKeyRole" },
  ),
  cluster: said(
    cluster.nullish(),
    "Whether it may make cluster-wide calls; only who may gives that, and a `worker` has it never.",
    { default: false },
  ),
  rights: said(
    rights.nullish(),
    "What it gets besides its role. `payload`: it is shown payloads, results and checkpoints; without it their shape. Administrators need none, and a `worker` has none. Default: nothing.",
    { example: ["payload"] },
  ),
  types: said(
    workerTypesField.nullish(),
    "For a `worker`, which needs them, and for no other role: 1 to 100 types whose tasks it may claim. One that ends with `*` stands for all that begin so.",
    { example: ["image.*", "mail.send"] },
  ),
  expiresAt: said(
    instantField().nullish(),
    "When it ends, in the future and within 100 years. Default: it works until it is revoked.",
  ),
}).superRefine(
  (given, context) => {
    for (const { path, message } of roleFaults(given)) context.addIssue({ code: "custom", path: [path], message });
  },
  { when: whenObject },
);
named("ApiKeyInput", apiKeyInput);

/** What may be changed of an API key. */
export const apiKeyChangesInput = inputObject({
  name: said(name.nullish(), "What it is called from now on. Default: as it is."),
  expiresAt: said(
    instantField().nullish(),
    "When it ends, in the future and within 100 years. Null: it works until it is revoked. Default: as it is.",
    { shape: () => nullable(instant()) },
  ),
  types: said(
    workerTypesField.nullish(),
    "For a `worker` alone: the types whose tasks it may claim. Default: as they are.",
  ),
});
named("ApiKeyChangesInput", apiKeyChangesInput);

/** How an API key is rotated. */
export const rotateApiKeyInput = inputObject({
  overlap: said(
    field<DurationInput>(durationRule({ maxMs: MAX_KEY_OVERLAP_MS })).nullish(),
    "For so long the old key works beside the new one, 0 to 30 days.",
    { default: "24h" },
  ),
  role: said(role.nullish(), "What the new one may do. Default: what the old one may.", { words: "ApiKeyRole" }),
  cluster: said(cluster.nullish(), "Whether the new one may make cluster-wide calls. Default: as the old one."),
  rights: said(rights.nullish(), "What the new one gets besides its role. Default: what the old one has."),
  types: said(
    workerTypesField.nullish(),
    "For a `worker`: the types whose tasks the new one may claim. Default: those of the old one.",
  ),
  expiresAt: said(
    instantField().nullish(),
    "When the new one ends, in the future and within 100 years. Default: it works until it is revoked.",
  ),
});
named("RotateApiKeyInput", rotateApiKeyInput);

/** How an API key is revoked. */
export const revokeApiKeyInput = inputObject({
  reason: said(field<string>(textRule(1, MAX_KEY_REASON)).nullish(), "Why, for the audit. Default: none is told."),
  self: said(cluster.nullish(), "Whether it may be the key that the call comes with.", { default: false }),
});
named("RevokeApiKeyInput", revokeApiKeyInput);
