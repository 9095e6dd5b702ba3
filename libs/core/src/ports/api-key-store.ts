import type { EpochMs } from "../task/task.js";

/** Rights rise: an operator may do what a viewer may, an admin what an operator may. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** An API key as it is kept: never the key itself, only its SHA-256. */
export interface ApiKey {
  id: string;
  namespace: string;
  role: Role;
  /** May make cluster-wide calls. */
  cluster: boolean;
  expiresAt: EpochMs | null;
}

/** Where API keys live. */
export interface ApiKeyStore {
  /**
   * Of these SHA-256 (hex) those that are keys and have not expired, with their keys: by one look, however many they
   * are.
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
}
