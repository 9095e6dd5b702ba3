import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskModule, DelayTaskService, type TaskOptions } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let dataSource: DataSource;
let app: INestApplicationContext;
let tasks: DelayTaskService;
let keys = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("service_merge");
  dataSource = await new DataSource({ type: "postgres", url }).initialize();
  @Module({ imports: [DelayTaskModule.forRoot({ dataSource, redis: null, engine: false })] })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  tasks = app.get(DelayTaskService);
});
afterAll(async () => {
  await app?.close();
  await dataSource?.destroy();
  await postgres.stop();
});

/** The options of merges into one task of their own. */
function merging(more: Pick<TaskOptions, "maxWait"> = {}) {
  return {
    key: `key ${keys++}`,
    delay: "1h",
    onConflict: "merge",
    merge: { bytes: "add", files: "append" },
    ...more,
  } as const;
}

async function heldBy(key: string): Promise<unknown> {
  return (await tasks.find({ key, live: true })).items[0]?.payload;
}

describe("DelayTaskService merges", () => {
  test("DelayTaskService merges exactly, into one task", async () => {
    const options = merging({ maxWait: "2h" });
    const first = await tasks.schedule("upload", { bytes: 0.1, files: ["a"] }, options);
    const second = await tasks.schedule("upload", { bytes: 0.2, files: ["b"] }, options);
    expect([first.outcome, second.outcome]).toEqual(["created", "merged"]);
    expect(second.task).toMatchObject({ id: first.task.id, payload: { bytes: 0.3, files: ["a", "b"] }, version: 2 });
    expect(second.task).toMatchObject({ continues: null, continuedBy: null });
  });

  test("DelayTaskService merges many at once, and refuses item by item", async () => {
    const options = merging();
    const results = await tasks.scheduleMany([
      { task: "upload", payload: { bytes: 0.1 }, ...options },
      { task: "upload", payload: { bytes: 0.2 }, ...options },
      { task: "upload", payload: { bytes: "1" }, ...options },
      { task: "upload", payload: { files: ["x".repeat(65_515)] }, ...options },
    ]);
    expect(results.map((item) => (item.status === "rejected" ? item.error.code : item.status))).toEqual([
      "created",
      "merged",
      "MERGE_CONFLICT",
      "PAYLOAD_TOO_LARGE",
    ]);
    expect(results[2]).toMatchObject({ error: { errors: [{ path: "tasks[2].payload.bytes" }] } });
    expect(await heldBy(options.key)).toEqual({ bytes: 0.3 });
  });

  test("changes that a caller makes after the call change nothing of its merge", async () => {
    const merge = { bytes: "add" } as Record<string, "add" | "max">;
    const options = merging();
    await tasks.schedule("upload", { bytes: 1 }, { ...options, merge });
    const written = tasks.scheduleMany([{ task: "upload", payload: { bytes: 2 }, ...options, merge }]);
    merge.bytes = "max";
    expect(await written).toMatchObject([{ status: "merged", task: { payload: { bytes: 3 } } }]);
  });

  test("DelayTaskService merges within the caller's transaction, or not at all where that rolls back", async () => {
    const options = merging();
    await dataSource.transaction(async (manager) => {
      await tasks.schedule("upload", { bytes: 0.1 }, { ...options, manager });
      const { outcome } = await tasks.schedule("upload", { bytes: 0.2 }, { ...options, manager });
      expect(outcome).toBe("merged");
      // A merge that is refused leaves the transaction as it was.
      const refused = tasks.schedule("upload", { files: ["x".repeat(65_515)] }, { ...options, manager });
      await expect(refused).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
      const items = [{ task: "upload", payload: { bytes: 1 }, ...options }];
      expect(await tasks.scheduleMany(items, { manager })).toMatchObject([{ status: "merged" }]);
    });
    expect(await heldBy(options.key)).toEqual({ bytes: 1.3 });
    const rolledBack = dataSource.transaction(async (manager) => {
      await tasks.schedule("upload", { bytes: 5 }, { ...options, manager });
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    expect(await heldBy(options.key)).toEqual({ bytes: 1.3 });
  });

  test.each<[string, { payload: object; more?: object }, string]>([
    ["a reducer that is none", { payload: {}, more: { merge: { bytes: "sum" } } }, "VALIDATION_FAILED merge.bytes"],
    ["reducers without a key", { payload: {}, more: { key: undefined } }, "VALIDATION_FAILED merge"],
    [
      "a wait that no policy uses",
      { payload: {}, more: { merge: undefined, onConflict: "return", maxWait: 1 } },
      "VALIDATION_FAILED maxWait",
    ],
    ["NUL in its text", { payload: { note: "\0" } }, "VALIDATION_FAILED payload"],
    ["a text to be added", { payload: { bytes: "1" } }, "MERGE_CONFLICT payload.bytes"],
    [
      "a list added to a number",
      { payload: { bytes: [] }, more: { merge: { bytes: "append" } } },
      "MERGE_CONFLICT payload.bytes",
    ],
    ["a list that gets too long", { payload: { files: ["x".repeat(65_515)] } }, "PAYLOAD_TOO_LARGE payload"],
  ])("DelayTaskService does not merge, and says why: %s", async (_name, { payload, more }, refusal) => {
    const options = merging();
    const [code, path] = refusal.split(" ");
    await tasks.schedule("upload", { bytes: 1 }, options);
    const refused = tasks.schedule("upload", payload, { ...options, ...more });
    await expect(refused).rejects.toMatchObject({ code, faults: [{ path, message: expect.any(String) }] });
    expect(await heldBy(options.key)).toEqual({ bytes: 1 });
  });
});
