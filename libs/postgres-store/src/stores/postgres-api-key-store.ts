import type { ApiKey, ApiKeyStore, EpochMs } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { addFirstKey } from "../statements/api-keys/add-first-key.js";
import { anyApiKey } from "../statements/api-keys/any-api-key.js";
import { findApiKeys } from "../statements/api-keys/find-api-keys.js";
import { lockFirstKey } from "../statements/api-keys/lock-first-key.js";
import { replaceFirstKey } from "../statements/api-keys/replace-first-key.js";

/** API keys by their SHA-256; the keys themselves are never here. */
export class PostgresApiKeyStore implements ApiKeyStore {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly options: { asOf?: () => EpochMs; reads?: Session } = {},
  ) {}

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
    const { asOf, reads = this.database } = this.options;
    return new Map(await reads.run(findApiKeys, { hashes, asOf: asOf?.() ?? null }));
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
}
