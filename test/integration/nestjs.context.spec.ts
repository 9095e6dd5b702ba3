import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskNode,
  DelayTaskService,
  OnDelayTaskEvent,
} from "@tickwheel/nestjs";
import { DataSource, type EntityManager } from "typeorm";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/**
 * What a "request" keeps in its context, as transaction libraries do: its number, and the manager of its open
 * transaction.
 */
interface Request {
  number: number;
  manager?: EntityManager;
}
const requests = new AsyncLocalStorage<Request>();

interface Seen {
  id: string;
  attempt: number;
  store: Request | undefined;
}
let seen: Seen[] = [];
let heard: (Request | undefined)[] = [];
let aborted: (Request | undefined)[] = [];
let started: string[] = [];
let postgres: TestPostgres;
let dataSource: DataSource;
let app: INestApplicationContext | null = null;
let databases = 0;
/** The service, for handlers that schedule. */
let tasks: DelayTaskService;

function note({ id, attempt }: DelayTask): void {
  seen.push({ id, attempt, store: requests.getStore() });
}

class Handlers {
  @DelayTaskHandler("look", { maxAttempts: 2, backoff: { kind: "fixed", delay: 50 } })
  look(task: DelayTask<{ fails: boolean }>): void {
    note(task);
    // No other handler may see what one handler has stored.
    requests.enterWith({ number: -1 });
    if (task.payload.fails && task.attempt === 1) throw new Error("once more");
  }

  @DelayTaskHandler("nest")
  async nest(task: DelayTask<{ depth: number }>): Promise<void> {
    note(task);
    const depth = task.payload.depth - 1;
    if (depth < 0) return;
    await requests.run({ number: 1_000 + depth }, () => tasks.schedule("nest", { depth }, { delay: 30 }));
  }

  @DelayTaskHandler("write")
  async write(task: DelayTask): Promise<void> {
    note(task);
    // Like a repository that looks for a transaction in its context.
    const manager = requests.getStore()?.manager ?? dataSource.manager;
    await manager.query("INSERT INTO effects VALUES ($1)", [task.id]);
  }

  @DelayTaskHandler("wait")
  async wait(task: DelayTask, { signal }: DelayTaskContext): Promise<void> {
    started.push(task.id);
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => {
        aborted.push(requests.getStore());
        resolve();
      }),
    );
    signal.throwIfAborted();
  }

  @OnDelayTaskEvent("cluster.node.joined")
  joined(): void {
    heard.push(requests.getStore());
    requests.enterWith({ number: -2 });
  }

  @OnDelayTaskEvent("cluster.leader.elected")
  elected(): void {
    heard.push(requests.getStore());
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  [seen, heard, aborted, started] = [[], [], [], []];
  const url = await postgres.createDatabase(`context_${databases++}`);
  dataSource = await new DataSource({ type: "postgres", url, extra: { max: 30 } }).initialize();
  await dataSource.query("CREATE TABLE effects (task uuid)");
  @Module({
    providers: [Handlers],
    imports: [DelayTaskModule.forRoot({ dataSource, heartbeat: "loop", autoStart: false })],
  })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  tasks = app.get(DelayTaskService);
  // The node's loops must not run in the context of the code that starts it.
  await requests.run({ number: -3 }, () => app!.get(DelayTaskNode).start());
});
afterEach(async () => {
  await app?.close();
  await dataSource.destroy();
});

/** `count` concurrent requests, each in its own context. */
function concurrently<T>(count: number, request: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => requests.run({ number }, () => request(number))));
}

function strangers(): Seen[] {
  return seen.filter(({ store }) => store !== undefined);
}

describe("the context of a handler", () => {
  test("a handler's context is never a caller's: for tasks of a hundred requests, first attempts, retries, a caller's transaction", async () => {
    await concurrently(100, async (number) => {
      const delay = (number * 37) % 3_000;
      const payload = { fails: number % 5 === 0 };
      if (number % 4 !== 0) await tasks.schedule("look", payload, { delay });
      else await dataSource.transaction((manager) => tasks.schedule("look", payload, { delay, manager }));
      // The caller must still be in its own context.
      expect(requests.getStore()).toEqual({ number });
    });
    await eventually(() => expect(seen).toHaveLength(120));
    expect(seen.filter(({ attempt }) => attempt === 2)).toHaveLength(20);
    expect(strangers()).toEqual([]);
  });

  test("a handler's context is never another handler's: checked for tasks that handlers schedule in contexts that they enter", async () => {
    await concurrently(10, () => tasks.schedule("nest", { depth: 3 }, { delay: 10 }));
    await eventually(() => expect(seen).toHaveLength(40));
    expect(strangers()).toEqual([]);
  });

  test("a handler's context holds no other caller's transaction: an effect is not lost when that is rolled back", async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    const ids = await requests.run({ number: 1, manager: runner.manager }, async () => {
      const scheduled = await Promise.all(
        Array.from({ length: 10 }, (_, place) => tasks.schedule("write", {}, { delay: 50 + place * 20 })),
      );
      return scheduled.map(({ task }) => task.id);
    });
    await eventually(() => expect(seen).toHaveLength(10));
    await eventually(async () => {
      const states = await Promise.all(ids.map(async (id) => (await tasks.get(id))?.state));
      expect(states).toEqual(ids.map(() => "succeeded"));
    });
    await runner.rollbackTransaction();
    await runner.release();
    const effects = (await dataSource.query("SELECT task FROM effects")) as { task: string }[];
    expect(effects.map(({ task }) => task).sort()).toEqual([...ids].sort());
  });

  test("a handler's context stays its own when its signal aborts, no matter who requested the cancel", async () => {
    const { task } = await requests.run({ number: 1 }, () => tasks.schedule("wait", {}));
    await eventually(() => expect(started).toEqual([task.id]));
    await requests.run({ number: 2 }, () => tasks.cancel(task.id));
    await eventually(() => expect(aborted).toEqual([undefined]));
  });

  test("a handler's context is not visible to listeners, and no listener sees the context of another", async () => {
    await eventually(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([undefined, undefined]);
  });
});
