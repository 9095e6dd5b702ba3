import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Test } from "@nestjs/testing";
import { DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { DataSource } from "typeorm";
import { Diary, Gatherer, OnceWriter, Writer } from "../support/app/diary-app.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";
import { EXAMPLES, type Scene } from "./testing-module.examples.js";

/** How many applications run at once, as an application's tests may: each has a schema and a time of its own. */
const AT_ONCE = 5;
const examples = Object.entries(EXAMPLES);

let postgres: TestPostgres;
let dataSource: DataSource;
/** What came of each example; undefined: all that it expects. */
const outcomes = new Map<string, unknown>();

// Before all tests: what runs beside them may load nothing.
beforeAll(async () => {
  postgres = await startTestPostgres();
  dataSource = await new DataSource({ type: "postgres", url: postgres.superuserUrl }).initialize();
  const left = examples.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => runAll(left)));
});
afterAll(async () => {
  await dataSource?.destroy();
  await postgres?.stop();
});

/** Runs an example in an application of its own, whose tasks are in a schema that is free. */
async function run(example: (scene: Scene) => Promise<void>): Promise<void> {
  const providers = [Diary, Writer, Gatherer, OnceWriter];
  const testing = DelayTaskTestingModule.forRoot({ dataSource });
  const app = await Test.createTestingModule({ providers, imports: [testing] }).compile();
  await app.init();
  try {
    await example({ tasks: DelayTaskTesting.of(app), service: app.get(DelayTaskService), diary: app.get(Diary) });
  } finally {
    await app.close();
  }
}

async function runAll(left: Iterable<(typeof examples)[number]>): Promise<void> {
  for (const [name, example] of left)
    outcomes.set(name, await run(example).catch((error: unknown) => error ?? "nothing"));
}

describe("on Postgres", () => {
  test.each(examples)("%s", (name) => {
    expect(outcomes.has(name)).toBe(true);
    const failure = outcomes.get(name);
    if (failure !== undefined) throw failure;
  });
});
