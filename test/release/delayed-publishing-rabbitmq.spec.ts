import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientsModule, RmqRecordBuilder, Transport } from "@nestjs/microservices";
import {
  type DelayedClient,
  delayedClient,
  delayedClientToken,
  DelayTaskModule,
  DelayTaskService,
} from "@tickwheel/nestjs";
import { connect } from "amqplib";
import { RabbitmqBroker } from "../support/brokers/rabbitmq-broker.js";
import { requirePromises } from "../support/broken-promise.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const QUEUE = "orders";
/** How many messages are emitted at once. */
const AT_ONCE = 8;
const MANY = 200;

let postgres: TestPostgres;
let broker: RabbitmqBroker;
let app: INestApplicationContext;
let orders: DelayedClient;
let tasks: DelayTaskService;

beforeAll(async () => {
  [postgres, broker] = await Promise.all([startTestPostgres(), RabbitmqBroker.start()]);
});

afterAll(async () => {
  await broker?.stop();
  await postgres?.stop();
});

beforeEach(async () => {
  const options = {
    urls: [broker.url],
    queue: QUEUE,
    queueOptions: { durable: true },
    persistent: true,
    socketOptions: { reconnectTimeInSeconds: 1, heartbeatIntervalInSeconds: 1 },
  };
  @Module({
    imports: [ClientsModule.register([{ name: "ORDERS", transport: Transport.RMQ, options }])],
    providers: delayedClient("ORDERS", {
      record: ({ id, data }) => new RmqRecordBuilder(data).setOptions({ messageId: id }).build(),
      maxAttempts: 1_000,
      concurrency: 4 * AT_ONCE,
      backoff: { kind: "fixed", delay: 100 },
    }),
  })
  class OrdersModule {}
  const engine = DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop", minBackoffMs: 1 });
  @Module({ imports: [OrdersModule, engine] })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  orders = app.get(delayedClientToken("ORDERS"), { strict: false });
  tasks = app.get(DelayTaskService);
});

afterEach(async () => {
  broker.resume();
  await app?.close();
});

/** The message ids of all that is in the queue, in its order. */
async function inQueue(): Promise<string[]> {
  const connection = await connect(broker.url);
  try {
    const channel = await connection.createChannel();
    const ids: string[] = [];
    for (let message = await channel.get(QUEUE); message; message = await channel.get(QUEUE)) {
      ids.push(message.properties.messageId as string);
      channel.ack(message);
    }
    return ids;
  } finally {
    await connection.close();
  }
}

async function count(pattern: string, state: "succeeded" | "running"): Promise<number> {
  let found = 0;
  for await (const { payload } of tasks.each({ type: orders.type, states: [state] }))
    if ((payload as { pattern: string }).pattern === pattern) found++;
  return found;
}

/** Emits so many messages, a few at once. @returns the ids of their tasks */
async function emitMany(pattern: string, many: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < many) {
    const made = Array.from({ length: Math.min(AT_ONCE, many - ids.length) }, (_, at) => ({ at: ids.length + at }));
    const emitted = await Promise.all(made.map((data) => orders.emit(pattern, data)));
    ids.push(...emitted.map(({ task }) => task.id));
  }
  return ids;
}

/** For each id there is a message in the queue, and for no other. */
async function requireEach(expected: readonly string[]): Promise<void> {
  const ids = await inQueue();
  requirePromises([
    ...expected.filter((id) => !ids.includes(id)).map((id) => `lost: the message of task ${id}`),
    ...ids.filter((id) => !expected.includes(id)).map((id) => `nobody emitted ${id}`),
  ]);
}

test("a task is settled when RabbitMQ has confirmed its message, and not before", async () => {
  const { task: first } = await orders.emit("order.held", { at: 1 });
  await eventually(async () => expect(await tasks.get(first.id)).toMatchObject({ state: "succeeded" }));
  await broker.blockPublishers();
  const { task: second } = await orders.emit("order.held", { at: 2 });
  await eventually(async () => expect(await tasks.get(second.id)).toMatchObject({ state: "running", attempt: 1 }));
  // A later task, which publishes nothing, ends meanwhile.
  const { task: later } = await tasks.schedule(orders.type, { none: true }, { delay: 500 });
  await eventually(async () => expect(await tasks.get(later.id)).toMatchObject({ state: "dead" }));
  expect(await tasks.get(second.id)).toMatchObject({ state: "running" });
  await broker.unblockPublishers();
  await eventually(async () => expect(await tasks.get(second.id)).toMatchObject({ state: "succeeded" }));
  expect(await inQueue()).toEqual([first.id, second.id]);
});

test("messages that were sent and not confirmed when the broker is killed arrive, as do those of the outage", async () => {
  const pattern = "order.sent";
  const before = await emitMany(pattern, AT_ONCE);
  await eventually(async () => expect(await count(pattern, "succeeded")).toBe(before.length));
  broker.pause();
  const sent = await emitMany(pattern, AT_ONCE);
  await eventually(async () => expect(await count(pattern, "running")).toBe(sent.length));
  await broker.kill();
  const meanwhile = await emitMany(pattern, AT_ONCE);
  await eventually(async () => {
    const lastErrors = await Promise.all(meanwhile.map(async (id) => (await tasks.get(id))?.lastError));
    expect(lastErrors).toContainEqual(expect.stringContaining("Connection lost"));
  });
  await broker.restart();
  const all = [...before, ...sent, ...meanwhile];
  await eventually(async () => expect(await count(pattern, "succeeded")).toBe(all.length));
  await requireEach(all);
});

test("messages that are emitted while the broker is killed and restarted arrive, each at least once", async () => {
  const pattern = "order.killed";
  const emitting = emitMany(pattern, MANY);
  await eventually(async () => expect(await count(pattern, "succeeded")).toBeGreaterThan(AT_ONCE));
  await broker.kill();
  await broker.restart();
  const all = await emitting;
  await eventually(async () => expect(await count(pattern, "succeeded")).toBe(all.length));
  await requireEach(all);
});
