import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Injectable, Module, type Provider, Scope } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type ClientNats, ClientsModule, NatsRecordBuilder, Transport } from "@nestjs/microservices";
import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import {
  DelayedClient,
  delayedClient,
  delayedClientToken,
  DelayedPublish,
  DelayTaskModule,
  DelayTaskService,
  InjectDelayedClient,
} from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { NatsBroker } from "../support/brokers/nats-broker.js";
import { requirePromises } from "../support/broken-promise.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const STREAM = "orders";
/** The client tries to reach a broker that is away after so long. */
const RECONNECT_MS = 25;

let postgres: TestPostgres;
let broker: NatsBroker;
let dataSource: DataSource;
let app: INestApplicationContext;
let orders: DelayedClient;

interface Order {
  id: string;
}

@Injectable()
class OrderService {
  /** What its methods were called for. */
  readonly called: string[] = [];

  constructor(@InjectDelayedClient("ORDERS") readonly orders: DelayedClient) {}

  @DelayedPublish({ client: "ORDERS", pattern: "order.reminded", delay: "1h", key: (order: Order) => order.id })
  async remind(order: Order): Promise<Order & { at: string }> {
    this.called.push(order.id);
    if (order.id === "unknown") throw new Error("no such order");
    return Promise.resolve({ id: order.id, at: "door" });
  }
}

/** The client of NATS, and what publishes by it later. */
function publishing(providers: Provider[]): object[] {
  const options = { servers: [broker.url], reconnectTimeWait: RECONNECT_MS, maxReconnectAttempts: -1 };
  @Module({ imports: [ClientsModule.register([{ name: "ORDERS", transport: Transport.NATS, options }])], providers })
  class OrdersModule {}
  return [OrdersModule];
}

/** Starts an application with these providers beside the client `ORDERS`. */
async function start(providers: Provider[]): Promise<INestApplicationContext> {
  const engine = DelayTaskModule.forRoot({ dataSource, heartbeat: "loop", minBackoffMs: 1 });
  @Module({ imports: [...(publishing(providers) as never[]), engine] })
  class RootModule {}
  return NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
}

beforeAll(async () => {
  [postgres, broker] = await Promise.all([startTestPostgres(), NatsBroker.start()]);
  dataSource = await new DataSource({ type: "postgres", url: postgres.url }).initialize();
  await withNats(async (connection) => {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: STREAM, subjects: ["order.>"], storage: StorageType.File });
  });
  const client = delayedClient("ORDERS", {
    record: ({ id, attempt, key, data }) => {
      const told = headers();
      for (const [name, value] of Object.entries({ id, attempt, key })) told.set(name, String(value));
      return new NatsRecordBuilder(data).setHeaders(told).build();
    },
    maxAttempts: 1_000,
    backoff: { kind: "fixed", delay: 25 },
  });
  app = await start([...client, OrderService]);
  orders = app.get(delayedClientToken("ORDERS"), { strict: false });
});

afterAll(async () => {
  await app?.close();
  await dataSource?.destroy();
  await broker?.stop();
  await postgres?.stop();
});

async function withNats<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: broker.url });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** A message as the broker has stored it. */
interface Stored {
  data: unknown;
  id: string;
  key: string;
  at: Date;
}

/** What was published to a pattern, in its order. */
async function published(pattern: string): Promise<Stored[]> {
  return withNats(async (connection) => {
    const { streams } = await jetstreamManager(connection);
    const { last_seq: last } = (await streams.info(STREAM)).state;
    const found: Stored[] = [];
    for (let seq = 1; seq <= last; seq++) {
      const message = (await streams.getMessage(STREAM, { seq }))!;
      const { data } = message.json<{ data: unknown }>();
      const id = message.header.get("id");
      const key = message.header.get("key");
      if (message.subject === pattern) found.push({ data, id, key, at: message.time });
    }
    return found;
  });
}

/** Waits until something that was emitted after all else so far, and is due in so many milliseconds, is published. */
async function after(delay: number): Promise<void> {
  const { task } = await orders.emit("order.marked", { after: delay }, { delay });
  await eventually(async () => expect((await published("order.marked")).map(({ id }) => id)).toContain(task.id));
}

test("the client that is injected for a broker is the one of its token", () => {
  expect(app.get(OrderService, { strict: false }).orders).toBe(orders);
  expect(orders.type).toBe("publish.ORDERS");
});

