import {
  type CallerTransaction,
  type ConnectionPoolState,
  DEFAULT_OPTIONS,
  SystemClock,
  SystemContext,
  TickwheelError,
} from "@tickwheel/core";
import pg from "pg";
import type { PoolClient, PoolConfig } from "pg";
import { callerSession } from "./caller-session.js";
import type { ConnectionOptions } from "./connection-options.js";
import { sqlStateOf, translateDriverError } from "./driver-errors.js";
import { quoteSchema, type QuotedSchema, type RawRow, type Session, type Statement } from "./session.js";

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  url?: string;
  /** What `pg` takes besides or instead of the url: host, ssl, a password function … */
  connection?: ConnectionOptions;
  /** Where Tickwheel's tables live. Default `tickwheel`. */
  schema?: string;
  /** Most connections at once. Default 4. */
  size?: number;
  /**
   * `application_name` of every connection: the boot id of the node, so that a leader can end the sessions of a dead
   * one.
   */
  applicationName?: string;
  /**
   * True behind PgBouncer in transaction mode, where the next transaction may be on another connection: no settings of
   * a session, which would reach other people's, and no prepared statements. Plans are then made anew each time, with
   * whatever the server finds good, and statements outside a transaction of several have no time-out in the server.
   * Default false.
   */
  transactionPooling?: boolean;
  /** How long a statement or a wait for a free connection may take. Default 2,000. */
  statementTimeoutMs?: number;
}

export interface TransactionOptions {
  /** How long a statement of it may wait for another's lock; without it, as long as a statement may take. */
  lockTimeoutMs?: number;
  statementTimeoutMs?: number;
}

/**
 * Off for our sessions. A plan that was made while a table was small reads the whole of it, or the whole of a range to
 * sort it, and goes on doing so for as long as it is kept and the table grows: a queue is empty often, and full soon
 * after. (A page of the window took 25 ms that way instead of 2.) Where such a scan is the only way it is still taken.
 */
const PLANNER_SETTINGS = ["enable_seqscan", "enable_bitmapscan", "jit"];
const NAME_SESSION = "set_config('application_name', $1, false)";
const ISOLATION = "read committed";
const DEFAULT_ISOLATION = "current_setting('default_transaction_isolation') AS isolation";
const BEGIN = `BEGIN ISOLATION LEVEL ${ISOLATION}`;
/**
 * The server's own time-out is this much longer than ours, in milliseconds: ours comes first, and destroys the
 * connection.
 */
const SERVER_GRACE_MS = 250;
/** Beyond this the server ends a transaction of ours whose process stands still. */
const IDLE_IN_TRANSACTION_MS = 2_000;
/** An idle connection is probed this often: a network that forgets it is noticed before a task needs it. */
const KEEP_ALIVE_MS = 30_000;
const DEFAULT_SIZE = 4;
const DEFAULT_APPLICATION_NAME = "tickwheel";
/** Schema of everything, unless an option says otherwise. */
export const DEFAULT_SCHEMA = "tickwheel";

/**
 * The connections of one node: a `pg` pool that runs {@link Statement}s as named prepared statements. One that was
 * opened stays open: to open one takes 10 ms and more, and a lull is followed by tasks that are due.
 *
 * `run` is one round trip and its own transaction (three where a statement may take longer than those of this pool).
 * Errors are `TickwheelError`s without parameters: `STORE_UNAVAILABLE` where the write may or may not have happened,
 * `INTERNAL` where the server refused it.
 *
 * What bounds what. On this side the wait for a connection, the settings of its session and the statement have
 * `statementTimeoutMs` each, and a statement is not sent any more when that much has passed since the call. The
 * connection of one that failed in any way but by the server's own refusal is destroyed, so that a late reply can never
 * arrive; but that does not end the statement. The server does, by the `statement_timeout` of our sessions:
 * `statementTimeoutMs` and a little after it got it. A commit that waits for a standby is ended by nothing. A
 * transaction of several statements that stands still is ended by the server after 2 s.
 *
 * Every transaction is READ COMMITTED, which the guards are written for, whatever the database or the role has for a
 * default.
 *
 * Through PgBouncer in transaction mode it works with `transactionPooling`: then nothing but `application_name`, which
 * PgBouncer keeps for each client, outlives a transaction. Where the default is another isolation, each statement then
 * has a BEGIN and a COMMIT of its own.
 */
export class PostgresDatabase implements Session {
  readonly schema: QuotedSchema;
  /** Most connections that this pool opens. */
  readonly connectionCount: number;
  readonly statementTimeoutMs: number;
  private readonly setsSession: boolean;
  private readonly clock = new SystemClock();
  /** A connection outlives the caller who needed it first, so it is made in no caller's context. */
  private readonly home = new SystemContext();
  private readonly pool: pg.Pool;
  private readonly texts = new Map<string, string>();
  private readonly names = new WeakMap<PoolClient, string>();
  private readonly broken = new WeakSet<PoolClient>();
  private currentName: string;
  /** Through a pooler of transactions, where the default isolation is not ours. */
  private needsTransactions = false;

