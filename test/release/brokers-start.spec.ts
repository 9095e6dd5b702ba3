import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "@jest/globals";
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect as connectNats, type NatsConnection } from "@nats-io/transport-node";
import { type ChannelModel, connect as connectAmqp, type ConfirmChannel } from "amqplib";
import { Kafka, logLevel, type Producer } from "kafkajs";
import type { Broker } from "../support/brokers/broker.js";
import { KafkaBroker } from "../support/brokers/kafka-broker.js";
import { NatsBroker } from "../support/brokers/nats-broker.js";
import { RabbitmqBroker } from "../support/brokers/rabbitmq-broker.js";
import { eventually } from "../support/eventually.js";

const LIMIT_MS = 5_000;
/** How long something that nobody answers is waited for. */
const SHORT_MS = 300;
const ORDERS = "orders";

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Stops the broker at the end of the test. */
function ours<B extends Broker>(broker: B): B {
  cleanUps.push(() => broker.stop());
  return broker;
}

describe("RabbitMQ", () => {
  test("a persistent message that RabbitMQ confirmed before a SIGKILL is there after it", async () => {
    const broker = ours(await RabbitmqBroker.start());
    await withChannel(broker, async (channel) => {
      await channel.assertQueue(ORDERS, { durable: true });
      channel.sendToQueue(ORDERS, Buffer.from("first"), { persistent: true });
      channel.sendToQueue(ORDERS, Buffer.from("second"), { persistent: true });
      await channel.waitForConfirms();
      expect(await takeFromQueue(channel)).toBe("first");
    });
    // What a consumer acknowledged may come once more: RabbitMQ answers no acknowledgement, and writes them later.
    await broker.kill();
    await expect(connectAmqp(broker.url, { timeout: LIMIT_MS })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await broker.restart();
    await withChannel(broker, async (channel) => {
      const { messageCount } = await channel.checkQueue(ORDERS);
      const texts: string[] = [];
      for (let left = messageCount; left > 0; left--) texts.push(await takeFromQueue(channel));
      expect(texts.at(-1)).toBe("second");
    });
  });

  test("a publisher to RabbitMQ is blocked by the alarm of too little memory, and while the broker stands still", async () => {
    const broker = ours(await RabbitmqBroker.start());
    await withChannel(broker, async (channel, connection) => {
      await channel.assertQueue(ORDERS, { durable: true });
      let isBlocked = false;
      connection.on("blocked", () => (isBlocked = true));
      connection.on("unblocked", () => (isBlocked = false));
      await broker.blockPublishers();
      const first = confirmed(channel, "first");
      await eventually(() => expect(isBlocked).toBe(true));
      expect(await endOf(first)).toBe("open");
      await broker.unblockPublishers();
      await first;
      await eventually(() => expect(isBlocked).toBe(false));
      broker.pause();
      const second = confirmed(channel, "second");
      expect(await endOf(second)).toBe("open");
      broker.resume();
      await second;
    });
  });
});

describe("NATS", () => {
  test("a message that a NATS stream with file storage acknowledged before a SIGKILL is there after it", async () => {
    const broker = ours(await NatsBroker.start());
    await withNats(broker, async (connection) => {
      const manager = await jetstreamManager(connection);
      await manager.streams.add({
        name: ORDERS,
        subjects: [`${ORDERS}.>`],
        storage: StorageType.File,
        retention: RetentionPolicy.Workqueue,
      });
      await manager.consumers.add(ORDERS, { durable_name: "shop", ack_policy: AckPolicy.Explicit });
      for (const text of ["first", "second"])
        await jetstream(connection).publish(`${ORDERS}.new`, text, { msgID: text, timeout: LIMIT_MS });
      expect(await takeFromStream(connection)).toBe("first");
    });
    await broker.kill();
    await expect(connectNats({ servers: broker.url, timeout: LIMIT_MS, reconnect: false })).rejects.toThrow(/refused/);
    await broker.restart();
    await withNats(broker, async (connection) => {
      const again = await jetstream(connection).publish(`${ORDERS}.new`, "second", { msgID: "second" });
      expect(again.duplicate).toBe(true);
      expect(await takeFromStream(connection)).toBe("second");
    });
  });

  test("NATS acknowledges nothing while it stands still", async () => {
    const broker = ours(await NatsBroker.start());
    await withNats(broker, async (connection) => {
      await (await jetstreamManager(connection)).streams.add({ name: ORDERS, subjects: [ORDERS] });
      broker.pause();
      const publish = jetstream(connection).publish(ORDERS, "first", { timeout: SHORT_MS });
      await expect(publish).rejects.toThrow(/timeout/i);
      broker.resume();
    });
  });
});

describe("the mock of Kafka", () => {
  test("the mock of Kafka takes a message with a key and headers, and loses all messages by a SIGKILL, but not its address", async () => {
    const broker = ours(await KafkaBroker.start());
    const address = broker.url;
    await withProducer(broker, (producer) => send(producer, "first"));
    expect(await allInTopic(broker, 1)).toEqual([{ key: "shop-1", value: "first", type: "order" }]);
    await broker.kill();
    await expect(withProducer(broker, (producer) => send(producer, "lost"))).rejects.toThrow(/ECONNREFUSED/);
    await broker.restart();
    expect(broker.url).toBe(address);
    await withProducer(broker, (producer) => send(producer, "second"));
    expect(await allInTopic(broker, 1)).toEqual([{ key: "shop-1", value: "second", type: "order" }]);
  });

  test("a producer that was connected to the mock of Kafka before a SIGKILL goes on after it", async () => {
    const broker = ours(await KafkaBroker.start());
    await withProducer(broker, async (producer) => {
      await send(producer, "first");
      await broker.restart();
      // The first try may still ask for what the producer knew of the partitions before.
      await eventually(() => send(producer, "second"));
    });
    expect((await allInTopic(broker, 1))[0]).toMatchObject({ value: "second" });
  });

  test("the mock of Kafka acknowledges nothing while it stands still", async () => {
    const broker = ours(await KafkaBroker.start());
    await withProducer(broker, async (producer) => {
      await send(producer, "first");
      broker.pause();
      await expect(send(producer, "second")).rejects.toThrow(/timed out/);
      broker.resume();
    });
  });
});

test("nothing is left of a broker after its end", async () => {
  const broker = await NatsBroker.start();
  expect(existsSync(broker.home)).toBe(true);
  await broker.stop();
  expect(existsSync(broker.home)).toBe(false);
  await expect(connectNats({ servers: broker.url, timeout: LIMIT_MS, reconnect: false })).rejects.toThrow(/refused/);
});

async function withChannel(
  { url }: Broker,
  use: (channel: ConfirmChannel, connection: ChannelModel) => Promise<void>,
): Promise<void> {
  const connection = await connectAmqp(url, { timeout: LIMIT_MS });
  try {
    await use(await connection.createConfirmChannel(), connection);
  } finally {
    await connection.close();
  }
}

async function takeFromQueue(channel: ConfirmChannel): Promise<string> {
  const message = await channel.get(ORDERS);
  if (!message) throw new Error("the queue is empty");
  channel.ack(message);
  return message.content.toString();
}

function confirmed(channel: ConfirmChannel, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.sendToQueue(ORDERS, Buffer.from(text), { persistent: true }, (error) =>
      error ? reject(error as Error) : resolve(),
    );
  });
}

