import {
  type PostgresService,
  type RedisService,
  ServiceStack,
  startPostgres,
  startRedis,
} from "@tickwheel/local-services";
import { Redis } from "ioredis";
import { Client } from "pg";

/** Which servers, and how they are set. */
export interface ServerWishes {
  readonly major: 18 | 15;
  /** Settings of Redis beyond those that all contestants get. */
  readonly redis: Readonly<Record<string, string | number>>;
  /** And of Postgres. */
  readonly postgres: Readonly<Record<string, string | number>>;
}

/** What the report says of the servers. */
export interface ServerFacts {
  readonly postgres: string;
  readonly redis: string;
}

/** Redis as BullMQ's documentation wants it in production; the log is synced each second. */
const REDIS_SETTINGS = { appendonly: "yes", appendfsync: "everysec", "maxmemory-policy": "noeviction" };

/**
 * A fresh server has no log files to use again, and every 16 MB it stops for the 50 ms that a new one takes; one that
 * has run for a while has them. So it fills so many, and keeps them.
 */
const LOG_FILES = 48;
const POSTGRES_SETTINGS = { min_wal_size: "1GB" };
const FILL_LOG_FILE = "SELECT pg_logical_emit_message(true, '', ''), pg_switch_wal()";

const POSTGRES_SHOWN = [
  "fsync",
  "synchronous_commit",
  "full_page_writes",
  "shared_buffers",
  "min_wal_size",
  "max_wal_size",
  "checkpoint_timeout",
];
const REDIS_SHOWN = ["redis_version", "used_memory", "aof_current_size"] as const;

/**
 * A Postgres and a Redis of one repetition, fresh: no contestant meets what another one left. Postgres has its own
 * defaults but for the log files that it keeps, so what is committed is on disk.
 */
export class Servers {
  private constructor(
    private readonly stack: ServiceStack,
    private readonly postgres: PostgresService,
    private readonly redis: RedisService,
  ) {}

  static async start({ major, redis, postgres: more }: ServerWishes): Promise<Servers> {
    const stack = new ServiceStack();
    try {
      const postgres = await stack.add(await startPostgres({ major, settings: { ...POSTGRES_SETTINGS, ...more } }));
      const servers = new Servers(
        stack,
        postgres,
        await stack.add(await startRedis({ settings: { ...REDIS_SETTINGS, ...redis } })),
      );
      for (let file = 0; file < LOG_FILES; file++) await servers.query(FILL_LOG_FILE);
      await servers.checkpoint();
      return servers;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  get postgresUrl(): string {
    return this.postgres.url;
  }

  get redisUrl(): string {
    return this.redis.url;
  }

  /** With `data`, and the `password`. */
  get postgresFolder(): string {
    return this.postgres.dataDir;
  }

  get pids(): { postgres: number; redis: number } {
    return { postgres: this.postgres.pid, redis: this.redis.pid };
  }

  /** Starts a standby in a folder like {@link postgresFolder}; it stops with the others at the latest. */
  async startStandby(dataDir: string, settings: Readonly<Record<string, string | number>>): Promise<PostgresService> {
    return this.stack.add(await startPostgres({ dataDir, major: majorOf(this.postgres), settings }));
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }

  /** Versions, and what decides about durability. */
  async facts(): Promise<ServerFacts> {
    const settings = await this.query<{ name: string; value: string }>(
      "SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name",
      [POSTGRES_SHOWN],
    );
    const { redis_version } = await this.redisInfo();
    const list = (entries: [string, unknown][]): string =>
      entries.map(([name, value]) => `${name}=${String(value)}`).join(" ");
    return {
      postgres: `${this.postgres.version} ${list(settings.map(({ name, value }) => [name, value]))}`,
      redis: `${redis_version} ${list(Object.entries(REDIS_SETTINGS))}`,
    };
  }

  /**
   * What every contestant gets before it is measured: tables vacuumed and analysed, nothing left for the checkpointer.
   */
  async tidy(): Promise<void> {
    await this.query("VACUUM ANALYZE");
    await this.checkpoint();
  }

  /**
   * Nothing is left for the checkpointer, and there are write-ahead log files to be used again: a server that runs for
   * long is like that.
   */
  async checkpoint(): Promise<void> {
    await this.query("CHECKPOINT");
  }

  /** Runs statements, one after the other, each in a transaction of its own. */
  async run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.query(statement);
  }

  /** Runs a statement in a transaction that stays open. @returns what ends it */
  async hold(sql: string): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    await client.query("BEGIN");
    const { rowCount } = await client.query(sql);
    if (rowCount === 0) throw new Error(`nothing to hold: ${sql}`);
    return () => client.end();
  }

  /** Bytes that user tables with all their indexes and TOAST take, and the indexes' share. */
  async postgresBytes(): Promise<{ all: number; indexes: number }> {
    const [row] = await this.query<{ all: number; indexes: number }>(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS all, coalesce(sum(pg_indexes_size(oid)), 0)::float8 AS indexes
       FROM pg_class WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
    );
    return row!;
  }

  /** Bytes of one table with its indexes and TOAST. */
  async tableBytes(table: string): Promise<number> {
    const [row] = await this.query<{ bytes: number }>("SELECT pg_total_relation_size($1::regclass)::float8 AS bytes", [
      table,
    ]);
    return row!.bytes;
  }

  /** How often rows of the tables of this name were updated so far, known a second late; 0 without such a table. */
  async rowUpdates(table: string): Promise<number> {
    const [row] = await this.query<{ updates: number }>(
      "SELECT coalesce(sum(n_tup_upd), 0)::float8 AS updates FROM pg_stat_user_tables WHERE relname = $1",
      [table],
    );
    return row!.updates;
  }

  /** Dead rows in all tables of the contestants, as Postgres estimates them. */
  async deadRows(): Promise<number> {
    const [row] = await this.query<{ dead: number }>(
      "SELECT coalesce(sum(n_dead_tup), 0)::float8 AS dead FROM pg_stat_user_tables",
    );
    return row!.dead;
  }

  /** Whether a replication slot has rows kept. */
  async slotHolds(name: string): Promise<boolean> {
    const rows = await this.query("SELECT FROM pg_replication_slots WHERE slot_name = $1 AND xmin IS NOT NULL", [name]);
    return rows.length > 0;
  }

  /** How many MultiXacts there have been. */
  async multiXacts(): Promise<number> {
    const [row] = await this.query<{ count: number }>("SELECT mxid_age('1'::xid) AS count");
    return row!.count;
  }

  /** Bytes of Redis' data in memory and of its log. */
  async redisBytes(): Promise<{ memory: number; log: number }> {
    const { used_memory, aof_current_size } = await this.redisInfo();
    return { memory: Number(used_memory), log: Number(aof_current_size) };
  }

  private async redisInfo(): Promise<Record<(typeof REDIS_SHOWN)[number], string>> {
    const client = new Redis(this.redis.url);
    try {
      const info = await client.info();
      const entries = REDIS_SHOWN.map((name) => [name, new RegExp(`^${name}:(.*)\r$`, "m").exec(info)?.[1] ?? "0"]);
      return Object.fromEntries(entries) as Record<(typeof REDIS_SHOWN)[number], string>;
    } finally {
      client.disconnect();
    }
  }

  private async query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Row[];
    } finally {
      await client.end();
    }
  }
}

function majorOf({ version }: PostgresService): 18 | 15 {
  return version.startsWith("15.") ? 15 : 18;
}
