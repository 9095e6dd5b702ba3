import { TickwheelError } from "@tickwheel/core";
import { ConnectionShare } from "./connection-share.js";
import type { PostgresDatabase, TransactionOptions } from "./postgres-database.js";
import type { Session, Statement } from "./session.js";

/** A node reads for people and programs on at most this many connections at once. */
export const READ_CONNECTIONS = 2;
/** How long one statement of a read may take, in milliseconds. */
export const READ_TIMEOUT_MS = 2_000;
/**
 * At most this many statements of reads are under way or waiting. Further ones are refused, since they would wait
 * longer than their callers do.
 */
export const MAX_WAITING_READS = 200;

/**
 * Reads use at most {@link READ_CONNECTIONS} connections at once, none of them the engine's. So neither many readers
 * nor an expensive query makes a task late: reads wait only for each other.
 *
 * On failure: `RATE_LIMITED` beyond {@link MAX_WAITING_READS}; `STORE_UNAVAILABLE` after {@link READ_TIMEOUT_MS}, also
 * if that time was spent waiting for a connection.
 */
export class ReadPool implements Session {
  private waiting = 0;
  private readonly share = new ConnectionShare({ connections: READ_CONNECTIONS, patienceMs: READ_TIMEOUT_MS });

  /**
   * @param engine whose application name these connections have, too
   * @param side the connections for reads; whoever opened them closes them
   */
  constructor(
    private readonly engine: PostgresDatabase,
    private readonly side: PostgresDatabase,
  ) {}

  async run<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    limits: { statementTimeoutMs?: number } = {},
  ): Promise<Row[]> {
    return this.admitted(() => this.side.run(statement, parameters, { ...LIMITS, ...limits }));
  }

  transaction<Result>(work: (session: Session) => Promise<Result>, options: TransactionOptions): Promise<Result> {
    return this.admitted(() => this.side.transaction(work, { ...LIMITS, ...options }));
  }

  private async admitted<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= MAX_WAITING_READS)
      throw new TickwheelError("RATE_LIMITED", `This node has ${this.waiting} reads under way: ask again later.`);
    this.waiting++;
    this.side.useApplicationName(this.engine.applicationName);
    try {
      return await this.share.run(read);
    } finally {
      this.waiting--;
    }
  }
}

const LIMITS = { statementTimeoutMs: READ_TIMEOUT_MS };
