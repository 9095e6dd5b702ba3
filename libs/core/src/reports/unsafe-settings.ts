/** The settings of Postgres on which promises stand, as a session of a node has them. */
export interface StoreSettings {
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  synchronousStandbyNames: string;
  /** How many servers receive its log, to be standbys. */
  standbys: number;
}

/** A setting of a server that takes a promise away. */
export interface UnsafeSetting {
  server: "postgres" | "redis";
  /** As the server names it. */
  name: "fsync" | "full_page_writes" | "synchronous_commit" | "synchronous_standby_names" | "maxmemory-policy";
  value: string;
  /** How many standbys there are, where none of them is synchronous. */
  standbys?: number;
}

/**
 * What of Postgres' settings takes a promise away. Standbys of which none is synchronous count only where there are
 * standbys. A commit that waits for its own disk alone (`local`) makes them no better than asynchronous ones.
 */
export function unsafeStoreSettings(settings: StoreSettings): UnsafeSetting[] {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbyNames, standbys } = settings;
  const unsafe: UnsafeSetting[] = [];
  const add = (name: UnsafeSetting["name"], value: string, more: Partial<UnsafeSetting> = {}): void =>
    void unsafe.push({ server: "postgres", name, value, ...more });
  if (fsync === "off") add("fsync", fsync);
  if (fullPageWrites === "off") add("full_page_writes", fullPageWrites);
  if (synchronousCommit === "off") add("synchronous_commit", synchronousCommit);
  if (standbys === 0) return unsafe;
  if (synchronousStandbyNames.trim() === "") add("synchronous_standby_names", "", { standbys });
  else if (synchronousCommit === "local") add("synchronous_commit", synchronousCommit, { standbys });
  return unsafe;
}

/** What a Redis with so much memory removes when that is full; null: it removes nothing, and refuses writes. */
export function unsafeRedisSetting(maxMemoryBytes: number, policy: string): UnsafeSetting | null {
  if (maxMemoryBytes === 0 || policy === "noeviction") return null;
  return { server: "redis", name: "maxmemory-policy", value: policy };
}
