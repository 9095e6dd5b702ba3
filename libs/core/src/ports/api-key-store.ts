import type { EpochMs } from "../task/task.js";
import type { Role } from "./role.js";

/**
 * What a key gets by name, beside its role. `payload`: it is shown payloads, results and checkpoints; without it their
 * shape. Administrators need no right by name.
 */
export const API_KEY_RIGHTS = ["payload"] as const;
export type ApiKeyRight = (typeof API_KEY_RIGHTS)[number];

/** An API key as it is kept: never the key itself, only its SHA-256. */
export interface ApiKey {
  id: string;
  namespace: string;
  role: Role;
  /** May make cluster-wide calls. */
  cluster: boolean;
  rights: readonly ApiKeyRight[];
  /**
   * The types that a worker may claim: 1 to 100 types, or beginnings of types that end with `*`. Null: it is no worker.
   */
  types: readonly string[] | null;
  expiresAt: EpochMs | null;
}

/** Whether a key is shown payloads, results and checkpoints as they are. */
export function mayReadPayloads({ role, rights }: Pick<ApiKey, "role" | "rights">): boolean {
  return role === "admin" || rights.includes("payload");
}

/** The name of a key. */
export const API_KEY_NAME = /^[A-Za-z0-9._-]{1,64}$/;
/** For so long at most an old key works beside the one that replaces it, in milliseconds: 30 days. */
export const MAX_KEY_OVERLAP_MS = 2_592_000_000;
/** The longest reason of a revocation, in characters. */
export const MAX_KEY_REASON = 1_000;

/** How a key stands: it works, its end has come, or somebody has revoked it. */
export const API_KEY_STATES = ["works", "ended", "revoked"] as const;
export type ApiKeyState = (typeof API_KEY_STATES)[number];

/** A key with what people are told of it. */
export interface ApiKeyRecord extends ApiKey {
  /** No other key of its namespace that is neither revoked nor replaced has it. Null: a first key has none. */
  name: string | null;
  /** How its text begins, in 9 characters; null: nobody knows, it is a first key. */
  prefix: string | null;
  state: ApiKeyState;
  createdAt: EpochMs;
  createdBy: string;
  revokedAt: EpochMs | null;
  revokedBy: string | null;
  /** The key that a rotation has made in its place. */
  replacedBy: string | null;
  /** When it was used last, to within a minute or two; null: it never was. */
  usedAt: EpochMs | null;
  /** The address from which it was. */
  usedFrom: string | null;
}

/** A key that is to be made. */
export interface NewApiKey {
  namespace: string;
  name: string | null;
  /** SHA-256 of its text, in hex. */
  hash: string;
  prefix: string;
  role: Role;
  cluster: boolean;
  rights: readonly ApiKeyRight[];
  types: readonly string[] | null;
  /** Null: it works until it is revoked. */
  expiresAt: EpochMs | null;
}

/** What is done to a key that there is, and who does it. */
export type ApiKeyChange = { actor: string } & (
  | {
      kind: "update";
      /** Absent: as it is. */
      name?: string;
      /** Null: it has no end. Absent: as it is. */
      expiresAt?: EpochMs | null;
      /** The types of a worker. Absent: as they are. */
      types?: readonly string[];
    }
  | {
      kind: "rotate";
      /** For so long the old one works beside the new one, in milliseconds. */
      overlapMs: number;
      /** Its name is that of the old one; role, rights and types where they are absent. */
      next: Pick<NewApiKey, "hash" | "prefix" | "expiresAt"> &
        Partial<Pick<NewApiKey, "role" | "cluster" | "rights" | "types">>;
    }
  | { kind: "revoke"; reason: string | null }
);

/** A key of a namespace. */
export interface ApiKeyRef {
  namespace: string;
  id: string;
}

/** Which keys of a namespace, the newest first. */
export interface ApiKeyFilter {
  namespace: string;
  /** Empty: any. */
  states: readonly ApiKeyState[];
  limit: number;
  /** The `next` of the page before; null: the first page. */
  before: string | null;
}

export interface ApiKeyPage {
  keys: ApiKeyRecord[];
  next: string | null;
}

/**
 * What became of a change. `exists`: another key has the name, or has replaced this one. `over`: it is revoked, or its
 * end has come. `last_admin`: no administrator's key without an end would be left.
 */
export type ApiKeyReply =
  | { outcome: "done"; key: ApiKeyRecord }
  | { outcome: "not_found" | "exists" | "over" | "last_admin" };

/** That a key was used. */
export interface ApiKeyUse {
  id: string;
  /** How long ago, in milliseconds. */
  agoMs: number;
  /** The caller's address. */
  from: string | null;
}

/** Where API keys live. A store in memory has first keys only: what people do with keys throws `UNSUPPORTED` there. */
export interface ApiKeyStore {
  /**
   * Finds keys by SHA-256 (hex): those that are not revoked and have not expired, by one look, however many they are.
   */
  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>>;
  /**
   * Makes the key with this hash the administrator of `namespace` with the right `cluster`, in place of every other
   * first key of it: those expire now. Keys that people made stay. Null: it has been replaced itself, and never comes
   * back.
   */
  replaceFirst(hash: string, namespace: string): Promise<ApiKey | null>;
  /** Whether there is any key, of whatever namespace. */
  hasAny(): Promise<boolean>;
  /**
   * Makes this key the administrator of `namespace` with the right `cluster` if there is no key at all. False: there is
   * one.
   */
  addFirst(hash: string, namespace: string): Promise<boolean>;
  /** Makes a key, and writes it to the audit. Null: a key that is neither revoked nor replaced has the name. */
  create(key: NewApiKey, actor: string): Promise<ApiKeyRecord | null>;
  /** A page of the keys of a namespace. Revoked ones are kept for 400 days. */
  list(filter: ApiKeyFilter): Promise<ApiKeyPage>;
  get(ref: ApiKeyRef): Promise<ApiKeyRecord | null>;
  /** The ids of the keys of a namespace that have these names, also of replaced and revoked ones. */
  idsByName(named: { namespace: string; names: readonly string[] }): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Changes a key, and writes it to the audit in the same transaction; of a rotation answers the new key. Where two
   * calls would take the last two administrators' keys away, one each, exactly one is refused. To revoke a revoked one
   * again changes nothing.
   */
  change(ref: ApiKeyRef, change: ApiKeyChange): Promise<ApiKeyReply>;
  /** Writes when keys were used last, by one statement; a key whose use was written within 50 s is left as it is. */
  recordUses(uses: readonly ApiKeyUse[]): Promise<void>;
}
