import {
  type ApiKey,
  type ApiKeyChange,
  type ApiKeyFilter,
  type ApiKeyPage,
  type ApiKeyRecord,
  type ApiKeyRef,
  type ApiKeyReply,
  type ApiKeyStore,
  type ApiKeyUse,
  type EpochMs,
  isTaskId,
  type NewApiKey,
  SystemRandom,
  TickwheelError,
} from "@tickwheel/core";
import { SQL_STATE } from "../connection/driver-errors.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { addFirstKey } from "../statements/api-keys/add-first-key.js";
import { anyApiKey } from "../statements/api-keys/any-api-key.js";
import { findApiKeys } from "../statements/api-keys/find-api-keys.js";
import { lockFirstKey } from "../statements/api-keys/lock-first-key.js";
import { apiKeyIdsByName, listApiKeys, readApiKeyById } from "../statements/api-keys/read-api-keys.js";
import { recordKeyUses } from "../statements/api-keys/record-uses.js";
import { replaceFirstKey } from "../statements/api-keys/replace-first-key.js";
import { addApiKey } from "../statements/api-keys/write-api-key.js";
import { auditKey, changeApiKey, type KeyWriting } from "../writing/api-key-changes.js";

/** API keys by their SHA-256; the keys themselves are never here. */
export class PostgresApiKeyStore implements ApiKeyStore {
  private readonly random = new SystemRandom();

  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: { asOf?: () => EpochMs; reads?: Session } = {},
  ) {}

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
    return new Map(await this.reads.run(findApiKeys, { hashes, asOf: this.asOf }));
  }

  async replaceFirst(hash: string, namespace: string): Promise<ApiKey | null> {
    const [key] = await this.database.transaction(async (session) => {
      await session.run(lockFirstKey, null);
      return session.run(replaceFirstKey, { hash, namespace });
    });
    return key ?? null;
  }

  async hasAny(): Promise<boolean> {
    return (await this.database.run(anyApiKey, null)).length > 0;
  }

  async addFirst(hash: string, namespace: string): Promise<boolean> {
    const added = await this.database.transaction(async (session) => {
      await session.run(lockFirstKey, null);
      return session.run(addFirstKey, { hash, namespace });
    });
    return added.length > 0;
  }

  async create(key: NewApiKey, actor: string): Promise<ApiKeyRecord | null> {
    return this.writing(async (writing) => {
      const [made] = await writing.session.run(addApiKey, { ...key, id: null, actor, asOf: writing.asOf });
      if (!made) return null;
      const entry = { at: made.createdAt, actor, action: "api_key.create", reason: null } as const;
      await auditKey(writing, entry, { before: null, after: made });
      return made;
    });
  }

  async list(filter: ApiKeyFilter): Promise<ApiKeyPage> {
    if (filter.before !== null && !isTaskId(filter.before)) return { keys: [], next: null };
    const found = await this.reads.run(listApiKeys, { ...filter, limit: filter.limit + 1, asOf: this.asOf });
    const keys = found.slice(0, filter.limit);
    return { keys, next: found.length > filter.limit ? keys.at(-1)!.id : null };
  }

  async get({ namespace, id }: ApiKeyRef): Promise<ApiKeyRecord | null> {
    if (!isTaskId(id)) return null;
    return (await this.reads.run(readApiKeyById, { namespace, id, asOf: this.asOf }))[0] ?? null;
  }

  async idsByName(named: { namespace: string; names: readonly string[] }): Promise<ReadonlyMap<string, string[]>> {
    return new Map(await this.reads.run(apiKeyIdsByName, named));
  }

  async change({ namespace, id }: ApiKeyRef, change: ApiKeyChange): Promise<ApiKeyReply> {
    if (!isTaskId(id)) return { outcome: "not_found" };
    const ref = { namespace, id: id.toLowerCase() };
    try {
      return await this.writing((writing) => changeApiKey(writing, ref, change));
    } catch (error) {
      if (isNameTaken(error)) return { outcome: "exists" };
      throw error;
    }
  }

  async recordUses(uses: readonly ApiKeyUse[]): Promise<void> {
    await this.reads.run(recordKeyUses, { uses, asOf: this.asOf });
  }

  private writing<Result>(work: (writing: KeyWriting) => Promise<Result>): Promise<Result> {
    return this.database.transaction((session) => work({ session, random: this.random, asOf: this.asOf }));
  }

  private get reads(): Session {
    return this.options.reads ?? this.database;
  }

  private get asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

/** Two have given a name at once; the index lets one of them. */
function isNameTaken(error: unknown): boolean {
  if (!(error instanceof TickwheelError)) return false;
  const { sqlState, constraint } = (error.details ?? {}) as Record<string, unknown>;
  return sqlState === SQL_STATE.uniqueViolation && constraint === "api_key_name";
}
