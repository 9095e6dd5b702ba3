import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { type RedisService, startRedis } from "@tickwheel/local-services";
import { type ChannelModel, connect as connectAmqp } from "amqplib";
import { Redis } from "ioredis";
import { Kafka, logLevel } from "kafkajs";
import { eventually, lasting } from "../eventually.js";
import type { Broker } from "./broker.js";
import { KafkaBroker } from "./kafka-broker.js";
import { NatsBroker } from "./nats-broker.js";
import { RabbitmqBroker } from "./rabbitmq-broker.js";

/** What a broker has of a message. */
export interface Received {
  /** The task's id, as the message says it. */
  id: string;
  /** When it was there at the latest, in epoch milliseconds of this machine. */
  atMs: number;
  payload: string;
  headers: Readonly<Record<string, string>>;
}

/** A broker with a queue, stream or topic, and all that came to it. */
export interface Inbox {
  readonly broker: Broker;
  /** A target of a node, as JSON. */
  readonly target: {
    readonly kind: "amqp" | "nats" | "kafka" | "redis";
    readonly url: string;
    readonly subject: string;
  };
  /** Every message so far, also more than once where it came more than once. */
  all(): Promise<Received[]>;
  stop(): Promise<void>;
}

export const SUBJECT = "orders";
const RETRY_MS = 100;

/** RabbitMQ with a durable queue. A consumer takes what comes, and comes back after an outage. */
export async function rabbitmqInbox(): Promise<Inbox> {
  const broker = await RabbitmqBroker.start();
  const received: Received[] = [];
  let current: ChannelModel | null = null;
  let isOver = false;
  const consume = async (): Promise<void> => {
    const connection = await connectAmqp(`${broker.url}?heartbeat=2`, { timeout: 2_000 });
    const ended = new Promise<void>((resolve) => void connection.on("close", () => resolve()).on("error", () => {}));
    current = connection;
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    await channel.assertQueue(SUBJECT, { durable: true });
    await channel.consume(SUBJECT, (message) => {
      if (!message) return;
      const { messageId, headers = {} } = message.properties;
      const payload = message.content.toString();
      received.push({ id: String(messageId), atMs: Date.now(), payload, headers: headers as Record<string, string> });
      channel.ack(message);
    });
    await ended;
  };
  const consuming = (async () => {
    while (!isOver) await consume().catch(() => lasting(RETRY_MS));
  })();
  await eventually(async () => {
    const connection = await connectAmqp(broker.url);
    const channel = await connection.createChannel();
    channel.on("error", () => {});
    connection.on("error", () => {});
    try {
      await channel.checkQueue(SUBJECT);
    } finally {
      await connection.close();
    }
  });
  return {
    broker,
    target: { kind: "amqp", url: broker.url, subject: SUBJECT },
    all: () => Promise.resolve([...received]),
    stop: async () => {
      isOver = true;
      await current?.close().catch(() => {});
      await broker.stop();
      await consuming;
    },
  };
}

/** NATS with a stream on disk, which is read from its beginning each time. */
export async function natsInbox(): Promise<Inbox> {
  const broker = await NatsBroker.start();
  const setUp = await connectNats({ servers: broker.url });
  const manager = await jetstreamManager(setUp);
  // One second, so that the broker hides no duplicate that comes later.
  const duplicate_window = 1_000_000_000;
  await manager.streams.add({ name: SUBJECT, subjects: [SUBJECT], storage: StorageType.File, duplicate_window });
  await setUp.close();
  return {
    broker,
    target: { kind: "nats", url: broker.url, subject: SUBJECT },
    all: async () => {
      const connection = await connectNats({ servers: broker.url });
      try {
        return await allOfStream(connection);
      } finally {
        await connection.close();
      }
    },
    stop: () => broker.stop(),
  };
}

async function allOfStream(connection: Awaited<ReturnType<typeof connectNats>>): Promise<Received[]> {
  const manager = await jetstreamManager(connection);
  const { messages: left } = (await manager.streams.info(SUBJECT)).state;
  const reader = { ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.All, mem_storage: true };
  const { name } = await manager.consumers.add(SUBJECT, reader);
  const consumer = await jetstream(connection).consumers.get(SUBJECT, name);
  const received: Received[] = [];
  while (received.length < left) {
    const max_messages = Math.min(500, left - received.length);
    for await (const message of await consumer.fetch({ max_messages, expires: 2_000 })) {
      const names = message.headers?.keys() ?? [];
      const headers = Object.fromEntries(names.map((key) => [key, message.headers!.get(key)]));
      const id = message.headers?.get("Nats-Msg-Id") ?? "";
      received.push({ id, atMs: message.time.getTime(), payload: message.string(), headers });
    }
  }
  return received;
}

/** Redis that syncs each write to its disk, with a stream. */
export async function redisInbox(): Promise<Inbox> {
  const broker: RedisService = await startRedis({ settings: { appendonly: "yes", appendfsync: "always" } });
  return {
    broker,
    target: { kind: "redis", url: broker.url, subject: SUBJECT },
    all: async () => {
      const redis = new Redis(broker.url);
      try {
        return (await redis.xrange(SUBJECT, "-", "+")).map(([entry, pairs]) => {
          const of = (field: string): string => pairs[pairs.indexOf(field) + 1]!;
          const headers = JSON.parse(of("headers")) as Record<string, string>;
          return { id: of("id"), atMs: Number(entry.split("-")[0]), payload: of("payload"), headers };
        });
      } finally {
        redis.disconnect();
      }
    },
    stop: () => broker.stop(),
  };
}

/** A mock of Kafka, which has lost all after a kill. Its topic is read from the beginning each time. */
export async function kafkaInbox(): Promise<Inbox> {
  const broker = await KafkaBroker.start();
  const kafka = new Kafka({ brokers: [broker.url], logLevel: logLevel.NOTHING });
  let readers = 0;
  // The mock makes a topic when a client first asks for one.
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: SUBJECT, messages: [{ value: "" }] });
  await producer.disconnect();
  return {
    broker,
    target: { kind: "kafka", url: broker.url, subject: SUBJECT },
    all: async () => {
      const consumer = kafka.consumer({ groupId: `reader-${readers++}`, maxWaitTimeInMs: 50 });
      const received: Received[] = [];
      const ends = await offsetsOf(kafka);
      const unread = new Set(ends.filter(({ high }) => Number(high) > 0).map(({ partition }) => partition));
      try {
        await consumer.connect();
        await consumer.subscribe({ topic: SUBJECT, fromBeginning: true });
        await consumer.run({
          eachBatch: async ({ batch: { messages, partition } }) => {
            const { high } = ends.find((end) => end.partition === partition)!;
            for (const { value, timestamp, headers: given = {} } of messages) {
              const headers = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, String(text)]));
              const id = headers["webhook-id"];
              if (id) received.push({ id, atMs: Number(timestamp), payload: String(value), headers });
            }
            if (Number(messages.at(-1)?.offset) >= Number(high) - 1) unread.delete(partition);
          },
        });
        await eventually(() => {
          if (unread.size > 0) throw new Error(`partitions ${[...unread].join(", ")} are not read to their ends`);
        });
        return received;
      } finally {
        await consumer.disconnect();
      }
    },
    stop: () => broker.stop(),
  };
}

async function offsetsOf(kafka: Kafka): Promise<{ partition: number; high: string }[]> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await admin.fetchTopicOffsets(SUBJECT);
  } finally {
    await admin.disconnect();
  }
}