/** Whether it is settled soon. */
async function endOf(promise: Promise<void>): Promise<"open" | "settled"> {
  return Promise.race([
    promise.then(() => "settled" as const),
    new Promise<"open">((resolve) => setTimeout(() => resolve("open"), SHORT_MS)),
  ]);
}

async function withNats({ url }: Broker, use: (connection: NatsConnection) => Promise<void>): Promise<void> {
  const connection = await connectNats({ servers: url, timeout: LIMIT_MS });
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
}

async function takeFromStream(connection: NatsConnection): Promise<string> {
  const consumer = await jetstream(connection).consumers.get(ORDERS, "shop");
  const message = await consumer.next({ expires: LIMIT_MS });
  if (!message) throw new Error("the stream is empty");
  await message.ackAck();
  return message.string();
}

function clientOf({ url }: Broker): Kafka {
  const limits = { connectionTimeout: SHORT_MS, requestTimeout: SHORT_MS };
  return new Kafka({ brokers: [url], ...limits, retry: { retries: 0 }, logLevel: logLevel.NOTHING });
}

async function withProducer(broker: Broker, use: (producer: Producer) => Promise<void>): Promise<void> {
  const producer = clientOf(broker).producer();
  try {
    await producer.connect();
    await use(producer);
  } finally {
    await producer.disconnect();
  }
}

async function send(producer: Producer, value: string): Promise<void> {
  const messages = [{ key: "shop-1", value, headers: { type: "order" } }];
  await producer.send({ topic: ORDERS, acks: -1, timeout: LIMIT_MS, messages });
}

async function allInTopic(broker: Broker, count: number): Promise<object[]> {
  const consumer = clientOf(broker).consumer({ groupId: "shop", maxWaitTimeInMs: SHORT_MS / 3, retry: { retries: 5 } });
  const seen: object[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topic: ORDERS, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, value, headers } }) => {
        seen.push({ key: String(key), value: String(value), type: String(headers?.["type"]) });
      },
    });
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(count));
    return seen;
  } finally {
    await consumer.disconnect();
  }
}
