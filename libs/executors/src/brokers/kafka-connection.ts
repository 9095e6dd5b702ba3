import type { Json } from "@tickwheel/core";
import kafkajs, { type Producer } from "kafkajs";
import type { KafkaTarget } from "./broker-targets.js";
import {
  BROKER_LIMIT_MS,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./broker-connection.js";

const { Kafka, KafkaJSConnectionError, KafkaJSProtocolError, logLevel } = kafkajs;
/** All replicas that are in step have the message. */
const BY_ALL = -1;
/** The client tries again by itself when a partition has moved. A first attempt and these fit into the limit. */
const RETRIES = 2;
const REQUEST_MS = BROKER_LIMIT_MS / (RETRIES + 2);
/** Answers to this message alone, by the names of Kafka's protocol. True: no later attempt can succeed. */
const REFUSALS: ReadonlyMap<string, boolean> = new Map([
  ["UNKNOWN_TOPIC_OR_PARTITION", false],
  ["TOPIC_AUTHORIZATION_FAILED", false],
  ["POLICY_VIOLATION", false],
  ["INVALID_TOPIC_EXCEPTION", true],
  ["MESSAGE_TOO_LARGE", true],
  ["RECORD_LIST_TOO_LARGE", true],
  ["INVALID_RECORD", true],
]);

/**
 * Connects to Kafka. A message counts when all replicas that are in step have it (`acks` all). Its key is that of the
 * task, so the tasks of a key keep to one partition. A topic is not made for it.
 */
export async function connectKafka({ url, client }: KafkaTarget): Promise<BrokerConnection> {
  const kafka = new Kafka({
    clientId: "tickwheel",
    connectionTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    logLevel: logLevel.NOTHING,
    ...client,
    brokers: typeof url === "string" ? url.split(",").map((one) => one.trim()) : [...(url ?? [])],
    retry: { retries: RETRIES },
  });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  return new ProducerConnection(producer);
}

class ProducerConnection implements BrokerConnection {
  isOpen = true;

  constructor(private readonly producer: Producer) {
    producer.on(producer.events.DISCONNECT, () => (this.isOpen = false));
  }

  async publish({ subject: topic, key, body: value, headers }: BrokerMessage): Promise<Json> {
    const message = { key, value, headers: { ...headers } };
    try {
      const [stored] = await this.producer.send({ topic, acks: BY_ALL, timeout: REQUEST_MS, messages: [message] });
      return { partition: stored?.partition ?? null, offset: stored?.baseOffset ?? null };
    } catch (error) {
      throw this.translated(error);
    }
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.producer.disconnect();
  }

  private translated(error: unknown): unknown {
    const cause = causeOf(error);
    if (cause instanceof KafkaJSProtocolError) {
      const isFinal = REFUSALS.get(cause.type);
      if (isFinal !== undefined) return new PublishRefusedError(cause.message, isFinal);
    }
    // Whether any broker can be reached is for the next connection to find out.
    if (cause instanceof KafkaJSConnectionError) this.isOpen = false;
    return error;
  }
}

/** The client wraps what went wrong into an error about its retries. */
function causeOf(error: unknown): unknown {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found;
}
