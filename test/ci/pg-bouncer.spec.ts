import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { freePort, type PostgresService, startPostgres } from "@tickwheel/local-services";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskService,
  type TaskView,
} from "@tickwheel/nestjs";
import { migrate, MIGRATIONS } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { DataSource } from "typeorm";
import { eventually } from "../support/eventually.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { PgBouncer } from "../support/servers/pg-bouncer.js";

const KEY = "a-key-of-the-test-0123456789-0123456789-0123456789";

let postgres: PostgresService;
let bouncer: PgBouncer;
let dataSource: DataSource;
let app: INestApplicationContext;
let tasks: DelayTaskService;
const heard: string[] = [];

@DelayTaskHandler("count")
class Counter {
  handle(task: DelayTask<{ n: number }>): number {
    heard.push(task.id);
    return task.payload.n + 1;
  }

  @DelayTaskHandler("pay")
  async pay(task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.transaction((manager) => manager.query("INSERT INTO payment VALUES ($1)", [task.id]));
  }

  @DelayTaskHandler("stumble", { maxAttempts: 3, backoff: { kind: "fixed", delay: 50 } })
  stumble(task: DelayTask): void {
    if (task.attempt < 2) throw new Error("not yet");
  }

  @DelayTaskHandler("fail", { maxAttempts: 1 })
  fail(): void {
    throw new Error("never");
  }
}

async function open(options: DelayTaskModuleOptions): Promise<INestApplicationContext> {
  @Module({ providers: [Counter] })
  class FeatureModule {}
  @Module({ imports: [FeatureModule, DelayTaskModule.forRoot({ heartbeat: "loop", ...options })] })
  class RootModule {}
  return NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
}

beforeAll(async () => {
  postgres = await startPostgres({ settings: { fsync: false } });
  bouncer = await PgBouncer.start(postgres.url);
  dataSource = await new DataSource({ type: "postgres", url: bouncer.url, poolSize: 5 }).initialize();
  await dataSource.query("CREATE TABLE payment (task uuid)");
  app = await open({ dataSource, transactionPooling: true });
  tasks = app.get(DelayTaskService);
});
afterAll(async () => {
  await app?.close();
  await dataSource?.destroy();
  await bouncer?.stop();
  await postgres?.stop();
});

async function untilState(id: string, state: TaskView["state"]): Promise<TaskView> {
  return eventually(async () => {
    const task = await tasks.get(id);
    expect(task?.state).toBe(state);
    return task!;
  });
}

