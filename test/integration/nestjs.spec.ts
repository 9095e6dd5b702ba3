import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Inject, Injectable, Module, type OnModuleDestroy, Scope } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { SchedulerRegistry } from "@nestjs/schedule";
import {
  type Duration,
  type DelayTask,
  type DelayTaskAround,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskService,
  defineTask,
  NonRetryableError,
  OnDelayTaskEvent,
  type TaskDeadEvent,
  type TaskView,
  TICKWHEEL_SCHEDULER_REGISTRY,
} from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import type { INestApplicationContext, LoggerService, Type } from "@nestjs/common";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const Greet = defineTask<{ name: string }>("greet", { maxAttempts: 2, startDeadline: "1h" });

let postgres: TestPostgres;
let dataSource: DataSource;
let app: INestApplicationContext | null = null;
let databases = 0;

/** The actions of handlers, in order. */
let heard: string[] = [];
let finishHanging: () => void = () => undefined;

@Injectable()
class Client implements OnModuleDestroy {
  open = true;
  onModuleDestroy(): void {
    this.open = false;
    heard.push("client closed");
  }
}

@DelayTaskHandler(Greet)
class Greeter {
  constructor(@Inject(Client) private readonly client: Client) {}

  handle(task: DelayTask<{ name: string }>): string {
    heard.push(`hello ${task.payload.name}, client ${this.client.open ? "open" : "closed"}`);
    return `greeted ${task.payload.name}`;
  }

  @DelayTaskHandler("pay", { startDeadline: "2h" })
  async pay(task: DelayTask<{ amount: number }>, ctx: DelayTaskContext): Promise<void> {
    await ctx.transaction(async (manager) => {
      await manager.query("INSERT INTO payments VALUES ($1, $2)", [task.id, task.payload.amount]);
    });
  }

  @DelayTaskHandler("hang")
  async hang(): Promise<void> {
    heard.push("hanging");
    await new Promise<void>((resolve) => (finishHanging = resolve));
    heard.push(`hung up, client ${this.client.open ? "open" : "closed"}`);
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
});

afterAll(async () => {
  await postgres.stop();
});

beforeEach(async () => {
  heard = [];
  const url = await postgres.createDatabase(`nestjs_${databases++}`);
  dataSource = await new DataSource({ type: "postgres", url }).initialize();
  await dataSource.query("CREATE TABLE payments (task uuid, amount int)");
});

afterEach(async () => {
  await app?.close();
  app = null;
  await dataSource.destroy();
});

async function start(
  providers: Type[],
  options: DelayTaskModuleOptions = {},
  logger: LoggerService | false = false,
): Promise<DelayTaskService> {
  @Module({ providers })
  class FeatureModule {}
  @Module({ imports: [FeatureModule, DelayTaskModule.forRoot({ dataSource, heartbeat: "loop", ...options })] })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger, abortOnError: false });
  return app.get(DelayTaskService);
}

async function whenIts<T>(look: () => Promise<T> | T, expected: (value: T) => boolean): Promise<T> {
  return eventually(async () => {
    const value = await look();
    if (expected(value)) return value;
    throw new Error(`still ${JSON.stringify(value)}`);
  });
}

/** How long after its scheduled time a task may start; null: without a limit. */
function hoursToStart({ scheduledAt, startDeadlineAt }: TaskView): number | null {
  return startDeadlineAt === null ? null : (startDeadlineAt.getTime() - scheduledAt.getTime()) / 3_600_000;
}

class NoLuck extends Error {
  readonly luck = 0;
}

@Injectable()
class Watcher {
  readonly deaths: TaskDeadEvent[] = [];

  @DelayTaskHandler("unlucky", { maxAttempts: 1 })
  fail(): never {
    throw new NoLuck("no luck");
  }

  @OnDelayTaskEvent("task.dead")
  onDead(event: TaskDeadEvent): void {
    this.deaths.push(event);
  }
}

