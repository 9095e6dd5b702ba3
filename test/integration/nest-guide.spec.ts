import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { type INestApplication, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";
import { createStackParser, createTransport, getCurrentScope } from "@sentry/core";
import { nodeStackLineParser, ServerRuntimeClient } from "@sentry/core/server";
import { DelayTaskModule, DelayTaskService, defineTask, type TaskView } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { NEST_GUIDE, PastedGuide } from "../support/app/pasted-guide.js";
import { ScriptedService } from "../support/app/scripted-service.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** `@sentry/node` hands on what `@sentry/core` does, and has 90 MB beside it. */
jest.unstable_mockModule("@sentry/node", () => import("@sentry/core"), { virtual: true });

const CancelOrder = defineTask<{ orderId: string }>("order.cancel");
const SendInvoice = defineTask<{ orderId: string; email: string }>("invoice.send");

interface Orders {
  place(orderId: string): Promise<void>;
}
interface Payments {
  paid(orderId: string): Promise<boolean>;
}
interface CartReminders {
  leave(cartId: string): Promise<readonly Date[]>;
  comeBack(cartId: string): Promise<void>;
}
interface Quotes {
  ask(cents: number[]): Promise<unknown>;
  again(id: string): Promise<unknown>;
}
interface OrderEnd {
  promise(orderId: string): Promise<void>;
  withdraw(orderId: string): Promise<number>;
  texts(): AsyncGenerator<string>;
}
interface ParcelConsumer {
  onDelivered(message: { messageId: string; customerId: string; points: number }): Promise<void>;
}
interface CouponImport {
  run(coupons: { code: string; expiresAt: Date }[]): Promise<{ added: number; known: number; rejected: string[] }>;
}
interface DeadInvoices {
  list(): Promise<TaskView<{ orderId: string; email: string }>[]>;
  mend(id: string, payload: { orderId: string; email: string }): Promise<void>;
  retryAll(): Promise<number>;
}

const guide = new PastedGuide(NEST_GUIDE);
/** Each event of every envelope that was sent to Sentry. */
const sentToSentry: unknown[] = [];
let postgres: OwnPostgres;
let service: ScriptedService;
let app: INestApplication;
let tasks: DelayTaskService;
let dataSource: DataSource;

/** What stands under this name in a block. */
const given: Record<string, Type> = {};
const the = <T>(name: string): T => app.get<T>(given[name]!, { strict: false });

beforeAll(async () => {
  [postgres, service] = await Promise.all([OwnPostgres.start(), ScriptedService.start()]);
  process.env["INVOICES_URL"] = process.env["FIGURES_URL"] = service.url;
  collectForSentry();
  const modules: Type[] = [];
  for (const exported of [
    await guide.load<Record<string, Type>>("src/orders.ts"),
    await guide.load<Record<string, Type>>("src/payments.ts"),
    await guide.load<Record<string, Type>>("src/invoices.ts"),
    await guide.load<Record<string, Type>>("src/loyalty.ts"),
    await guide.load<Record<string, Type>>("src/reports.ts"),
    await guide.load<Record<string, Type>>("src/coupons.ts"),
    await guide.load<Record<string, Type>>("src/dead-invoices.ts"),
    await guide.load<Record<string, Type>>("src/order-history.ts"),
    await guide.load<Record<string, Type>>("src/order-end.ts"),
    await guide.load<Record<string, Type>>("src/quotes.ts"),
    await guide.load<Record<string, Type>>("src/cart-reminders.ts"),
    await guide.load<Record<string, Type>>("src/sentry.ts"),
  ]) {
    Object.assign(given, exported);
    modules.push(...Object.entries(exported).flatMap(([name, value]) => (name.endsWith("Module") ? [value] : [])));
  }
  app = await started(modules);
  tasks = app.get(DelayTaskService);
  dataSource = app.get(DataSource);
});

afterAll(async () => {
  await app?.close();
  await service?.stop();
  await postgres?.stop();
  guide.remove();
});

async function started(modules: Type[]): Promise<INestApplication> {
  @Module({
    imports: [
      TypeOrmModule.forRoot({ type: "postgres", url: postgres.url, autoLoadEntities: true, synchronize: true }),
      ...modules,
      DelayTaskModule.forRootAsync({
        inject: [DataSource],
        useFactory: (given: DataSource) => ({ dataSource: given, heartbeat: "loop" as const }),
      }),
    ],
  })
  class RootModule {}
  const application = await NestFactory.create(RootModule, { logger: false, abortOnError: false });
  await application.listen(0, "127.0.0.1");
  return application;
}

/** A client of Sentry's own, whose transport keeps what it would have sent. */
function collectForSentry(): void {
  const options = {
    dsn: "https://key@sentry.example/1",
    integrations: [],
    stackParser: createStackParser(nodeStackLineParser()),
    transport: (given: Parameters<typeof createTransport>[0]) =>
      createTransport(given, async ({ body }) => {
        const [, , event] = String(body).split("\n");
        sentToSentry.push(JSON.parse(event!));
        return {};
      }),
  };
  const client = new ServerRuntimeClient(options);
  getCurrentScope().setClient(client);
  client.init();
}

const statusOf = async (orderId: string): Promise<string | undefined> => {
  const [order] = await dataSource.query<{ status: string }[]>("SELECT status FROM orders WHERE id = $1", [orderId]);
  return order?.status;
};

const ofOrder = async (key: string): Promise<TaskView> => (await tasks.find(CancelOrder, { key })).items[0]!;

async function whenItIs(id: string, state: TaskView["state"]): Promise<TaskView> {
  return eventually(async () => {
    const task = await tasks.get(id);
    expect(task).toMatchObject({ state });
    return task!;
  });
}

describe("an order that times out", () => {
  test("an order that times out is cancelled if nobody has paid it, 15 minutes after it was placed", async () => {
    await the<Orders>("Orders").place("1");
    const { id, scheduledAt, createdAt } = await ofOrder("1");
    expect(scheduledAt.getTime() - createdAt.getTime()).toBe(15 * 60_000);
    expect(await statusOf("1")).toBe("unpaid");
    await tasks.runNow(id);
    await whenItIs(id, "succeeded");
    expect(await statusOf("1")).toBe("cancelled");
  });

  test("an order that times out is rolled back together with its task", async () => {
    await dataSource.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at the commit'; END $$;
       CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW WHEN (NEW.id = 'refused') EXECUTE FUNCTION refuse()`,
    );
    await expect(the<Orders>("Orders").place("refused")).rejects.toThrow("refused at the commit");
    expect(await statusOf("refused")).toBeUndefined();
    expect(await ofOrder("refused")).toBeUndefined();
  });
});

describe("a payment", () => {
  test("a payment takes the order's deadline out, and the order stays paid", async () => {
    await the<Orders>("Orders").place("2");
    expect(await the<Payments>("Payments").paid("2")).toBe(true);
    expect(await ofOrder("2")).toMatchObject({ state: "cancelled" });
    expect(await statusOf("2")).toBe("paid");
  });

  test("a payment that comes after the cancel gets false, and changes nothing", async () => {
    expect(await the<Payments>("Payments").paid("1")).toBe(false);
    expect(await statusOf("1")).toBe("cancelled");
  });

  test("a payment beside a handler that has started wins if it has the order first", async () => {
    await the<Orders>("Orders").place("3");
    const { id } = await ofOrder("3");
    const locking = dataSource.createQueryRunner();
    await locking.startTransaction();
    await locking.query("SELECT FROM orders WHERE id = '3' FOR UPDATE");
    const payment = the<Payments>("Payments").paid("3");
    await eventually(async () => expect(await waitingForLocks()).toBe(1));
    await tasks.runNow(id);
    await eventually(async () => expect(await waitingForLocks()).toBe(2));
    await locking.commitTransaction();
    await locking.release();
    expect(await payment).toBe(true);
    await eventually(async () => expect((await tasks.get(id))!.finishedAt).not.toBeNull());
    expect(await statusOf("3")).toBe("paid");
  });
});

async function waitingForLocks(): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\"orders\"%'",
  );
  return row!.count;
}

test("every task of an order is cancelled with the order, and no task of another one", async () => {
  const end = the<OrderEnd>("OrderEnd");
  await Promise.all([end.promise("11"), end.promise("12")]);
  expect(await end.withdraw("11")).toBe(3);
  expect((await tasks.findByTag("order:12")).items).toHaveLength(3);
  const texts: string[] = [];
  for await (const text of end.texts()) texts.push(text);
  expect(texts.toSorted()).toEqual(["Last day", "Your cart waits"]);
  expect(await end.withdraw("11")).toBe(0);
});

test("a series of reminders goes on from task to task, until its key is cancelled", async () => {
  const reminders = the<CartReminders>("CartReminders");
  await reminders.leave("c1");
  expect(await reminders.leave("c1")).toHaveLength(2);
  const live = async () => (await tasks.find({ type: "cart.remind", key: "c1", live: true })).items;
  const [first] = await live();
  await tasks.runNow(first!.id);
  await whenItIs(first!.id, "succeeded");
  const [second] = await live();
  expect(second).toMatchObject({ continues: first!.id, later: [expect.any(Date)] });
  expect(the<{ sent: string[] }>("CartMailer").sent).toEqual(["c1"]);
  await reminders.comeBack("c1");
  expect(await live()).toEqual([]);
});

test("a request is answered with what a task returns, and asks again for a task that it knows", async () => {
  const quotes = the<Quotes>("Quotes");
  expect(await quotes.ask([100, 250])).toEqual({ total: 350 });
  const { items } = await tasks.find({ type: "cart.price" });
  expect(await quotes.again(items[0]!.id)).toEqual({ total: 350 });
});

describe("a service that is sometimes away", () => {
  test("a service that is sometimes away says by Retry-After when the next attempt is, and gets the same idempotency key again", async () => {
    const retryAt = new Date("2100-01-01T00:00:30Z");
    service.answer = (_request, response) => response.writeHead(503, { "retry-after": retryAt.toUTCString() }).end();
    const asked = service.requests.length;
    const { task } = await tasks.schedule(SendInvoice, { orderId: "7", email: "ada@example.com" });
    const failed = await eventually(async () => {
      const found = await tasks.get(task.id);
      expect(found).toMatchObject({ attempt: 1, state: "scheduled" });
      return found!;
    });
    expect(failed.dueAt.toISOString()).toMatch(/^2100-01-01T00:00/);
    service.answer = (_request, response) => response.end();
    await tasks.runNow(task.id);
    expect(await whenItIs(task.id, "succeeded")).toMatchObject({ attempt: 2 });
    const keys = service.requests.slice(asked).map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([task.id, task.id]);
  });

  test("a service is asked again after the backoff where it names no time, and after the seconds that it names", async () => {
    const answers = [[500], [503, { "retry-after": "0" }], [200]] as [number, Record<string, string>?][];
    service.answer = (_request, response) => response.writeHead(...answers.shift()!).end();
    const { task } = await tasks.schedule(SendInvoice, { orderId: "8", email: "ada@example.com" });
    await eventually(async () => expect(await tasks.get(task.id)).toMatchObject({ attempt: 1, state: "scheduled" }));
    await tasks.runNow(task.id);
    expect(await whenItIs(task.id, "succeeded")).toMatchObject({ attempt: 3 });
  });
});

test("a message that comes twice, also at the same time, has one effect", async () => {
  const consumer = the<ParcelConsumer>("ParcelConsumer");
  const message = { messageId: "m1", customerId: "ada", points: 10 };
  await Promise.all([consumer.onDelivered(message), consumer.onDelivered(message)]);
  await consumer.onDelivered(message);
  await consumer.onDelivered({ ...message, messageId: "m2", points: 5 });
  const forged = consumer.onDelivered({ ...message, points: 1_000 });
  await expect(forged).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  const { items } = await tasks.find({ type: "loyalty.add" });
  expect(items).toHaveLength(2);
  for (const { id } of items) await tasks.runNow(id);
  for (const { id } of items) await whenItIs(id, "succeeded");
  expect(await dataSource.query("SELECT * FROM loyalty_accounts")).toEqual([{ customerId: "ada", points: 15 }]);
});

test("the time-out of a report breaks off its fetch, and its attempt has failed", async () => {
  const ends: Promise<boolean>[] = [];
  service.answer = ({ url }, response) => {
    if (url === "/2026-10/1") response.end("figures");
    else ends.push(new Promise((resolve) => response.on("close", () => resolve(response.writableEnded))));
  };
  const first = { month: "2026-10", pages: 1 };
  const endless = { month: "2026-10", pages: 2 };
  const { task: done } = await tasks.schedule("report.build", first);
  expect((await whenItIs(done.id, "succeeded")).result).toEqual({ bytes: 7 });
  const { task } = await tasks.schedule("report.build", endless, { timeout: 300, maxAttempts: 1 });
  expect((await whenItIs(task.id, "dead")).lastError).toMatch(/300|time/i);
  expect(await Promise.all(ends)).toEqual([false]);
});

test("5,000 coupons are imported, a second run and one beside it add nothing, and a bad row stops no other", async () => {
  const expiresAt = new Date("2100-01-01T00:00:00Z");
  const coupons = Array.from({ length: 5_000 }, (_, index) => ({ code: `C${index}`, expiresAt }));
  const importer = the<CouponImport>("CouponImport");
  const [one, other] = await Promise.all([importer.run(coupons), importer.run(coupons)]);
  expect([one.added + other.added, one.known + other.known]).toEqual([5_000, 5_000]);
  const bad = { code: "", expiresAt };
  const again = await importer.run([bad, ...coupons]);
  expect(again).toMatchObject({ added: 0, known: 5_000 });
  expect(again.rejected).toEqual([expect.stringMatching(/^row 0: /)]);
  const rows = await dataSource.query<object[]>("SELECT FROM tickwheel.task WHERE key ~ '^C[0-9]+$'");
  expect(rows).toHaveLength(5_000);
  const { task } = await tasks.schedule("coupon.expire", { code: "OLD" });
  expect((await whenItIs(task.id, "succeeded")).result).toBe("OLD has expired");
});

describe("a dead letter", () => {
  test("a dead letter is told to Sentry with its error, type and key, is listed, mended and retried", async () => {
    service.answer = (_request, response) => response.writeHead(422).end();
    const { task } = await tasks.schedule(SendInvoice, { orderId: "9", email: "ada@" }, { key: "9" });
    await whenItIs(task.id, "dead");
    const listed = await the<DeadInvoices>("DeadInvoices").list();
    expect(listed.map(({ id, payload, reason, lastError }) => ({ id, payload, reason, lastError }))).toEqual([
      { id: task.id, payload: task.payload, reason: "NON_RETRYABLE", lastError: expect.stringContaining("422") },
    ]);
    const frames = expect.arrayContaining([expect.objectContaining({ function: "InvoiceSender.handle" })]);
    const told = expect.objectContaining({
      exception: {
        values: [
          expect.objectContaining({
            type: "NonRetryableError",
            value: "The invoice service answered 422.",
            stacktrace: { frames },
          }),
        ],
      },
      tags: { "task.type": "invoice.send", "task.reason": "NON_RETRYABLE" },
      contexts: expect.objectContaining({ task: { id: task.id, key: "9", attempt: 1 } }),
    });
    await eventually(() => expect(sentToSentry.filter((event) => told.asymmetricMatch(event))).toHaveLength(1));
    service.answer = (_request, response) => response.end();
    const mended = { orderId: "9", email: "ada@example.com" };
    await the<DeadInvoices>("DeadInvoices").mend(task.id, mended);
    expect((await whenItIs(task.id, "succeeded")).payload).toEqual(mended);
  });

  test("a live task is no dead letter: mending it is refused and changes nothing", async () => {
    const invoice = { orderId: "13", email: "ada@example.com" };
    const { task } = await tasks.schedule(SendInvoice, invoice, { delay: "1h" });
    const mending = the<DeadInvoices>("DeadInvoices").mend(task.id, { ...invoice, email: "eve@example.com" });
    await expect(mending).rejects.toMatchObject({ code: "TASK_STATE_CONFLICT" });
    expect((await tasks.get(task.id))!.payload).toEqual(invoice);
  });

  test("a dead letter is retried with all others when their cause is gone", async () => {
    service.answer = (_request, response) => response.writeHead(422).end();
    const orderIds = Array.from({ length: 60 }, (_, index) => `late-${index}`); // more than a page
    const made = orderIds.map((orderId) => tasks.schedule(SendInvoice, { orderId, email: "ada@example.com" }));
    const ids = (await Promise.all(made)).map(({ task }) => task.id);
    for (const id of ids) await whenItIs(id, "dead");
    service.answer = (_request, response) => response.end();
    expect(await the<DeadInvoices>("DeadInvoices").retryAll()).toBe(60);
    for (const id of ids) await whenItIs(id, "succeeded");
    expect(await the<DeadInvoices>("DeadInvoices").list()).toEqual([]);
  });
});

test("the course of order 42 is told from its placing to its end", async () => {
  await the<Orders>("Orders").place("42");
  const { id } = await ofOrder("42");
  await tasks.runNow(id);
  await whenItIs(id, "succeeded");
  const response = await fetch(new URL("/orders/42/history", await app.getUrl()));
  expect(await response.json()).toEqual([
    expect.stringMatching(/^20\S+Z order\.cancel is scheduled \(application\)$/),
    expect.stringMatching(/ is scheduled \(RESCHEDULED, application\)$/),
    expect.stringMatching(/ is running \(attempt 1, \S+:\d+\)$/),
    expect.stringMatching(/ is succeeded \(attempt 1, \S+:\d+\)$/),
  ]);
});
