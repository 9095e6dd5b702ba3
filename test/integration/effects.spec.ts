import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskService,
  type TaskDetails,
} from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { ApiApplication } from "../support/api-application.js";
import type { TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

const lines: unknown[] = [];

@DelayTaskHandler("pay", { maxAttempts: 3, backoff: { kind: "fixed", delay: 1 } })
class Pay {
  async handle(task: DelayTask, ctx: DelayTaskContext): Promise<unknown> {
    const before = await ctx.lastCheckpoint<{ attempt: number }>();
    const { receipt } = await ctx.once("pay", async (manager) => {
      await manager.query("INSERT INTO payments VALUES ($1, $2)", [task.id, ctx.attempt]);
      return { receipt: ctx.attempt };
    });
    await ctx.checkpoint({ attempt: ctx.attempt });
    ctx.progress(ctx.attempt / 2, "an attempt of two");
    ctx.logger.info("paid", { receipt });
    if (ctx.attempt === 1) throw new Error("after the payment");
    await ctx.once("around", async (manager) => {
      const rows = await manager.query("SELECT current_setting('application_name') AS name");
      lines.push((rows as { name: string }[])[0]!.name);
    });
    return { before, receipt };
  }
}

const ROWS = 1_000;
const PAGE = 100;

/** Adds one to each row; dies in its fourth page, and in the next attempt in the one after that, with rows written. */
@DelayTaskHandler("walk", { maxAttempts: 3, backoff: { kind: "fixed", delay: 1 } })
class Walk {
  async handle(_task: DelayTask, ctx: DelayTaskContext): Promise<unknown> {
    const began = await ctx.lastCheckpoint();
    let pages = 0;
    await ctx.walk<number>(async (from, manager) => {
      const first = from ?? 1;
      await manager.query("UPDATE walked SET times = times + 1 WHERE $1 <= id AND id < $2", [first, first + PAGE]);
      if (ctx.attempt < 3 && (pages += 1) === 4) throw new Error("in the middle of a page");
      return first + PAGE > ROWS ? null : first + PAGE;
    });
    return began;
  }
}

test("a walk that dies twice in a page does each row once, and goes on behind its last page", async () => {
  const url = await postgres.createDatabase("walk");
  const dataSource = await new DataSource({ type: "postgres", url }).initialize();
  await dataSource.query("CREATE TABLE walked AS SELECT id, 0 AS times FROM generate_series(1, $1::int) id", [ROWS]);
  @Module({ providers: [Walk], imports: [DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" })] })
  class RootModule {}
  const app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  try {
    const tasks = app.get(DelayTaskService);
    const { task } = await tasks.schedule("walk", {});
    const done = await eventually(async (): Promise<TaskDetails> => {
      const found = await tasks.get(task.id);
      expect(found?.state).toBe("succeeded");
      return found!;
    });
    expect([done.attempt, done.result]).toEqual([3, { walk: { from: 601 } }]);
    expect(done.checkpoint?.state).toEqual({ walk: { done: true } });
    const counted = await dataSource.query("SELECT times, count(*)::int AS rows FROM walked GROUP BY times");
    expect(counted).toEqual([{ times: 1, rows: ROWS }]);
  } finally {
    await app.close();
    await dataSource.destroy();
  }
});

test("a handler's step is paid once over two attempts, and its checkpoint, progress and lines are kept", async () => {
  const url = await postgres.createDatabase("effects");
  const dataSource = await new DataSource({ type: "postgres", url }).initialize();
  await dataSource.query("CREATE TABLE payments (task uuid, attempt int)");
  @Module({ providers: [Pay], imports: [DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" })] })
  class RootModule {}
  const written: string[] = [];
  const log = (line: unknown): void => void written.push(String(line));
  const logger = { log, error: log, warn: log, debug: log };
  const app = await NestFactory.createApplicationContext(RootModule, { logger, abortOnError: false });
  try {
    const tasks = app.get(DelayTaskService);
    const { task } = await tasks.schedule("pay", {});
    const done = await eventually(async (): Promise<TaskDetails> => {
      const found = await tasks.get(task.id);
      expect(found?.state).toBe("succeeded");
      return found!;
    });
    expect(done.result).toEqual({ before: { attempt: 1 }, receipt: 1 });
    expect(await dataSource.query("SELECT attempt FROM payments")).toEqual([{ attempt: 1 }]);
    expect([done.checkpoint?.state, done.progress?.value, done.progress?.note]).toEqual([
      { attempt: 2 },
      1,
      "an attempt of two",
    ]);
    expect(done.checkpoint?.at).toBeInstanceOf(Date);
    expect(lines[0]).toMatch(/^tw\//);
    expect(written.filter((line) => line.startsWith("paid "))).toEqual([
      `paid [pay ${task.id}, attempt 1, fence 1]`,
      `paid [pay ${task.id}, attempt 2, fence ${done.fence}]`,
    ]);
  } finally {
    await app.close();
    await dataSource.destroy();
  }
});

test("REST and GraphQL show a task's checkpoint and progress by its id, and no list does", async () => {
  const api = await ApiApplication.start("fastify", await postgres.createDatabase("effects_api"));
  try {
    const scheduled = await api.admin.post<TaskBody>("/v1/tasks", { type: "test.tell", payload: { row: 7 } });
    const { id } = scheduled.body;
    const shown = await eventually(async () => {
      const { body } = await api.admin.get<TaskBody & Reported>(`/v1/tasks/${id}`);
      expect(body.state).toBe("succeeded");
      return body;
    });
    const at = expect.stringMatching(/Z$/);
    const expected = { checkpoint: { state: { row: 7 }, at }, progress: { value: 0.5, note: "half of it", at } };
    expect(shown).toMatchObject(expected);
    const query = "query ($id: ID!) { task(id: $id) { checkpoint { state at } progress { value note at } } }";
    const { body } = await api.admin.post<{ data: unknown }>("/graphql", { query, variables: { id } });
    expect(body.data).toEqual({ task: expected });
    const list = await api.admin.get<{ items: object[] }>("/v1/tasks?type=test.tell");
    expect(list.body.items.map((item) => "checkpoint" in item || "progress" in item)).toEqual([false]);
  } finally {
    await api.stop();
  }
});

interface Reported {
  checkpoint: unknown;
  progress: unknown;
}
