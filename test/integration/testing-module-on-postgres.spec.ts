import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { Test } from "@nestjs/testing";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { DataSource } from "typeorm";
import { Diary, Gatherer, OnceWriter, Writer } from "../support/app/diary-app.js";
import { EXAMPLES, type Scene } from "./testing-module.examples.js";

let postgres: PostgresService;
let dataSource: DataSource;
beforeAll(async () => {
  postgres = await startPostgres({ settings: { fsync: false } });
  dataSource = await new DataSource({ type: "postgres", url: postgres.url }).initialize();
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

// Some at once, as an application's tests may run: each has a schema and a time of its own.
describe("on Postgres", () => {
  test.concurrent.each(Object.entries(EXAMPLES))("%s", (_, example) => run(example));
});