test("a message that is emitted for later arrives not before its time, and once", async () => {
  const { outcome, task } = await orders.emit("order.expired", { id: "1" }, { delay: 300, key: "1", tags: ["shop:7"] });
  expect([outcome, task.type, task.key]).toEqual(["created", "publish.ORDERS", "order.expired:1"]);
  await eventually(async () => expect(await orders.get("order.expired", "1")).toMatchObject({ state: "succeeded" }));
  await after(0);
  const all = await published("order.expired");
  expect(all).toMatchObject([{ data: { id: "1" }, id: task.id, key: "1" }]);
  requirePromises(all.flatMap(({ at }) => (at < task.scheduledAt ? [`early: ${at.toISOString()}`] : [])));
});

test("a key has a message of each pattern, and the message that is cancelled is never published", async () => {
  const byObject = { event: "kept", version: 1 };
  const later = { delay: "1h", key: "2" } as const;
  await orders.emit("order.cancelled", { id: "2" }, later);
  const { task } = await orders.emit("order.left", { id: "2" }, later);
  await expect(orders.emit("order.left", { id: "2" }, later)).rejects.toMatchObject({ code: "TASK_KEY_CONFLICT" });
  await orders.emit(byObject, { id: "2" }, later);
  expect(await orders.cancel("order.cancelled", "2")).toMatchObject({ outcome: "cancelled" });
  expect(await orders.cancel("order.cancelled", "2")).toMatchObject({ outcome: "not_found" });
  expect(await orders.cancel({ version: 1, event: "kept" }, "2")).toMatchObject({ outcome: "cancelled" });
  await app.get(DelayTaskService).runNow(task.id);
  await eventually(async () => expect(await published("order.left")).toHaveLength(1));
  expect(await published("order.cancelled")).toEqual([]);
  expect(await orders.get("order.cancelled", "2")).toMatchObject({ state: "cancelled" });
  expect(await orders.get("order.cancelled", "none")).toBeNull();
});

test("messages that are cancelled shortly before they are due are never published", async () => {
  const keys = Array.from({ length: 10 }, (_, at) => `soon-${at}`);
  await Promise.all(keys.map((key) => orders.emit("order.soon", { key }, { delay: 300, key })));
  const cancelled = await Promise.all(
    keys.map(async (key) => ((await orders.cancel("order.soon", key)).outcome === "cancelled" ? [key] : [])),
  );
  await after(500);
  const all = (await published("order.soon")).map(({ key }) => key);
  requirePromises(cancelled.flat().flatMap((key) => (all.includes(key) ? [`published after its cancel: ${key}`] : [])));
});

test("a message that is emitted in a transaction that rolls back is never published, one of a transaction that commits is", async () => {
  const rolledBack = dataSource.transaction(async (manager) => {
    await orders.emit("order.undone", { id: "3" }, { key: "3", manager });
    expect(await orders.get("order.undone", "3", { manager })).toMatchObject({ state: "scheduled" });
    throw new Error("changed my mind");
  });
  await expect(rolledBack).rejects.toThrow("changed my mind");
  await dataSource.transaction((manager) => orders.emit("order.done", { id: "3" }, { manager }));
  await after(100);
  requirePromises((await published("order.undone")).map(({ id }) => `published and rolled back: ${id}`));
  await eventually(async () =>
    expect(await published("order.done")).toMatchObject([{ data: { id: "3" }, key: "null" }]),
  );
});

test("the value that a decorated method returns is published later, and can be cancelled; its caller gets it", async () => {
  const service = app.get(OrderService, { strict: false });
  expect(await service.remind({ id: "4" })).toEqual({ id: "4", at: "door" });
  await service.remind({ id: "5" });
  expect(await orders.cancel("order.reminded", "5")).toMatchObject({ outcome: "cancelled" });
  await expect(service.remind({ id: "unknown" })).rejects.toThrow("no such order");
  await expect(service.remind({} as Order)).rejects.toThrow(
    /^OrderService\.remind has ended, and its message is not published: key must be a string of 1 to 241 characters/,
  );
  const { id } = (await orders.get("order.reminded", "4"))!;
  await app.get(DelayTaskService).runNow(id);
  await eventually(async () => expect(await orders.get("order.reminded", "4")).toMatchObject({ state: "succeeded" }));
  expect(await published("order.reminded")).toMatchObject([{ data: { id: "4", at: "door" }, key: "4" }]);
  expect(service.called).toEqual(["4", "5", "unknown", undefined]);
});

