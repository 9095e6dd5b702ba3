import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type DelayedClient, delayedClientToken, DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { connect, type GetMessage } from "amqplib";
import { RabbitmqBroker } from "../support/brokers/rabbitmq-broker.js";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface Given {
  OrdersModule: Type;
  OrderService: Type<{
    place(order: object): Promise<void>;
    pay(order: object): Promise<void>;
    remind(order: object): Promise<object>;
  }>;
}

const guide = new PastedGuide("docs/guides/delayed-publishing.md");
let postgres: TestPostgres;
let broker: RabbitmqBroker;
let app: INestApplicationContext;
let given: Given;

beforeAll(async () => {
  [postgres, broker] = await Promise.all([startTestPostgres(), RabbitmqBroker.start()]);
  process.env["RABBITMQ_URL"] = broker.url;
  given = await guide.load<Given>("src/orders.ts");
  const imports = [given.OrdersModule, DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop" })];
  @Module({ imports })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
});

afterAll(async () => {
  delete process.env["RABBITMQ_URL"];
  await app?.close();
  await broker?.stop();
  await postgres?.stop();
  guide.remove();
});

async function taken(): Promise<GetMessage | false> {
  const connection = await connect(broker.url);
  try {
    const channel = await connection.createChannel();
    return await channel.get("orders", { noAck: true });
  } finally {
    await connection.close();
  }
}

test("the blocks of the guide to delayed publishing compile", async () => {
  expect(await guide.compile()).toBe("");
});

test("an order that is placed expires and is reminded by RabbitMQ, one that is paid does not expire", async () => {
  const service = app.get(given.OrderService, { strict: false });
  const client = app.get<DelayedClient>(delayedClientToken("ORDERS"), { strict: false });
  const tasks = app.get(DelayTaskService);
  await service.place({ id: "42" });
  await service.place({ id: "43" });
  await service.pay({ id: "43" });
  expect(await service.remind({ id: "42" })).toEqual({ id: "42" });
  expect(await client.get("order.expired", "43")).toMatchObject({ state: "cancelled" });
  for (const [pattern, seconds] of [
    ["order.expired", 15 * 60],
    ["order.reminded", 24 * 3_600],
  ] as const) {
    const { id, scheduledAt, createdAt, maxAttempts, payload, key } = (await client.get(pattern, "42"))!;
    expect([scheduledAt.getTime() - createdAt.getTime(), maxAttempts]).toEqual([seconds * 1_000, 1_000]);
    expect([payload, key]).toEqual([{ pattern, data: { id: "42" } }, `${pattern}:42`]);
    await tasks.runNow(id);
    await eventually(async () => expect(await tasks.get(id)).toMatchObject({ state: "succeeded" }));
    const message = (await taken()) as GetMessage;
    expect(JSON.parse(message.content.toString())).toEqual({ pattern, data: { id: "42" } });
    expect(message.properties).toMatchObject({ messageId: id, deliveryMode: 2 });
  }
  expect(await taken()).toBe(false);
});
