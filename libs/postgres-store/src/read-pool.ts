import { TickwheelError } from "@tickwheel/core";
import type { PostgresDatabase, TransactionOptions } from "./postgres-database.js";
import type { Session, Statement } from "./session.js";

/** Connections of a node for what people and programs read. */
export const READ_CONNECTIONS = 2;
/** How long one statement of a read may take, in milliseconds. */
export const READ_TIMEOUT_MS = 2_000;
/** Statements of reads under way and waiting. Further ones are refused: each would wait longer than its caller. */
export const MAX_WAITING_READS = 200;

/**
 * Connections for reads alone, so that no number of readers, and no dear question, makes a task late: what they wait for is each other.
 *
 * On failure: `RATE_LIMITED` beyond {@link MAX_WAITING_READS}, `STORE_UNAVAILABLE` after {@link READ_TIMEOUT_MS}, of waiting for a
 * connection too.
 */
export class ReadPool implements Session {
  private waiting = 0;
  private readonly database: PostgresDatabase;

  constructor(private readonly engine: PostgresDatabase) {
    this.database = engine.sibling(READ_CONNECTIONS, { statementTimeoutMs: READ_TIMEOUT_MS });
  }

  get connectionCount(): number {
    return this.database.connectionCount;
  }

  async run<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    limits: { statementTimeoutMs?: number } = {},
  ): Promise<Row[]> {
    return this.admitted(() => this.database.run(statement, parameters, limits));
  }

  transaction<Result>(work: (session: Session) => Promise<Result>, options: TransactionOptions): Promise<Result> {
    return this.admitted(() => this.database.transaction(work, options));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async admitted<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.waiting >= MAX_WAITING_READS)
      throw new TickwheelError("RATE_LIMITED", `This node has ${this.waiting} reads under way: ask again later.`);
    this.waiting++;
    this.database.useApplicationName(this.engine.applicationName);
    try {
      return await read();
    } finally {
      this.waiting--;
    }
  }
}
