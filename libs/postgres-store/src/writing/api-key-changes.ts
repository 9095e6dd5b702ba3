import { isDeepStrictEqual } from "node:util";
import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyReply,
  type EpochMs,
  newTaskId,
  type Random,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { addApiKey, type WriteApiKey, writeApiKey } from "../statements/api-keys/write-api-key.js";
import { lockApiKeys, type LockedApiKey } from "../statements/api-keys/lock-api-keys.js";
import { appendAudit } from "../statements/audit/append-audit.js";

/** A transaction that changes keys. */
export interface KeyWriting {
  session: Session;
  random: Random;
  /** Only for tests: the instant that the statements take for now. */
  asOf: EpochMs | null;
}

/** Changes a key in the caller's transaction, see `ApiKeyStore.change`. */
export async function changeApiKey(
  writing: KeyWriting,
  ref: { namespace: string; id: string },
  change: ApiKeyChange,
): Promise<ApiKeyReply> {
  const locked = await writing.session.run(lockApiKeys, { ...ref, asOf: writing.asOf });
  const target = locked.find(({ key }) => key.id === ref.id);
  if (!target) return { outcome: "not_found" };
  const { key } = target;
  if (change.kind === "revoke" && key.state === "revoked") return { outcome: "done", key };
  const refusal = refusalOf(target, change) ?? lastAdminRefusal(locked, key, change);
  if (refusal) return { outcome: refusal };
  return { outcome: "done", key: await write(writing, target, change) };
}

function refusalOf({ key }: LockedApiKey, { kind }: ApiKeyChange): "over" | "exists" | null {
  if (kind === "revoke") return null;
  if (key.state !== "works") return "over";
  return kind === "rotate" && key.replacedBy !== null ? "exists" : null;
}

/**
 * Whether the change would leave the namespace without an administrator's key that has no end. A rotation leaves the
 * new key, unless it works at once instead of the old one: a caller who loses its answer would have neither.
 */
function lastAdminRefusal(
  locked: readonly LockedApiKey[],
  key: ApiKeyRecord,
  change: ApiKeyChange,
): "last_admin" | null {
  if (key.role !== "admin" || key.state !== "works" || !takesAway(change)) return null;
  const others = locked.filter(({ key: other }) => other.id !== key.id && other.role === "admin");
  return others.some(({ key: other }) => other.expiresAt === null) ? null : "last_admin";
}

function takesAway(change: ApiKeyChange): boolean {
  if (change.kind === "revoke") return true;
  if (change.kind === "update") return change.expiresAt !== undefined && change.expiresAt !== null;
  const { role = "admin", expiresAt } = change.next;
  return change.overlapMs === 0 || role !== "admin" || expiresAt !== null;
}

/** @returns the key; of a rotation the new one */
async function write(writing: KeyWriting, { key, at }: LockedApiKey, change: ApiKeyChange): Promise<ApiKeyRecord> {
  const { session, random, asOf } = writing;
  const { id, name, types, expiresAt, revokedAt, revokedBy, replacedBy, namespace } = key;
  const same: WriteApiKey = { id, name, types, expiresAt, revokedAt, revokedBy, replacedBy, at };
  const { actor } = change;
  if (change.kind !== "rotate") {
    const [written] = await session.run(writeApiKey, { ...same, ...changedFields(change, at) });
    const reason = change.kind === "revoke" ? change.reason : null;
    await auditKey(writing, { at, actor, action: `api_key.${change.kind}`, reason }, { before: key, after: written! });
    return written!;
  }
  const { overlapMs, next } = change;
  const newId = newTaskId(at, 0, random);
  const endsAt = Math.min(expiresAt ?? Infinity, at + overlapMs);
  const [old] = await session.run(writeApiKey, { ...same, expiresAt: endsAt, replacedBy: newId });
  const { role, cluster, rights } = key;
  const [made] = await session.run(addApiKey, {
    role,
    cluster,
    rights,
    types,
    ...next,
    id: newId,
    namespace,
    name,
    actor,
    asOf,
  });
  await auditKey(writing, { at, actor, action: "api_key.rotate", reason: null }, { before: key, after: old! });
  await auditKey(writing, { at, actor, action: "api_key.create", reason: null }, { before: null, after: made! });
  return made!;
}

function changedFields(change: Exclude<ApiKeyChange, { kind: "rotate" }>, at: EpochMs): Partial<WriteApiKey> {
  if (change.kind === "revoke") return { revokedAt: at, revokedBy: change.actor };
  const { name, expiresAt, types } = change;
  return {
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(types !== undefined && { types }),
  };
}

interface KeyEntry {
  at: EpochMs;
  actor: string;
  action: `api_key.${string}`;
  reason: string | null;
}

/** What is told of a key; its text and its hash never are. */
const TOLD = ["name", "role", "cluster", "rights", "types", "expiresAt", "revokedAt", "replacedBy"] as const;

/** Writes what was done to a key. */
export async function auditKey(
  { session, random }: KeyWriting,
  entry: KeyEntry,
  { before, after }: { before: ApiKeyRecord | null; after: ApiKeyRecord },
): Promise<void> {
  const changed = TOLD.filter((field) => before === null || !isDeepStrictEqual(before[field], after[field]));
  const changesOf = (key: ApiKeyRecord) => Object.fromEntries(changed.map((field) => [field, key[field]]));
  await session.run(appendAudit, {
    ...entry,
    id: newTaskId(entry.at, 0, random),
    namespace: after.namespace,
    target: `key:${after.id}`,
    before: before && changesOf(before),
    after: changesOf(after),
  });
}
