import { Client } from "pg";
import { type DatabaseWork, databaseWorkOf, type RecordCount } from "./database-work.js";

/** The server's own database: what is done there is not in the contestant's. */
const OWN_DATABASE = "/postgres";
/** Up to where the log is on disk: all that was committed. */
const POSITION = "SELECT pg_current_wal_flush_lsn()::text AS position";
/** Until the connection ends, no checkpoint removes what comes from here on. */
const KEEP_LOG = "SELECT pg_create_physical_replication_slot('bench', true, true)";
const BYTES = "SELECT pg_wal_lsn_diff($2, $1)::float8 AS bytes";
const RECORDS = `SELECT "resource_manager/record_type" AS type, count::float8 AS count FROM pg_get_wal_stats($1, $2, true) WHERE count > 0`;

/**
 * The write-ahead log of one repetition's Postgres, on a connection of the bench's own. It tells exactly what was
 * written between two moments, and nothing has to be waited for. The counters of `pg_stat_database` and
 * `pg_stat_user_tables` do not: a session that rests keeps back its last second for ten seconds.
 */
export class WriteAheadLog {
  private beganAt: string | null = null;

  private constructor(private readonly client: Client) {}

  static async open(postgresUrl: string): Promise<WriteAheadLog> {
    const url = new URL(postgresUrl);
    url.pathname = OWN_DATABASE;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
    return new WriteAheadLog(client);
  }

  /** From now on. Once for each log. */
  async begin(): Promise<void> {
    await this.client.query(KEEP_LOG);
    this.beganAt = await this.position();
  }

  /** What was written since {@link begin}. The log is read after its end is known, so that counts for nothing. */
  async end(): Promise<DatabaseWork> {
    if (this.beganAt === null) throw new Error("the log is not watched yet");
    const stretch = [this.beganAt, await this.position()];
    const { rows } = await this.client.query<{ bytes: number }>(BYTES, stretch);
    const { bytes } = rows[0]!;
    if (bytes === 0) return databaseWorkOf(0, []);
    return databaseWorkOf(bytes, (await this.client.query<RecordCount>(RECORDS, stretch)).rows);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  private async position(): Promise<string> {
    const { rows } = await this.client.query<{ position: string }>(POSITION);
    return rows[0]!.position;
  }
}
