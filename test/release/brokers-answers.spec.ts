import { afterEach, describe, expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { type Inbox, kafkaInbox, rabbitmqInbox } from "../support/brokers/inbox.js";
import { Publishing } from "../support/brokers/publishing.js";
import type { RabbitmqBroker } from "../support/brokers/rabbitmq-broker.js";
import { eventually } from "../support/eventually.js";

let inbox: Inbox;
let publishing: Publishing | undefined;

afterEach(async () => {
  publishing?.close();
  await inbox.stop();
});

async function open(start: () => Promise<Inbox>): Promise<Publishing> {
  inbox = await start();
  return (publishing = new Publishing(inbox.target));
}

describe("RabbitMQ", () => {
  test("RabbitMQ confirms a message, which has the task's id, payload and headers, and is persistent", async () => {
    const own = await open(rabbitmqInbox);
    expect(await own.publish({ order: 7 }, { id: "0198", headers: { "x-tenant": "7" } })).toEqual({
      kind: "succeeded",
      result: null,
    });
    await eventually(async () => expect(await inbox.all()).toHaveLength(1));
    expect((await inbox.all())[0]).toMatchObject({
      id: "0198",
      payload: '{"order":7}',
      headers: { "x-tenant": "7", "webhook-id": "0198", "tickwheel-key": "order-7" },
    });
  });

  test("RabbitMQ refuses a routing key without a queue, and what a full queue refuses", async () => {
    const own = await open(rabbitmqInbox);
    expect(await own.publish({}, { subject: "nobodys" })).toEqual({
      kind: "failed",
      retryable: true,
      error: 'The broker "shop" did not take it: no queue takes the routing key "nobodys" (NO_ROUTE)',
    });
    await declare("full", { "x-max-length": 1, "x-overflow": "reject-publish" });
    expect(await own.publish({}, { subject: "full" })).toMatchObject({ kind: "succeeded" });
    await eventually(async () =>
      expect(await own.publish({}, { subject: "full" })).toEqual({
        kind: "failed",
        retryable: true,
        error: 'The broker "shop" did not take it: its queue refuses it (nack)',
      }),
    );
    // A refusal leaves the connection as it is.
    expect(await own.publish()).toMatchObject({ kind: "succeeded" });
  });

  test("RabbitMQ takes nothing while it blocks publishers, and what was sent then once it reads again", async () => {
    const own = await open(rabbitmqInbox);
    const broker = inbox.broker as RabbitmqBroker;
    await own.publish();
    await broker.blockPublishers();
    const sent = await own.publish({}, { id: "sent" });
    expect(sent).toMatchObject({ kind: "failed", retryable: true, error: expect.stringMatching(/may have arrived/) });
    expect(await own.publish({}, { id: "not sent" })).toMatchObject({ kind: "deferred" });
    await broker.unblockPublishers();
    await eventually(async () => expect((await inbox.all()).map(({ id }) => id)).toContain("sent"));
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "succeeded" }));
  });

  test("RabbitMQ without the exchange is told apart: nothing is sent", async () => {
    inbox = await rabbitmqInbox();
    publishing = new Publishing({ ...inbox.target, kind: "amqp", exchange: "nobodys" });
    expect(await publishing.publish()).toMatchObject({ kind: "deferred" });
  });

  test("RabbitMQ defers what comes while it is away, and takes it when it is back with what it had", async () => {
    const own = await open(rabbitmqInbox);
    await own.publish();
    await inbox.broker.kill();
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "deferred" }));
    await inbox.broker.restart();
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "succeeded" }));
    await eventually(async () => expect((await inbox.all()).map(({ id }) => id)).toContain("task-0"));
  });
});

describe("the mock of Kafka", () => {
  test("the mock of Kafka confirms a message, which has the task's id, key, payload and headers", async () => {
    const own = await open(kafkaInbox);
    expect(await own.publish({ order: 7 }, { id: "0198" })).toMatchObject({
      kind: "succeeded",
      result: expect.stringMatching(/^\{"partition":\d,"offset":"\d+"\}$/),
    });
    expect(await inbox.all()).toMatchObject([
      { id: "0198", payload: '{"order":7}', headers: { "webhook-id": "0198", "tickwheel-type": "order.expire" } },
    ]);
  });

  test("the mock of Kafka defers what comes while it is away, and takes what comes when it is back", async () => {
    const own = await open(kafkaInbox);
    await own.publish();
    await inbox.broker.kill();
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "deferred" }));
    await inbox.broker.restart();
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "succeeded" }));
  });

  test("the mock of Kafka confirms nothing while it stands still", async () => {
    const own = await open(kafkaInbox);
    await own.publish();
    inbox.broker.pause();
    const silent = await own.publish();
    inbox.broker.resume();
    expect(silent).toMatchObject({ kind: "failed", retryable: true, error: expect.stringMatching(/may have arrived/) });
    await eventually(async () => expect(await own.publish()).toMatchObject({ kind: "succeeded" }));
  });
});

async function declare(queue: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  const connection = await connect(inbox.broker.url);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, { durable: true, arguments: args });
  await connection.close();
}
