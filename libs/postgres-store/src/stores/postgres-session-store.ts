import {
  type EndedSession,
  type EpochMs,
  isTaskId,
  newTaskId,
  type PageSession,
  type SessionFilter,
  type SessionLimits,
  type SessionPage,
  type SessionStore,
  SystemRandom,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { appendAudit } from "../statements/audit/append-audit.js";
import { addSession } from "../statements/sessions/add-session.js";
import { endSession } from "../statements/sessions/end-session.js";
import { findSessions } from "../statements/sessions/find-sessions.js";
import { endSessionById, listSessions } from "../statements/sessions/list-sessions.js";
import { lockSessionKey } from "../statements/sessions/lock-session-key.js";
import { useSession } from "../statements/sessions/use-session.js";

/** Sessions of the page by the SHA-256 of their secrets; the secrets themselves are never here. */
export class PostgresSessionStore implements SessionStore {
  private readonly random = new SystemRandom();

  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: { asOf?: () => EpochMs; reads?: Session } = {},
  ) {}

  async create(hash: string, keyHash: string, limits: SessionLimits): Promise<PageSession | null> {
    return this.database.transaction(async (session) => {
      const [locked] = await session.run(lockSessionKey, { hash: keyHash, asOf: this.asOf });
      if (!locked) return null;
      const { key, at } = locked;
      const id = newTaskId(at, 0, this.random);
      const [added] = await session.run(addSession, { id, hash, keyId: key.id, ...limits, asOf: this.asOf });
      return { ...added!, key };
    });
  }

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, PageSession>> {
    return new Map(await this.reads.run(findSessions, { hashes, asOf: this.asOf }));
  }

  async use(hash: string, { sessionIdleMs }: Pick<SessionLimits, "sessionIdleMs">): Promise<void> {
    await this.database.run(useSession, { hash, sessionIdleMs, asOf: this.asOf });
  }

  async end(hash: string): Promise<void> {
    await this.database.run(endSession, { hash });
  }

  async list(filter: SessionFilter): Promise<SessionPage> {
    if (filter.before !== null && !isTaskId(filter.before)) return { sessions: [], next: null };
    const found = await this.reads.run(listSessions, { ...filter, limit: filter.limit + 1, asOf: this.asOf });
    const sessions = found.slice(0, filter.limit);
    return { sessions, next: found.length > filter.limit ? sessions.at(-1)!.id : null };
  }

  async endById(ref: { namespace: string; id: string }, actor: string): Promise<EndedSession | null> {
    if (!isTaskId(ref.id)) return null;
    return this.database.transaction(async (session) => {
      const [ended] = await session.run(endSessionById, { ...ref, asOf: this.asOf });
      if (!ended) return null;
      const { at, hash, session: was } = ended;
      await session.run(appendAudit, {
        id: newTaskId(at, 0, this.random),
        at,
        namespace: ref.namespace,
        actor,
        reason: null,
        action: "session.end",
        target: `session:${was.id}`,
        before: { keyId: was.keyId, createdAt: was.createdAt, endsAt: was.endsAt },
        after: null,
      });
      return { session: was, hash };
    });
  }

  private get reads(): Session {
    return this.options.reads ?? this.database;
  }

  private get asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}
