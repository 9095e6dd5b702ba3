import type { EpochMs, PageSession, SessionLimits, SessionStore } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { addSession } from "../statements/sessions/add-session.js";
import { endSession } from "../statements/sessions/end-session.js";
import { findSessions } from "../statements/sessions/find-sessions.js";
import { lockSessionKey } from "../statements/sessions/lock-session-key.js";
import { useSession } from "../statements/sessions/use-session.js";

/** Sessions of the page by the SHA-256 of their secrets; the secrets themselves are never here. */
export class PostgresSessionStore implements SessionStore {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: { asOf?: () => EpochMs; reads?: Session } = {},
  ) {}

  async create(hash: string, keyHash: string, limits: SessionLimits): Promise<PageSession | null> {
    return this.database.transaction(async (session) => {
      const [key] = await session.run(lockSessionKey, { hash: keyHash, asOf: this.asOf });
      if (!key) return null;
      const [added] = await session.run(addSession, { hash, keyId: key.id, ...limits, asOf: this.asOf });
      return { ...added!, key };
    });
  }

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, PageSession>> {
    const { reads = this.database } = this.options;
    return new Map(await reads.run(findSessions, { hashes, asOf: this.asOf }));
  }

  async use(hash: string, { sessionIdleMs }: Pick<SessionLimits, "sessionIdleMs">): Promise<void> {
    await this.database.run(useSession, { hash, sessionIdleMs, asOf: this.asOf });
  }

  async end(hash: string): Promise<void> {
    await this.database.run(endSession, { hash });
  }

  private get asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}
