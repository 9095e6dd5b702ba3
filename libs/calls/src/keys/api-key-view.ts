import type { ApiKeyRecord, EpochMs } from "@tickwheel/core";
import type { InstantForm } from "../requests/task-view.js";
import type { ApiKeyFields } from "./api-key-view.generated.js";

/** An API key in code: never its text. */
export type ApiKeyView = ApiKeyFields<Date>;

export function toApiKeyView<Instant>(key: ApiKeyRecord, instantOf: InstantForm<Instant>): ApiKeyFields<Instant> {
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  const { id, name, prefix, role, cluster, rights, types, state, createdBy, revokedBy, replacedBy, usedFrom } = key;
  return {
    id,
    name,
    prefix,
    role,
    cluster,
    rights,
    types,
    state,
    createdBy,
    revokedBy,
    replacedBy,
    usedFrom,
    expiresAt: orNull(key.expiresAt),
    createdAt: instantOf(key.createdAt),
    revokedAt: orNull(key.revokedAt),
    usedAt: orNull(key.usedAt),
  };
}
