import { jetstream, JetStreamApiError, type PubAck } from "@nats-io/jetstream";
import { connect, errors, headers as newHeaders, type NatsConnection } from "@nats-io/transport-node";
import type { Json } from "@tickwheel/core";
import type { NatsTarget } from "./broker-targets.js";
import {
  BROKER_LIMIT_MS,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./broker-connection.js";

/** A server that answers none of two pings in a row is gone. */
const PING_EVERY_MS = 5_000;
const PINGS_AWAY = 2;

/**
 * Connects to NATS. A message counts when a stream of JetStream has stored it: a subject that no stream takes is
 * refused. The task's id is the message's id, so a stream drops what it has already had within its window of
 * duplicates, two minutes unless it says otherwise.
 */
export async function connectNats({ url, client }: NatsTarget): Promise<BrokerConnection> {
  const connection = await connect({
    timeout: BROKER_LIMIT_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: PINGS_AWAY,
    name: "tickwheel",
    ...client,
    servers: typeof url === "string" ? url : [...(url ?? [])],
    // What is lost is connected to anew by the next message.
    reconnect: false,
  });
  return new JetStreamConnection(connection);
}

class JetStreamConnection implements BrokerConnection {
  private readonly stream;
  /** Who waits for an answer. When the connection is lost they are told: the client would let their time pass. */
  private readonly waiting = new Set<(reason: Error) => void>();

  constructor(private readonly connection: NatsConnection) {
    this.stream = jetstream(connection, { timeout: BROKER_LIMIT_MS });
    void connection.closed().then((reason) => {
      const lost = new Error(`the connection was lost${reason ? ` (${reason.message})` : ""}`);
      for (const tell of this.waiting) tell(lost);
    });
  }

  get isOpen(): boolean {
    return !this.connection.isClosed();
  }

  async publish({ id, subject, headers, body }: BrokerMessage): Promise<Json> {
    this.requireSize(body);
    const named = newHeaders();
    for (const [name, value] of Object.entries(headers)) named.set(name, value);
    try {
      const stored = this.stream.publish(subject, body, { msgID: id, headers: named });
      const { stream, seq, duplicate } = await this.unlessLost(stored);
      return { stream, seq, duplicate };
    } catch (error) {
      throw translated(error, subject);
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async unlessLost(stored: Promise<PubAck>): Promise<PubAck> {
    let tell: (reason: Error) => void = () => {};
    try {
      return await new Promise<PubAck>((resolve, reject) => {
        tell = reject;
        this.waiting.add(tell);
        stored.then(resolve, reject);
      });
    } finally {
      this.waiting.delete(tell);
    }
  }

  private requireSize(body: string): void {
    const limit = this.connection.info?.max_payload;
    if (limit !== undefined && Buffer.byteLength(body) > limit)
      throw new PublishRefusedError(`the payload is larger than its max_payload of ${limit} bytes`, true);
  }
}

function translated(error: unknown, subject: string): unknown {
  if (error instanceof JetStreamApiError) return new PublishRefusedError(error.message);
  // What the client calls "not enabled" is a subject that nobody answers for.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const isUnheard = cause instanceof errors.RequestError && cause.isNoResponders();
  return isUnheard || cause instanceof errors.NoRespondersError
    ? new PublishRefusedError(`no stream takes the subject "${subject}"`)
    : error;
}