describe("DelayTaskModule", () => {
  test("DelayTaskModule tells a listener of a dead task its key and the error itself, and keeps the error's text", async () => {
    const tasks = await start([Watcher]);
    const { task } = await tasks.schedule("unlucky", null, { key: "42" });
    const { deaths } = app!.get(Watcher, { strict: false });
    await eventually(() => expect(deaths).toHaveLength(1));
    const [{ facts, error, errorText }] = deaths as [TaskDeadEvent];
    expect(facts).toMatchObject({ id: task.id, type: "unlucky", key: "42", attempt: 1, reason: "ATTEMPTS" });
    expect(error).toBeInstanceOf(NoLuck);
    expect(errorText).toMatch(/^Error: no luck/);
    expect((await tasks.get(task.id))?.lastError).toBe(errorText);
  });

  test("DelayTaskModule runs functions around every handler; one that throws is a failed attempt", async () => {
    const around: DelayTaskAround[] = [
      async ({ type }, _ctx, next) => {
        heard.push(`before ${type}`);
        const result = await next();
        heard.push("after");
        return `${String(result)}, traced`;
      },
      ({ payload }, _ctx, next) => {
        if ((payload as { name: string }).name === "nobody") throw new NonRetryableError("no tenant");
        return next();
      },
    ];
    const tasks = await start([Client, Greeter], { around });
    const { task } = await tasks.schedule(Greet, { name: "Ada" });
    const done = await whenIts(
      () => tasks.get(task.id),
      (found) => found?.state === "succeeded",
    );
    expect(done?.result).toBe("greeted Ada, traced");
    expect(heard).toEqual(["before greet", "hello Ada, client open", "after"]);
    const refused = await tasks.schedule(Greet, { name: "nobody" });
    const dead = await whenIts(
      () => tasks.get(refused.task.id),
      (found) => found?.state === "dead",
    );
    expect(dead).toMatchObject({ reason: "NON_RETRYABLE", attempt: 1 });
  });

  test("DelayTaskModule says in a line each what its start found, what its stop waits for, and that it is over", async () => {
    const lines: string[] = [];
    const write = (line: unknown): void => void lines.push(String(line));
    const tasks = await start([Client, Greeter], {}, { log: write, warn: write, error: write });
    await tasks.schedule("hang", null);
    await whenIts(() => heard.includes("hanging"), Boolean);
    const closing = app!.close();
    app = null;
    await whenIts(() => lines.some((line) => line.startsWith("Stopping")), Boolean);
    finishHanging();
    await closing;
    const told = lines.filter((line) => /\[node\./.test(line)).map((line) => line.replaceAll(/\d+/g, "N"));
    expect(told).toEqual([
      'Ready after N ms: this node runs greet, pay, hang, at most N at once; it coordinates through Postgres; schema "tickwheel", at most N connections to Postgres [node.start.ready]',
      "Stopping: the node claims no more, and waits at most N ms for N running (hang) [node.stop.draining]",
      "Stopped after N ms [node.stop.done]",
    ]);
  });

  test("a handler found by discovery runs a task that a service scheduled, with its payload and result", async () => {
    const tasks = await start([Client, Greeter]);
    const { outcome, task } = await tasks.schedule(Greet, { name: "Ada" }, { delay: 50 });
    expect(outcome).toBe("created");
    expect(task).toMatchObject({ type: "greet", state: "scheduled", maxAttempts: 2 });
    expect(hoursToStart(task)).toBe(1);
    const { task: payment } = await tasks.schedule("pay", { amount: 1 }, { delay: "1d" });
    const { task: patient } = await tasks.schedule("hang", {}, { delay: "1d" });
    expect([hoursToStart(payment), hoursToStart(patient)]).toEqual([2, null]);
    const done = await whenIts(
      () => tasks.get(task.id),
      (found) => found?.state === "succeeded",
    );
    expect(done).toMatchObject({ result: "greeted Ada", attempt: 1 });
    expect(heard).toEqual(["hello Ada, client open"]);
  });

  test("a task scheduled in a transaction that rolls back never existed; one that commits runs", async () => {
    const tasks = await start([Client, Greeter]);
    const rolledBack = dataSource.transaction(async (manager) => {
      await tasks.schedule(Greet, { name: "nobody" }, { manager });
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    await dataSource.transaction((manager) => tasks.schedule(Greet, { name: "Grace" }, { manager }));
    await whenIts(
      () => heard,
      (lines) => lines.length > 0,
    );
    expect((await tasks.find()).items.map((item) => item.payload)).toEqual([{ name: "Grace" }]);
    expect(heard).toEqual(["hello Grace, client open"]);
  });

  test("a cancel in a transaction that rolls back changes nothing; one that commits ends the task", async () => {
    const tasks = await start([Client, Greeter]);
    const { task } = await tasks.schedule(Greet, { name: "later" }, { delay: "1h", key: "k" });
    const rolledBack = dataSource.transaction(async (manager) => {
      await tasks.cancelByKey(Greet, "k", { manager });
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    expect(await tasks.get(task.id)).toMatchObject({ state: "scheduled" });
    const cancelled = await dataSource.transaction((manager) => tasks.cancelByKey(Greet, "k", { manager }));
    expect(cancelled).toMatchObject({ outcome: "cancelled", task: { id: task.id } });
    expect(await tasks.get(task.id)).toMatchObject({ state: "cancelled", reason: "REQUESTED" });
  });

  test("reads in a transaction see a retry in it, and a retry that rolls back leaves the task ended", async () => {
    const tasks = await start([Client, Greeter]);
    const { task } = await tasks.schedule(Greet, { name: "later" }, { delay: "1h" });
    await tasks.cancel(task.id);
    const rolledBack = dataSource.transaction(async (manager) => {
      await tasks.retry(task.id, { manager });
      expect(await tasks.get(task.id, { manager })).toMatchObject({ state: "scheduled" });
      expect((await tasks.find({ states: ["scheduled"] }, { manager })).items.map(({ id }) => id)).toEqual([task.id]);
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    expect(await tasks.get(task.id)).toMatchObject({ state: "cancelled" });
    expect((await tasks.find({ states: ["scheduled"] })).items).toEqual([]);
  });

  test("ctx.transaction commits the effect and the completion together", async () => {
    const tasks = await start([Client, Greeter]);
    const { task } = await tasks.schedule("pay", { amount: 7 });
    await whenIts(
      () => tasks.get(task.id),
      (found) => found?.state === "succeeded",
    );
    expect(await dataSource.query("SELECT amount FROM payments")).toEqual([{ amount: 7 }]);
  });

  test("a closing application waits for its handlers before the clients of other modules close", async () => {
    const tasks = await start([Client, Greeter]);
    const { task } = await tasks.schedule("hang", {});
    await whenIts(
      () => heard,
      (lines) => lines.includes("hanging"),
    );
    const closing = app!.close();
    app = null;
    await whenIts(() => tasks.get(task.id).then(() => true), Boolean);
    finishHanging();
    await closing;
    expect(heard).toEqual(["hanging", "hung up, client open", "client closed"]);
    const [row] = await dataSource.query("SELECT count(*)::int AS left FROM tickwheel.task WHERE state = 1");
    expect(row).toEqual({ left: 0 });
  });

  test("two handlers of one type stop the start with a message", async () => {
    @DelayTaskHandler("greet")
    class Other {
      handle(): void {}
    }
    await expect(start([Client, Greeter, Other])).rejects.toThrow(/two handlers for the type "greet"/);
  });

  test("a module that is imported twice stops the start with a message, and opens nothing", async () => {
    @Module({ imports: [DelayTaskModule.forRoot({ dataSource, schema: "second" })] })
    class FeatureModule {}
    @Module({ imports: [FeatureModule, DelayTaskModule.forRoot({ dataSource })] })
    class RootModule {}
    const started = NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
    await expect(started).rejects.toThrow(/imported twice/);
    const tables = await dataSource.query("SELECT FROM pg_tables WHERE schemaname IN ('tickwheel', 'second')");
    expect(tables).toEqual([]);
  });

  test("a request-scoped handler stops the start with a message", async () => {
    @Injectable({ scope: Scope.REQUEST })
    @DelayTaskHandler("scoped")
    class Scoped {
      handle(): void {}
    }
    await expect(start([Scoped])).rejects.toThrow(/request-scoped/);
  });

  test("bad input names every fault, and nothing is written", async () => {
    const tasks = await start([Client, Greeter]);
    const deliver = { kind: "webhook", url: "https://a.example/", headers: { "x-a": "a\nb" } } as const;
    await expect(tasks.schedule("hook", {}, { deliver })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path: "deliver.headers" }],
    });
    await expect(
      tasks.schedule("bad type", {}, { delay: "soon" as string as Duration, priority: 12 }),
    ).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: expect.arrayContaining(["type", "delay", "priority"].map((path) => expect.objectContaining({ path }))),
    });
    expect((await tasks.find()).items).toEqual([]);
  });

  test("without the engine an application only writes tasks: it joins no cluster and runs nothing", async () => {
    const tasks = await start([], { engine: false });
    const { task } = await tasks.schedule(Greet, { name: "later" });
    expect(await tasks.get(task.id)).toMatchObject({ state: "scheduled", waitingFor: "HANDLER" });
    expect(await dataSource.query("SELECT * FROM tickwheel.node")).toEqual([]);
  });

  test("ctx.transaction without the application's DataSource is a typed error", async () => {
    let code = "";
    @DelayTaskHandler("alone")
    class Alone {
      async handle(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
        await ctx.transaction(() => Promise.resolve()).catch((error: { code: string }) => void (code = error.code));
      }
    }
    const tasks = await start([Alone], { dataSource: undefined, url: postgres.url });
    await tasks.schedule("alone", {});
    await whenIts(
      () => code,
      (value) => value !== "",
    );
    expect(code).toBe("TRANSACTION_UNAVAILABLE");
  });

  test("a manager without the application's DataSource is a typed error, and nothing is written", async () => {
    const tasks = await start([], { dataSource: undefined, url: postgres.url });
    await dataSource.transaction(async (manager) => {
      const refused = { code: "TRANSACTION_UNAVAILABLE" };
      await expect(tasks.schedule(Greet, { name: "Ada" }, { manager })).rejects.toMatchObject(refused);
      const items = [{ task: Greet, payload: { name: "Ada" } }];
      await expect(tasks.scheduleMany(items, { manager })).rejects.toMatchObject(refused);
      await expect(tasks.cancelByKey(Greet, "k", { manager })).rejects.toMatchObject(refused);
    });
    expect((await tasks.find({ type: "greet" })).items).toEqual([]);
  });

  test("the full sweep's loop is listed in a registry of DelayTaskModule's own", async () => {
    await start([Client, Greeter]);
    const registry = app!.get<SchedulerRegistry>(TICKWHEEL_SCHEDULER_REGISTRY, { strict: false });
    expect(registry.getIntervals()).toEqual(["tickwheel.full-sweep"]);
    expect(() => app!.get(SchedulerRegistry, { strict: false })).toThrow(/could not find SchedulerRegistry/);
  });

  test("the application's migrations do not see Tickwheel's tables", async () => {
    await start([Client, Greeter]);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).toEqual([]);
  });
});
