import { TickwheelError } from "@tickwheel/core";
import { ConnectionShare, type ShareCaller } from "./connection-share.js";
import type { PostgresDatabase, TransactionOptions } from "./postgres-database.js";
import { type NoPlace, ReadPlaces } from "./read-places.js";
import type { Session, Statement } from "./session.js";

/** A node reads for people and programs on at most this many connections at once. */
export const READ_CONNECTIONS = 2;
/** How long one statement of a read may take, in milliseconds. */
export const READ_TIMEOUT_MS = 2_000;
/**
 * How long a read that may take longer waits for its turn, in milliseconds. Those who ask mostly get an answer that is
 * kept, and counts behind a snapshot that somebody holds take seconds each.
 */
const LONG_PATIENCE_MS = 10_000;

/** Runs statements on the connections for reads, for one who reads. */
export interface Reads extends Session {
  run<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    limits?: { statementTimeoutMs?: number },
  ): Promise<Row[]>;
  transaction<Result>(work: (session: Session) => Promise<Result>, options: TransactionOptions): Promise<Result>;
}

/** What the node reads for itself has turns of its own. Postgres stores no namespace with a NUL in its name. */
const OWN = "\0node";
/** So have those who ask about the whole cluster. */
const CLUSTER = "\0cluster";

/**
 * Reads use at most {@link READ_CONNECTIONS} connections at once, none of them the engine's. So neither many readers
 * nor an expensive query makes a task late: reads wait only for each other.
 *
 * The namespaces take turns, and the node's own reads take one among them; within a namespace its callers take turns.
 * So a read waits for the earlier ones of its caller and for one of each other, not for all that another one has sent.
 * How many may be under way or wait, and of whom, {@link ReadPlaces} tells. A caller's statement that may take longer
 * than {@link READ_TIMEOUT_MS} leaves one connection to the rest. A caller's transaction does not: one that waits for
 * another's lock would then wait for its connection, too.
 *
 * On failure: `RATE_LIMITED` where there is no place; `STORE_UNAVAILABLE` after {@link READ_TIMEOUT_MS}, also if that
 * time was spent waiting for a connection; for one that may take longer, after ten seconds of waiting.
 */
export class ReadPool implements Reads {
  private readonly places = new ReadPlaces({ own: OWN });
  private readonly share = new ConnectionShare({
    connections: READ_CONNECTIONS,
    patienceMs: READ_TIMEOUT_MS,
    longPatienceMs: LONG_PATIENCE_MS,
  });

  /**
   * @param engine whose application name these connections have, too
   * @param side the connections for reads; the caller that opened them closes them
   */
  constructor(
    private readonly engine: PostgresDatabase,
    private readonly side: PostgresDatabase,
  ) {}

  /**
   * The reads of one namespace; null: of those who ask about the whole cluster.
   *
   * @param caller whose turns and places within the namespace these are, an API key's id say. Default: the
   *   application's, which has all places that its namespace may have
   */
  of(namespace: string | null, caller?: string): Reads {
    const reader = { namespace: namespace ?? CLUSTER, caller };
    return {
      run: (statement, parameters, limits) => {
        const isLong = (limits?.statementTimeoutMs ?? 0) > READ_TIMEOUT_MS;
        return this.runFor({ ...reader, isLong }, () => this.runOn(statement, parameters, limits));
      },
      transaction: (work, options) =>
        this.runFor({ ...reader, isLong: false }, () => this.transactionOn(work, options)),
    };
  }

  /** A read of the node's own. */
  run<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    limits?: { statementTimeoutMs?: number },
  ): Promise<Row[]> {
    return this.runFor(NODE, () => this.runOn(statement, parameters, limits));
  }

  /** A transaction of the node's own. */
  transaction<Result>(work: (session: Session) => Promise<Result>, options: TransactionOptions): Promise<Result> {
    return this.runFor(NODE, () => this.transactionOn(work, options));
  }

  private runOn<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
    limits: { statementTimeoutMs?: number } = {},
  ): Promise<Row[]> {
    return this.side.run(statement, parameters, { ...LIMITS, ...limits });
  }

  private transactionOn<Result>(
    work: (session: Session) => Promise<Result>,
    options: TransactionOptions,
  ): Promise<Result> {
    return this.side.transaction(work, { ...LIMITS, ...options });
  }

  private async runFor<Result>(caller: ShareCaller, read: () => Promise<Result>): Promise<Result> {
    const refusal = this.places.take(caller);
    if (refusal) throw refused(caller, refusal);
    this.side.useApplicationName(this.engine.applicationName);
    try {
      return await this.share.run(read, caller);
    } finally {
      this.places.leave(caller);
    }
  }
}

const NODE: ShareCaller = { namespace: OWN, isLong: false };
const LIMITS = { statementTimeoutMs: READ_TIMEOUT_MS };

function refused({ namespace }: ShareCaller, { of, taken }: NoPlace): TickwheelError {
  const wholes = namespace === OWN ? "of its own" : namespace === CLUSTER ? "about the cluster" : "of this namespace";
  const whose = of === "caller" ? "of this key" : wholes;
  return new TickwheelError("RATE_LIMITED", `This node has ${taken} reads ${whose} under way: ask again later.`);
}
