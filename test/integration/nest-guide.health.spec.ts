import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplication, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type RedisService, startRedis } from "@tickwheel/local-services";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { NEST_GUIDE, PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const guide = new PastedGuide(NEST_GUIDE);
let postgres: OwnPostgres;
let redis: RedisService;
let app: INestApplication;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([OwnPostgres.start(), startRedis()]);
  const { HealthModule } = await guide.load<{ HealthModule: Type }>("src/health.ts");
  const delayTasks = DelayTaskModule.forRoot({ url: postgres.url, redis: redis.url, heartbeat: "loop" });
  @Module({ imports: [HealthModule, delayTasks] })
  class RootModule {}
  app = await NestFactory.create(RootModule, { logger: false, abortOnError: false });
  await app.listen(0, "127.0.0.1");
});

afterAll(async () => {
  await postgres?.restart();
  await app?.close();
  await Promise.all([postgres?.stop(), redis?.stop()]);
  guide.remove();
});

async function told(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(path, await app.getUrl()));
  return { status: response.status, body: await response.json() };
}

test("a node is up; without Redis it is up and degraded; without Postgres it is down, and its process lives", async () => {
  await eventually(async () =>
    expect(await told("/health/ready")).toMatchObject({
      status: 200,
      body: { status: "ok", info: { tickwheel: { status: "up", degraded: [] } } },
    }),
  );
  await redis.stop();
  await eventually(async () =>
    expect(await told("/health/ready")).toMatchObject({
      status: 200,
      body: { info: { tickwheel: { status: "up", degraded: ["redis"] } } },
    }),
  );
  await postgres.kill();
  await eventually(async () =>
    expect(await told("/health/ready")).toMatchObject({
      status: 503,
      body: { status: "error", error: { tickwheel: { status: "down", message: expect.any(String) } } },
    }),
  );
  expect(await told("/health/live")).toEqual({ status: 200, body: { status: "live" } });
});