describe("a node whose connections lead through PgBouncer in transaction mode", () => {
  test("a node speaks with Debian's PgBouncer in transaction mode, and has migrated through it", async () => {
    expect(await bouncer.version()).toMatch(/^PgBouncer 1\./);
    const { rows } = await direct("SELECT 1 FROM tickwheel.migration");
    expect(rows).toHaveLength(1 + MIGRATIONS.length);
  });

  test("a node behind PgBouncer makes the indexes of a later migration through it", async () => {
    const name = "Later9900000000000";
    const steps = [
      { index: "task_version", on: "task", as: "(version)" },
      { index: "history_version", on: "history", as: "(version)" },
    ];
    const later = { migrations: [...MIGRATIONS, { name, steps }], transactionPooling: true, schema: "later" };
    expect(await migrate(bouncer.url, later)).toContain(name);
    const { rows } = await direct(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid::regclass::text ~ '^later.*version'",
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(rows).toEqual(rows.map(() => ({ valid: true })));
  });

  test("a node behind PgBouncer creates, runs and completes many tasks at the same time, in bulk and alone", async () => {
    const items = Array.from({ length: 200 }, (_, n) => ({ task: "count", payload: { n } }));
    const alone = Array.from({ length: 50 }, (_, n) => tasks.schedule("count", { n }, { delay: 20 }));
    const bulk = await tasks.scheduleMany(items);
    const ids = (await Promise.all(alone)).map(({ task }) => task.id);
    for (const item of bulk) if ("task" in item) ids.push(item.task.id);
    await eventually(() => expect(new Set(heard)).toEqual(new Set(ids)));
    expect(heard).toHaveLength(250);
    expect((await untilState(ids[7]!, "succeeded")).result).toBe(8);
  });

  test("a node behind PgBouncer keeps one live task per key, moves it and cancels it", async () => {
    const options = { key: "k", delay: "1h", onConflict: "refresh" } as const;
    const first = await tasks.schedule("count", { n: 1 }, options);
    const again = await Promise.all([1, 2, 3].map(() => tasks.schedule("count", { n: 2 }, options)));
    expect(again.map(({ task }) => task.id)).toEqual(Array(3).fill(first.task.id));
    await tasks.reschedule(first.task.id, { delay: "2h" });
    expect((await tasks.cancelByKey("count", "k")).outcome).toBe("cancelled");
  });

  test("a node behind PgBouncer joins callers' transactions, again and again on other server connections", async () => {
    const written = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        dataSource.transaction(async (manager) => {
          const { task } = await tasks.schedule("count", { n }, { delay: "1h", manager });
          return (await tasks.cancel(task.id, { manager })).outcome;
        }),
      ),
    );
    expect(written).toEqual(Array(30).fill("cancelled"));
  });

  test("a node behind PgBouncer commits a handler's effects with its completion, retries, and brings the dead back", async () => {
    const { task: payment } = await tasks.schedule("pay", {});
    const { task: stumbling } = await tasks.schedule("stumble", {});
    const { task: failing } = await tasks.schedule("fail", {});
    await untilState(payment.id, "succeeded");
    expect((await direct("SELECT 1 FROM payment WHERE task = $1", [payment.id])).rows).toHaveLength(1);
    expect((await untilState(stumbling.id, "succeeded")).attempt).toBe(2);
    await untilState(failing.id, "dead");
    await tasks.retry(failing.id);
    await tasks.retry(payment.id);
    await eventually(async () => expect((await direct("SELECT 1 FROM payment")).rows).toHaveLength(2));
  });

  test("a node behind PgBouncer leaves no setting and no statement behind on the connections that it shares", async () => {
    const settings = `SELECT name, setting FROM pg_settings
       WHERE name IN ('statement_timeout', 'enable_seqscan', 'jit', 'lock_timeout', 'default_transaction_isolation')`;
    const fresh = (await direct(`${settings} ORDER BY name`)).rows;
    const others = await Promise.all(Array.from({ length: 10 }, () => throughBouncer(`${settings} ORDER BY name`)));
    for (const rows of others) expect(rows).toEqual(fresh);
    expect(await throughBouncer("SELECT name FROM pg_prepared_statements")).toEqual([]);
  });

  test("a node behind PgBouncer hears of new tasks at once where it is told a way past it", async () => {
    const other = await open({ url: bouncer.url, transactionPooling: true, listenUrl: postgres.url });
    const listening = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    await eventually(async () => expect((await direct(listening)).rows).toHaveLength(1));
    await other.close();
  });
});

describe("the stand-alone node behind PgBouncer", () => {
  test("the stand-alone node behind PgBouncer serves its API with its heartbeat in a thread", async () => {
    const port = await freePort();
    const env = {
      PORT: String(port),
      DATABASE_URL: bouncer.url,
      TICKWHEEL_TRANSACTION_POOLING: "true",
      TICKWHEEL_API_KEY: KEY,
    };
    const node = new NodeProcess({ script: join(repositoryRoot, "apps/scheduler/dist/main.js"), env });
    try {
      const base = `http://127.0.0.1:${port}`;
      const ready = async (): Promise<void> => {
        expect(node.endedByItself ? node.log() : "").toBe("");
        expect((await fetch(`${base}/health/ready`)).status).toBe(200);
      };
      await eventually(ready);
      const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
      const body = JSON.stringify({ type: "count", payload: { n: 1 } });
      const reply = await fetch(`${base}/v1/tasks`, { method: "POST", headers, body });
      expect(reply.status).toBe(201);
      const { id } = (await reply.json()) as { id: string };
      await untilState(id, "succeeded");
    } finally {
      await node.stop();
    }
  });
});

async function direct(sql: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
  return once(postgres.url, sql, values);
}

async function throughBouncer(sql: string): Promise<unknown[]> {
  return (await once(bouncer.url, sql, [])).rows;
}

async function once(url: string, sql: string, values: unknown[]): Promise<{ rows: unknown[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}