test("bad input of a message for later names every fault, and nothing is written", async () => {
  const given = { key: "", delay: "soon", priority: 12 } as never;
  const faults = ["pattern.at", "key", "data.n", "delay", "priority"].map((path) => expect.objectContaining({ path }));
  await expect(orders.emit({ at: new Date(0) }, { n: new Map() } as never, given)).rejects.toMatchObject({
    code: "VALIDATION_FAILED",
    faults: expect.arrayContaining(faults),
  });
  await expect(orders.emit("order.none", null as never)).rejects.toMatchObject({ faults: [{ path: "data" }] });
  await expect(orders.cancel("", undefined as never)).rejects.toMatchObject({
    faults: [{ path: "pattern" }, { path: "key" }],
  });
  const { items } = await app.get(DelayTaskService).find({ type: orders.type, states: ["scheduled"] });
  expect(items).toEqual([]);
});

test("a task of a publishing type that holds no message is dead at once, and says why", async () => {
  const tasks = app.get(DelayTaskService);
  const { task } = await tasks.schedule(orders.type, { subject: "order.expired" });
  const lastError = expect.stringContaining("The payload is no message { pattern, data }: pattern must be a text");
  await eventually(async () => expect(await tasks.get(task.id)).toMatchObject({ state: "dead", lastError }));
});

test("messages that are due while the broker is away are published when it is back, each with its task's id", async () => {
  const client = app.get<ClientNats>("ORDERS", { strict: false });
  let status = "";
  client.status.subscribe((told) => (status = told));
  await broker.kill();
  await eventually(() => expect(status).toMatch(/disconnected|reconnecting/));
  const emitted = await Promise.all(
    Array.from({ length: 20 }, (_, at) => orders.emit("order.delayed", { at }, { key: String(at) })),
  );
  await eventually(async () => {
    const lastError = expect.stringContaining("Connection lost");
    expect(await orders.get("order.delayed", "19")).toMatchObject({ state: "scheduled", lastError });
  });
  await broker.restart();
  await eventually(async () => {
    const { items } = await app.get(DelayTaskService).find({ type: orders.type, states: ["scheduled", "running"] });
    expect(items).toEqual([]);
  });
  const ids = (await published("order.delayed")).map(({ id }) => id);
  requirePromises(emitted.flatMap(({ task }) => (ids.includes(task.id) ? [] : [`lost: ${task.id}`])));
});

describe("a start", () => {
  test("a start with delayed publishing names every method whose client is missing, and every client that is none", async () => {
    @Injectable()
    class Unheard {
      @DelayedPublish({ client: "NOBODY", pattern: "order.lost" })
      async tell(): Promise<number> {
        return Promise.resolve(1);
      }
    }
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      @DelayedPublish({ client: "ORDERS", pattern: { at: new Date(0) } })
      async tell(): Promise<number> {
        return Promise.resolve(1);
      }
    }
    const providers = [Unheard, Scoped, ...delayedClient("STOCK"), ...delayedClient("TEXT"), textClient];
    const failed = start([...delayedClient("ORDERS"), ...providers]).then(
      () => "started",
      ({ message }: Error) => message,
    );
    expect((await failed).split("; ").toSorted()).toEqual(
      [
        'Unheard.tell publishes by the client NOBODY, and no module provides it: add ...delayedClient("NOBODY") to the providers of a module',
        "Scoped.tell: its pattern.at must be JSON: it is an object of Date",
        "Scoped.tell has @DelayedPublish, and its class is request-scoped: it must be a singleton",
        "delayedClient(STOCK) is in a module that has no client STOCK: import ClientsModule.register([{ name, … }]) there",
        "delayedClient(TEXT): what is registered as TEXT has no method emit(pattern, data).",
      ].toSorted(),
    );
  });

  test("a client of delayed publishing refuses a type that is none, with the client's name", () => {
    expect(() => delayedClient("ORDERS OF TODAY")).toThrow(
      'delayedClient(ORDERS OF TODAY): its type "publish.ORDERS OF TODAY" is not 1 to 128 of A-Z a-z 0-9 . _ : -; give { type }.',
    );
  });
});

const textClient: Provider = { provide: "TEXT", useValue: "no client" };