  constructor(private readonly options: PostgresDatabaseOptions) {
    this.schema = quoteSchema(options.schema ?? DEFAULT_SCHEMA);
    this.connectionCount = options.size ?? DEFAULT_SIZE;
    this.statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_OPTIONS.statementTimeoutMs;
    this.setsSession = !(options.transactionPooling ?? false);
    this.currentName = options.applicationName ?? DEFAULT_APPLICATION_NAME;
    const size = { min: this.connectionCount, max: this.connectionCount };
    this.pool = new pg.Pool({ ...this.clientConfig(), ...size } satisfies PoolConfig);
    // A connection that breaks says so here as well as to its statement; unheard, either would end the process.
    this.pool.on("error", () => {});
    this.pool.on("connect", (client) => {
      client.on("error", () => {});
    });
  }

  /** A pool of its own to the same database, for what must not compete with this one's statements. */
  sibling(size: number): PostgresDatabase {
    return new PostgresDatabase({ ...this.options, size, applicationName: this.applicationName });
  }

  /**
   * Under which name the server sees these connections from their next use on: a node that rejoins has a new boot id.
   */
  useApplicationName(name: string): void {
    this.currentName = name;
  }

  get applicationName(): string {
    return this.currentName;
  }

  /** Settings of a connection like this pool's. */
  clientConfig(): ConnectionOptions {
    return {
      ...(this.options.url === undefined ? {} : { connectionString: this.options.url }),
      connectionTimeoutMillis: this.statementTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...withAskedPassword(this.options.connection ?? {}),
      application_name: this.applicationName,
    };
  }

  /** How the pool is used now. @param name what it is called there */
  state(name: string): ConnectionPoolState {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.pool;
    return { name, size: this.connectionCount, open, idle, waiting };
  }

