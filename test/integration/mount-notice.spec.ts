import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type LoggerService, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule, DelayTaskNode } from "@tickwheel/nestjs";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase("mounted");
});
afterAll(() => postgres.stop());

/**
 * The log of an application that mounts the API, at its start. @param makesKey whether it makes the first key before
 */
async function saidAtStart({ makesKey = false, notice = true }: { makesKey?: boolean; notice?: boolean } = {}) {
  @Module({ imports: [DelayTaskApiModule.forRoot({ notice }), DelayTaskModule.forRoot({ url, engine: false })] })
  class AppModule {}
  const lines: string[] = [];
  const say = (message: unknown): void => void lines.push(String(message));
  const logger: LoggerService = { log: say, warn: say, error: say, fatal: say };
  const app = await NestFactory.create(AppModule, { logger, abortOnError: false });
  if (makesKey) await app.get(ApiKeyRing).ensureFirstKey(null, "default");
  await app.init();
  await app.get(DelayTaskNode, { strict: false }).started;
  await app.close();
  return {
    limits: lines.filter((line) => line.includes("to be set on its own server")).length,
    key: lines.filter((line) => line.includes("There is no API key yet")).length,
  };
}

test("a mounted API logs which limits the application must set, and how to make a first key if there is none", async () => {
  expect(await saidAtStart()).toEqual({ limits: 1, key: 1 });
  expect(await saidAtStart({ notice: false })).toEqual({ limits: 0, key: 0 });
  expect(await saidAtStart({ makesKey: true })).toEqual({ limits: 1, key: 0 });
  expect(await saidAtStart()).toEqual({ limits: 1, key: 0 });
});
