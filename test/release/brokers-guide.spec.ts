import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplicationContext } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { DelayTaskModule, type DelayTaskModuleOptions, DelayTaskService } from "@tickwheel/nestjs";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { NatsBroker } from "../support/brokers/nats-broker.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface Orders {
  placed(tasks: DelayTaskService, orderId: string): Promise<void>;
  paid(tasks: DelayTaskService, orderId: string): Promise<void>;
}

const guide = new PastedGuide("docs/guides/brokers.md");
let postgres: TestPostgres;
let broker: NatsBroker;
let app: INestApplicationContext;

beforeAll(async () => {
  [postgres, broker] = await Promise.all([startTestPostgres(), NatsBroker.start()]);
  process.env["NATS_URL"] = broker.url;
  const { brokers } = await guide.load<Pick<DelayTaskModuleOptions, "brokers">>("src/brokers.ts");
  const shop = DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop", brokers });
  app = await NestFactory.createApplicationContext(shop, { logger: false, abortOnError: false });
});
afterAll(async () => {
  await app?.close();
  await broker?.stop();
  await postgres?.stop();
  guide.remove();
});

test("the blocks of the guide to brokers compile", async () => {
  expect(await guide.compile()).toBe("");
});

test("an order that is not paid is published, one that is paid is not", async () => {
  const connection = await connect({ servers: broker.url });
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name: "orders", subjects: ["orders.*"] });
  const tasks = app.get(DelayTaskService, { strict: false });
  const { placed, paid } = await guide.load<Orders>("src/orders.ts");
  await Promise.all(["41", "42"].map((orderId) => placed(tasks, orderId)));
  await paid(tasks, "42");
  const { items } = await tasks.find({ type: "order.expired", live: true });
  expect(items.map(({ key, deliver }) => [key, deliver])).toEqual([["41", { kind: "nats", to: "shop" }]]);
  await tasks.runNow(items[0]!.id);
  await eventually(async () => {
    const { state, result } = (await tasks.get(items[0]!.id))!;
    expect([state, result]).toEqual(["succeeded", { stream: "orders", seq: 1, duplicate: false }]);
  });
  const stored = await streams.getMessage("orders", { last_by_subj: "orders.expired" });
  expect([stored?.string(), stored?.header.get("Nats-Msg-Id")]).toEqual(['{"orderId":"41"}', items[0]!.id]);
  await connection.close();
});
