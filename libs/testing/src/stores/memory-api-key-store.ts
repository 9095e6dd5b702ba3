import { type ApiKey, type ApiKeyStore, TickwheelError } from "@tickwheel/core";

/** What a store in memory says to a caller who wants to make a key. */
const OPEN_POSTGRES = "open the stores with `openPostgres({ url })` instead.";

/**
 * API keys in memory, of one node. All are first keys, since nothing else makes one here; those that were replaced are
 * kept, so that none of them comes back. What people do with keys throws `UNSUPPORTED`.
 */
export class MemoryApiKeyStore implements ApiKeyStore {
  private readonly valid = new Map<string, ApiKey>();
  private readonly replaced = new Set<string>();
  readonly create: () => Promise<never>;
  readonly list: () => Promise<never>;
  readonly get: () => Promise<never>;
  readonly change: () => Promise<never>;

  /** @param cure what a caller who wants to manage keys has to do, as the end of a sentence */
  constructor(cure = OPEN_POSTGRES) {
    const text = `API keys that people manage need Postgres, and this store is in memory: ${cure}`;
    this.create = (): Promise<never> => Promise.reject(new TickwheelError("UNSUPPORTED", text));
    this.list = this.get = this.change = this.create;
  }

  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
    const found = hashes.flatMap((hash) => {
      const key = this.valid.get(hash);
      return key ? [[hash, { ...key }] as const] : [];
    });
    return Promise.resolve(new Map(found));
  }

  replaceFirst(hash: string, namespace: string): Promise<ApiKey | null> {
    if (this.replaced.has(hash)) return Promise.resolve(null);
    for (const [other, key] of this.valid)
      if (key.namespace === namespace && other !== hash) {
        this.valid.delete(other);
        this.replaced.add(other);
      }
    return Promise.resolve({ ...this.add(hash, namespace) });
  }

  hasAny(): Promise<boolean> {
    return Promise.resolve(this.valid.size + this.replaced.size > 0);
  }

  async addFirst(hash: string, namespace: string): Promise<boolean> {
    if (await this.hasAny()) return false;
    this.add(hash, namespace);
    return true;
  }

  /** First keys have no names. */
  idsByName(): Promise<ReadonlyMap<string, string[]>> {
    return Promise.resolve(new Map());
  }

  recordUses(): Promise<void> {
    return Promise.resolve();
  }

  private add(hash: string, namespace: string): ApiKey {
    const id = this.valid.get(hash)?.id ?? String(this.valid.size + this.replaced.size + 1);
    const key: ApiKey = { id, namespace, role: "admin", cluster: true, rights: [], types: null, expiresAt: null };
    this.valid.set(hash, key);
    return key;
  }
}
