import type { EpochMs } from "../task/task.js";
import type { ApiKey } from "./api-key-store.js";
import type { Role } from "./role.js";

/** A log-in of the page, as it is kept: never its secret, only the SHA-256 of it. */
export interface PageSession {
  id: string;
  /** Whose rights it has. */
  key: ApiKey;
  /** It is over then, however much it is used. */
  endsAt: EpochMs;
}

/** A live session with what people are told of it. */
export interface PageSessionRecord {
  id: string;
  /** Whose rights it has, by its id. */
  keyId: string;
  /** Null: it is a first key. */
  keyName: string | null;
  /** Null: nobody knows, it is a first key. */
  keyPrefix: string | null;
  role: Role;
  createdAt: EpochMs;
  /** When it was used last, to within a minute or two. */
  usedAt: EpochMs;
  endsAt: EpochMs;
}

/** A session that was ended by its id. */
export interface EndedSession {
  session: PageSessionRecord;
  /** SHA-256 of its secret, in hex. */
  hash: string;
}

/** Which live sessions of a namespace's keys, the newest first. */
export interface SessionFilter {
  namespace: string;
  limit: number;
  /** The `next` of the page before; null: the first page. */
  before: string | null;
}

export interface SessionPage {
  sessions: PageSessionRecord[];
  next: string | null;
}

/** How long sessions last, and how many there may be. */
export interface SessionLimits {
  /** From its creation, in milliseconds. */
  sessionMs: number;
  /** A session without a call for so long is over, in milliseconds. */
  sessionIdleMs: number;
  /** Live ones of one API key. */
  sessionsPerKey: number;
}

/**
 * Where the sessions of the page live. A session is over with its time, when it was not used for long, and with its
 * key: revoked, expired or replaced.
 */
export interface SessionStore {
  /**
   * Makes a session of the key with the SHA-256 `keyHash` (hex); its own secret has the SHA-256 `hash`. Where the key
   * has as many as it may, the oldest ones end. Null: no such key, or it has expired.
   */
  create(hash: string, keyHash: string, limits: SessionLimits): Promise<PageSession | null>;
  /** Finds live sessions by SHA-256 (hex): by one look, however many they are. */
  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, PageSession>>;
  /** The session with this SHA-256 was used just now. Writes nothing where that is known to within a minute. */
  use(hash: string, limits: Pick<SessionLimits, "sessionIdleMs">): Promise<void>;
  /** Ends a session; one that is over or never was stays so. */
  end(hash: string): Promise<void>;
  /** A page of the live sessions of a namespace. */
  list(filter: SessionFilter): Promise<SessionPage>;
  /**
   * Ends a live session of a namespace, and writes it to the audit in the same transaction. Null: the namespace has no
   * such live session.
   */
  endById(ref: { namespace: string; id: string }, actor: string): Promise<EndedSession | null>;
}
