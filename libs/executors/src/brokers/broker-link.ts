import type { Clock, Json } from "@tickwheel/core";
import { messageOf } from "../webhooks/sending.js";
import type { BrokerTarget } from "./broker-targets.js";
import { BROKER_LIMIT_MS, BrokerAwayError, type BrokerConnection, type BrokerMessage } from "./broker-connection.js";
import { connectBroker } from "./connect-broker.js";

/** Connects to a broker; tests pass another one. */
export type ConnectBroker = (target: BrokerTarget) => Promise<BrokerConnection>;

interface LinkPorts {
  clock: Clock;
  connect?: ConnectBroker;
}

/** A connection that is being made, and then is there. */
interface Attempt {
  readonly opened: Promise<BrokerConnection>;
  /** Null: not yet. */
  connection: BrokerConnection | null;
}

/** The broker did not confirm in time. */
class UnconfirmedError extends Error {}

/**
 * The way to one broker: a connection that is made when a message needs it, and made anew when it was lost. One on
 * which a confirmation fails to come is left: later messages go by another one, and it is closed once those that it has
 * under way have had their time.
 */
export class BrokerLink {
  private current: Attempt | null = null;
  private readonly all = new Set<BrokerConnection>();
  private isClosed = false;

  constructor(
    private readonly target: BrokerTarget,
    private readonly ports: LinkPorts,
  ) {}

  /**
   * @returns where the broker put it
   * @throws BrokerAwayError, PublishRefusedError, what the signal aborts with, or why the broker has not confirmed
   */
  async publish(message: BrokerMessage, signal: AbortSignal): Promise<Json> {
    const connection = await this.within(signal, this.connection()).catch((error: Error) => {
      throw error instanceof UnconfirmedError ? new BrokerAwayError(error.message) : error;
    });
    try {
      return await this.within(signal, connection.publish(message));
    } catch (error) {
      if (error instanceof UnconfirmedError) this.leave(connection);
      throw error;
    }
  }

  close(): void {
    this.isClosed = true;
    this.current = null;
    for (const connection of this.all) void this.end(connection);
  }

  /** All who come while one is being made wait for the same one. */
  private connection(): Promise<BrokerConnection> {
    if (this.isClosed) return Promise.reject(new BrokerAwayError("this node stops"));
    const { current } = this;
    if (current && (current.connection?.isOpen ?? true)) return current.opened;
    const attempt: Attempt = { connection: null, opened: this.open() };
    this.current = attempt;
    attempt.opened.then(
      (connection) => (attempt.connection = connection),
      () => {
        if (this.current === attempt) this.current = null;
      },
    );
    return attempt.opened;
  }

  private async open(): Promise<BrokerConnection> {
    const { connect = connectBroker } = this.ports;
    try {
      const connection = await connect(this.target);
      this.all.add(connection);
      if (this.isClosed) await this.end(connection);
      return connection;
    } catch (error) {
      throw new BrokerAwayError(messageOf(error), { cause: error });
    }
  }

  private leave(connection: BrokerConnection): void {
    if (connection.isBlocked) return;
    this.current = null;
    this.ports.clock.setTimer(BROKER_LIMIT_MS, () => void this.end(connection));
  }

  private async end(connection: BrokerConnection): Promise<void> {
    this.all.delete(connection);
    await connection.close().catch(() => {});
  }

  /** Ends with the work, with the abort, or after {@link BROKER_LIMIT_MS}. */
  private within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = this.ports.clock.setTimer(BROKER_LIMIT_MS, () =>
        end(() => reject(new UnconfirmedError(`no answer within ${BROKER_LIMIT_MS / 1_000} s`))),
      );
      const abort = (): void => end(() => reject(signal.reason as Error));
      const end = (settle: () => void): void => {
        timer.clear();
        signal.removeEventListener("abort", abort);
        settle();
      };
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
      work.then(
        (result) => end(() => resolve(result)),
        (error: Error) => end(() => reject(error)),
      );
    });
  }
}
