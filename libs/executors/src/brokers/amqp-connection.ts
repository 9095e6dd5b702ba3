import { connect, type ConfirmChannel } from "amqplib";
import type { AmqpTarget } from "./broker-targets.js";
import {
  BROKER_LIMIT_MS,
  BrokerAwayError,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./broker-connection.js";

/** A broker that says nothing for twice as long is gone, in seconds. */
const HEARTBEAT_S = 5;
/** Answer of a server that has no such exchange. */
const NOT_FOUND = 404;
/** What the client says of a message that the broker has refused. Any other error says that nothing was heard. */
const NACKED = "message nacked";

/**
 * Connects to RabbitMQ. Messages are persistent and `mandatory`: one that no queue takes comes back, and is refused.
 * Each is confirmed by the broker, for a durable queue when it is on disk.
 */
export async function connectAmqp({ url, exchange = "", client }: AmqpTarget): Promise<BrokerConnection> {
  const model = await connect(withHeartbeat(url), { noDelay: true, timeout: BROKER_LIMIT_MS, ...client });
  // An error is told by the promises of those who publish; unheard it would end the process.
  model.on("error", () => {});
  try {
    const channel = await model.createConfirmChannel();
    channel.on("error", () => {});
    if (exchange !== "") await channel.checkExchange(exchange);
    const connection = new AmqpConnection(channel, { exchange, end: () => model.close() });
    model.on("close", () => connection.ended());
    model.on("blocked", (reason: string) => (connection.blockedBy = reason));
    model.on("unblocked", () => (connection.blockedBy = null));
    return connection;
  } catch (error) {
    await model.close().catch(() => {});
    throw (error as { code?: unknown }).code === NOT_FOUND ? new Error(`it has no exchange "${exchange}"`) : error;
  }
}

function withHeartbeat(url = ""): string {
  const address = new URL(url);
  if (!address.searchParams.has("heartbeat")) address.searchParams.set("heartbeat", String(HEARTBEAT_S));
  return address.href;
}

class AmqpConnection implements BrokerConnection {
  isOpen = true;
  /** Why the broker reads nothing just now; null: it does. */
  blockedBy: string | null = null;
  /** Ids of messages that came back, each with the reason. The confirmation follows. */
  private readonly returned = new Map<string, string>();
  private readonly exchange: string;
  private readonly end: () => Promise<void>;

  constructor(
    private readonly channel: ConfirmChannel,
    { exchange, end }: { exchange: string; end: () => Promise<void> },
  ) {
    this.exchange = exchange;
    this.end = end;
    channel.on("return", ({ properties, fields }) => {
      this.returned.set(String(properties.messageId), (fields as { replyText?: string }).replyText ?? "NO_ROUTE");
    });
    channel.on("close", () => this.ended());
  }

  get isBlocked(): boolean {
    return this.blockedBy !== null;
  }

  async publish(message: BrokerMessage): Promise<null> {
    if (this.isBlocked) throw new BrokerAwayError(`it takes no messages: ${this.blockedBy}`);
    await this.confirmed(message);
    const reason = this.returned.get(message.id);
    this.returned.delete(message.id);
    if (reason === undefined) return null;
    throw new PublishRefusedError(`no queue takes the routing key "${message.subject}" (${reason})`);
  }

  /** It is of no more use. The client rejects the calls that wait for a confirmation. */
  ended(): void {
    this.isOpen = false;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.end();
  }

  private confirmed({ id, type, subject, headers, body, atMs }: BrokerMessage): Promise<void> {
    const properties = {
      messageId: id,
      type,
      headers,
      appId: "tickwheel",
      contentType: "application/json",
      persistent: true,
      mandatory: true,
      timestamp: Math.floor(atMs / 1_000),
    };
    return new Promise((resolve, reject) => {
      this.channel.publish(this.exchange, subject, Buffer.from(body), properties, (error: Error | null) => {
        if (error === null) resolve();
        else reject(error.message === NACKED ? new PublishRefusedError("its queue refuses it (nack)") : error);
      });
    });
  }
}
