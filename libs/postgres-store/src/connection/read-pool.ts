import { TickwheelError } from "@tickwheel/core";
import { ConnectionShare } from "./connection-share.js";
import type { PostgresDatabase, TransactionOptions } from "./postgres-database.js";
import type { Session, Statement } from "./session.js";

/** Connections of a node at once for what people and programs read. */
export const READ_CONNECTIONS = 2;
/** How long one statement of a read may take, in milliseconds. */
export const READ_TIMEOUT_MS = 2_000;
/** Statements of reads under way and waiting. Further ones are refused: each would wait longer than its caller. */
export const MAX_WAITING_READS = 200;

/**
 * Reads go over connections that are none of the engine's, at most {@link READ_CONNECTIONS} at once, so that no number
 * of readers, and no dear question, makes a task late: what they wait for is each other.
 *
 * On failure: `RATE_LIMITED` beyond {@link MAX_WAITING_READS}, `STORE_UNAVAILABLE` after {@link READ_TIMEOUT_MS}, of
 * waiting for a connection too.
 */
export class ReadPool implements Session {
  private waiting = 0;
  private readonly share = new ConnectionShare({ connections: READ_CONNECTIONS, patienceMs: READ_TIMEOUT_MS });

  /**
   * @param engine whose application name they have, too
   * @param side the connections; closed by whoever opened them
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
