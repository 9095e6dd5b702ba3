import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, type INestApplicationContext, Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";
import { DataSource } from "typeorm";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { freePort, type PostgresService, startPostgres } from "@tickwheel/local-services";
import {
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskNode,
  DelayTaskService,
} from "@tickwheel/nestjs";
import { eventually } from "../support/eventually.js";

let postgres: PostgresService;
let app: INestApplicationContext | null = null;
let greeted = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(() => postgres.stop());

@Injectable()
@DelayTaskHandler("greet")
class Greeter {
  handle(): void {
    greeted++;
  }
}

/** An application with a node, initialised as one that listens afterwards. Its Redis URL leads to no server. */
async function open(options: Partial<DelayTaskModuleOptions>): Promise<INestApplicationContext> {
  const redis = `redis://127.0.0.1:${await freePort()}`;
  @Module({ providers: [Greeter], imports: [DelayTaskModule.forRoot({ redis, heartbeat: "loop", ...options })] })
  class AppModule {}
  app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  return app;
}

/** The same with the API, not yet initialised; what it logs goes to `lines`. */
async function openApi(
  url: string,
  lines: string[],
): Promise<{ server: INestApplication; node: DelayTaskNode; ring: ApiKeyRing }> {
  @Module({
    imports: [DelayTaskApiModule.forRoot(), DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop" })],
  })
  class ApiModule {}
  const write = (line: unknown): void => void lines.push(String(line));
  const logger = { log: write, warn: write, error: write };
  const server = await NestFactory.create(ApiModule, { logger, abortOnError: false });
  app = server;
  return { server, node: server.get(DelayTaskNode, { strict: false }), ring: server.get(ApiKeyRing) };
}

describe("an application whose Postgres is away when it starts", () => {
  test("starts, refuses calls, and works when Postgres is there", async () => {
    const url = await postgres.createDatabase("late");
    await postgres.kill();
    const { node, tasks } = partsOf(await open({ url }));
    const unavailable = { code: "STORE_UNAVAILABLE" };
    await expect(tasks.schedule("greet", {})).rejects.toMatchObject(unavailable);
    await expect(tasks.find()).rejects.toMatchObject(unavailable);
    expect(await node.isReady()).toBe(false);
    await postgres.restart();
    await node.started;
    expect(await node.isReady()).toBe(true);
    await tasks.schedule("greet", {});
    await eventually(() => expect(greeted).toBe(1));
  });

  test.each([null, "a-first-key-that-was-given-0123456789"])(
    "listens, and makes its first key when Postgres is there (given: %s)",
    async (given) => {
      const url = await postgres.createDatabase(`keys_${given === null ? "made" : "given"}`);
      await postgres.kill();
      const lines: string[] = [];
      const { server, node, ring } = await openApi(url, lines);
      expect(await ring.ensureFirstKey(given, "default")).toBeNull();
      await server.listen(0, "127.0.0.1");
      const base = await server.getUrl();
      expect((await fetch(`${base}/health/live`)).status).toBe(200);
      expect((await fetch(`${base}/health/ready`)).status).toBe(503);
      await postgres.restart();
      await node.started;
      const made = lines.map((line) => /shown only now: (\S+)/.exec(line)?.[1]).filter((key) => key !== undefined);
      expect(made).toHaveLength(given === null ? 1 : 0);
      const answer = await fetch(`${base}/v1/tasks`, { headers: { authorization: `Bearer ${given ?? made[0]}` } });
      expect(answer.status).toBe(200);
    },
  );

  test("closes while it waits", async () => {
    const url = await postgres.createDatabase("late");
    await postgres.kill();
    const { node } = partsOf(await open({ url }));
    await app!.close();
    app = null;
    await node.started;
    await postgres.restart();
  });

  test("starts by `start()` if the engine is not to start by itself; the start waits, and a stop ends it", async () => {
    const url = await postgres.createDatabase("later");
    await postgres.kill();
    const { node } = partsOf(await open({ url, autoStart: false }));
    const started = node.start();
    await node.stop();
    await started;
    expect(node.isStarted).toBe(false);
    const again = node.start();
    await postgres.restart();
    await again;
    expect(node.isStarted).toBe(true);
  });
});

test("an application whose TypeOrmModule waits for Postgres, as README's does, comes up when it is there", async () => {
  const url = await postgres.createDatabase("readme");
  await postgres.kill();
  @Module({
    providers: [Greeter],
    imports: [
      TypeOrmModule.forRoot({ type: "postgres", url, retryAttempts: Infinity, retryDelay: 100 }),
      DelayTaskModule.forRootAsync({
        inject: [DataSource],
        useFactory: (dataSource: DataSource) => ({ dataSource, redis: null, heartbeat: "loop" as const }),
      }),
    ],
  })
  class ReadmeModule {}
  const starting = NestFactory.createApplicationContext(ReadmeModule, { logger: false, abortOnError: false });
  await postgres.restart();
  app = await starting;
  const before = greeted;
  await partsOf(app).tasks.schedule("greet", {});
  await eventually(() => expect(greeted).toBe(before + 1));
});

test("an error that waiting cannot cure ends the application's start", async () => {
  const stranger = new URL(await postgres.createDatabase("strange"));
  stranger.password = "wrong";
  for (const migrate of [true, false]) {
    const failure = { code: "CONFIGURATION_INVALID", details: { sqlState: "28P01" } };
    await expect(open({ url: stranger.href, migrate })).rejects.toMatchObject(failure);
  }
});

function partsOf(context: INestApplicationContext): { node: DelayTaskNode; tasks: DelayTaskService } {
  const get = <T>(token: new (...parameters: never[]) => T): T => context.get(token, { strict: false });
  return { node: get(DelayTaskNode), tasks: get(DelayTaskService) };
}