  /** Runs one statement in a transaction of its own. */
  async run<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    { statementTimeoutMs = this.statementTimeoutMs }: { statementTimeoutMs?: number } = {},
  ): Promise<Row[]> {
    if (statementTimeoutMs > this.statementTimeoutMs) {
      return this.transaction((session) => session.run(statement, parameters), { statementTimeoutMs });
    }
    return this.withClient(statement.name, (client) =>
      this.needsTransactions
        ? this.within(client, (session) => session.run(statement, parameters), { statementTimeoutMs })
        : this.send(client, { statement, parameters, statementTimeoutMs }),
    );
  }

  /** Runs `work` in a transaction: commits its result, rolls back its error. */
  transaction<Result>(work: (session: Session) => Promise<Result>, options: TransactionOptions = {}): Promise<Result> {
    return this.withClient("transaction", (client) => this.within(client, work, options));
  }

  /** A caller's transaction, on which statements of ours run. */
  callerSession(within: CallerTransaction): Session {
    return callerSession(within, this.schema, { prepares: this.setsSession });
  }

  /** Text of a statement for this schema, made once. */
  textOf<Parameters, Row>(statement: Statement<Parameters, Row>): string {
    let text = this.texts.get(statement.name);
    if (text === undefined) this.texts.set(statement.name, (text = statement.sql(this.schema)));
    return text;
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }

  private async withClient<Result>(doing: string, use: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.pool.ending) throw new TickwheelError("STORE_UNAVAILABLE", "The connections to Postgres are closed");
    const calledMonoMs = this.clock.monotonicMs();
    const client = await this.home
      .run(() => this.pool.connect())
      .catch((error: unknown) => {
        throw translateDriverError(error, doing);
      });
    try {
      if (this.names.get(client) !== this.applicationName) await this.prepare(client);
      if (this.clock.monotonicMs() - calledMonoMs > this.statementTimeoutMs) throw tooLateToSend(doing);
      return await use(client);
    } finally {
      this.home.run(() => client.release(this.broken.has(client)));
    }
  }

  private async within<Result>(
    client: PoolClient,
    work: (session: Session) => Promise<Result>,
    { lockTimeoutMs, statementTimeoutMs = this.statementTimeoutMs }: TransactionOptions,
  ): Promise<Result> {
    const begin = [BEGIN, `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`];
    if (lockTimeoutMs !== undefined) begin.push(`SET LOCAL lock_timeout = ${Math.ceil(lockTimeoutMs)}`);
    if (!this.setsSession || statementTimeoutMs !== this.statementTimeoutMs) {
      begin.push(`SET LOCAL statement_timeout = ${serverLimitMs(statementTimeoutMs)}`);
    }
    await this.query(client, { text: begin.join("; ") });
    try {
      const result = await work({
        run: (statement, parameters) => this.send(client, { statement, parameters, statementTimeoutMs }),
      });
      await this.query(client, { text: "COMMIT" });
      return result;
    } catch (error) {
      if (!this.broken.has(client)) await this.query(client, { text: "ROLLBACK" });
      throw error;
    }
  }

  /** Settings of the session: once for a new connection, and again when its name has changed. */
  private async prepare(client: PoolClient): Promise<void> {
    const name = this.applicationName;
    const settings = PLANNER_SETTINGS.map((setting) => `set_config('${setting}', 'off', false)`);
    settings.push(`set_config('statement_timeout', '${serverLimitMs(this.statementTimeoutMs)}', false)`);
    settings.push(`set_config('default_transaction_isolation', '${ISOLATION}', false)`);
    const calls = this.setsSession ? [...settings, NAME_SESSION] : [NAME_SESSION, DEFAULT_ISOLATION];
    const [row] = await this.query(client, { text: `SELECT ${calls.join(", ")}`, values: [name] });
    this.needsTransactions = !this.setsSession && row?.isolation !== ISOLATION;
    this.names.set(client, name);
  }

  private async send<Parameters, Row>(
    client: PoolClient,
    request: { statement: Statement<Parameters, Row>; parameters: Parameters; statementTimeoutMs: number },
  ): Promise<Row[]> {
    const { statement, parameters, statementTimeoutMs } = request;
    const isPrepared = statement.isPrepared ?? true;
    const text = isPrepared ? this.textOf(statement) : statement.sql(this.schema);
    const query = {
      text,
      values: statement.values(parameters),
      ...(isPrepared && this.setsSession ? { name: `tickwheel_${statement.name}` } : {}),
    };
    const read = (row: RawRow): Row => statement.read(row);
    return this.ask(client, query, { doing: statement.name, limitMs: statementTimeoutMs, read });
  }

  private query(client: PoolClient, query: pg.QueryConfig): Promise<RawRow[]> {
    return this.ask(client, query, { doing: query.text, limitMs: this.statementTimeoutMs, read: (row) => row });
  }

  /** Each row is read as it comes, so that no list holds rows as the driver made them. */
  private async ask<Row>(
    client: PoolClient,
    query: pg.QueryConfig,
    { doing, limitMs, read }: { doing: string; limitMs: number; read: (row: RawRow) => Row },
  ): Promise<Row[]> {
    const rows = youngList<Row>();
    let fault: { error: unknown } | null = null;
    const take = (row: RawRow): void => {
      try {
        rows.push(read(row));
      } catch (error) {
        fault ??= { error };
      }
    };
    try {
      await this.answerTo(query, client, { limitMs, take });
    } catch (error) {
      if (breaksConnection(error)) this.broken.add(client);
      throw translateDriverError(error, doing);
    }
    if (fault !== null) throw (fault as { error: unknown }).error;
    return rows;
  }

  /**
   * Ends with the answer, or with an error after `limitMs`. Not by the promise and the time-out that `pg` offers: each
   * is a function literal that it assigns to a property, and V8 puts those into the old generation. From there a dead
   * one keeps the reply alive, and all that hangs on it, through every minor collection: a quarter of what was
   * allocated, and pauses of five milliseconds instead of one. Nor by its callback: with that it makes a list of the
   * rows, which V8 may put there as well.
   */
  private answerTo(
    query: pg.QueryConfig,
    client: PoolClient,
    { limitMs, take }: { limitMs: number; take: (row: RawRow) => void },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(limitMs, () => reject(new Error("no answer in time")));
      const asked = new pg.Query<RawRow>(query);
      asked.on("row", take);
      asked.on("error", (error) => {
        timer.clear();
        reject(error);
      });
      asked.on("end", () => {
        timer.clear();
        resolve();
      });
      client.query(asked);
    });
  }
}

/**
 * Not a literal: of what one place in the code makes V8 learns whether it lives long, and then makes it in the old
 * generation.
 */
function youngList<Item>(): Item[] {
  return Array.of();
}

/** What the application's own function for the password throws is no fault of ours, and may pass. */
function withAskedPassword(connection: ConnectionOptions): ConnectionOptions {
  const { password: ask } = connection;
  if (typeof ask !== "function") return connection;
  const password = async (): Promise<string> => {
    try {
      return await ask();
    } catch (cause) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The application's function for the password of Postgres failed", {
        cause,
      });
    }
  };
  return { ...connection, password };
}

/** How long the server goes on with a statement that we wait for so long. */
function serverLimitMs(statementTimeoutMs: number): number {
  return Math.ceil(statementTimeoutMs) + SERVER_GRACE_MS;
}

/** The caller has given up by now, or is about to: a statement that is not sent is in no doubt. */
function tooLateToSend(doing: string): TickwheelError {
  return new TickwheelError(
    "STORE_UNAVAILABLE",
    `The connection to Postgres took too long, nothing was sent: ${doing}`,
  );
}

/** All errors but a server's refusal; of those, the ones that announce the connection's end. */
function breaksConnection(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === null || /^(08|57P|25P03)/.test(state);
}
