import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, type INestApplicationContext, Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";
import { DataSource } from "typeorm";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { freePort } from "@tickwheel/local-services";
import {
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskNode,
  DelayTaskService,
} from "@tickwheel/nestjs";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

const GIVEN_KEY = "a-first-key-that-was-given-0123456789";

let postgres: OwnPostgres;
const apps: INestApplicationContext[] = [];
/** What the applications log: the logger of the last one is that of all. */
const lines: string[] = [];
const write = (line: unknown): void => void lines.push(String(line));
const NEST = { logger: { log: write, warn: write, error: write }, abortOnError: false };
let greeted = 0;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  await makeSchemas(postgres.url, "readme", "late", "made", "given", "closed", "later");
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await postgres.stop();
});

@Injectable()
@DelayTaskHandler("greet")
class Greeter {
  handle(): void {
    greeted++;
  }
}

/**
 * An application with a node, initialised as one that listens afterwards. Each has a schema of its own; its Redis URL
 * leads to no server.
 */
async function open(options: Partial<DelayTaskModuleOptions>): Promise<INestApplicationContext> {
  const { url } = postgres;
  const redis = `redis://127.0.0.1:${await freePort()}`;
  @Module({ providers: [Greeter], imports: [DelayTaskModule.forRoot({ url, redis, heartbeat: "loop", ...options })] })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, NEST);
  apps.push(app);
  return app;
}

/** The same with the API, not yet initialised. */
async function openApi(schema: string): Promise<{ server: INestApplication; node: DelayTaskNode; ring: ApiKeyRing }> {
  @Module({
    imports: [
      DelayTaskApiModule.forRoot(),
      DelayTaskModule.forRoot({ url: postgres.url, schema, redis: null, heartbeat: "loop" }),
    ],
  })
  class ApiModule {}
  const server = await NestFactory.create(ApiModule, NEST);
  apps.push(server);
  return { server, node: server.get(DelayTaskNode, { strict: false }), ring: server.get(ApiKeyRing) };
}

/** One as in the guide to start, whose TypeOrmModule waits for Postgres; it is there when Postgres is. */
async function openReadme(): Promise<INestApplicationContext> {
  @Module({
    providers: [Greeter],
    imports: [
      TypeOrmModule.forRoot({ type: "postgres", url: postgres.url, retryAttempts: Infinity, retryDelay: 100 }),
      DelayTaskModule.forRootAsync({
        inject: [DataSource],
        useFactory: (dataSource: DataSource) => ({
          dataSource,
          schema: "readme",
          redis: null,
          heartbeat: "loop" as const,
        }),
      }),
    ],
  })
  class ReadmeModule {}
  const app = await NestFactory.createApplicationContext(ReadmeModule, NEST);
  apps.push(app);
  return app;
}

describe("an application whose Postgres is away when it starts", () => {
  const keys = { made: null, given: GIVEN_KEY };
  let late: INestApplicationContext;
  let later: DelayTaskNode;
  let readme: Promise<INestApplicationContext>;
  const apis = {} as Record<keyof typeof keys, Awaited<ReturnType<typeof openApi>>>;

  beforeAll(async () => {
    await postgres.kill();
    readme = openReadme();
  });

  test("an application whose Postgres is away starts, and refuses calls", async () => {
    late = await open({ schema: "late" });
    const { node, tasks } = partsOf(late);
    const unavailable = { code: "STORE_UNAVAILABLE" };
    await expect(tasks.schedule("greet", {})).rejects.toMatchObject(unavailable);
    await expect(tasks.find()).rejects.toMatchObject(unavailable);
    expect(await node.isReady()).toBe(false);
  });

  test.each(["made", "given"] as const)(
    "an application whose Postgres is away listens, without its first key (%s)",
    async (name) => {
      apis[name] = await openApi(name);
      const { server, ring } = apis[name];
      expect(await ring.ensureFirstKey(keys[name], "default")).toBeNull();
      await server.listen(0, "127.0.0.1");
      const base = await server.getUrl();
      expect((await fetch(`${base}/health/live`)).status).toBe(200);
      expect((await fetch(`${base}/health/ready`)).status).toBe(503);
    },
  );

  test("an application whose Postgres is away closes while it waits", async () => {
    const app = await open({ schema: "closed" });
    const { node } = partsOf(app);
    await app.close();
    apps.pop();
    await node.started;
  });

  test("an application waits for Postgres in `start()` if the engine is not to start by itself, and a stop ends that", async () => {
    later = partsOf(await open({ schema: "later", autoStart: false })).node;
    const started = later.start();
    await later.stop();
    await started;
    expect(later.isStarted).toBe(false);
  });

  describe("and then is there", () => {
    let again: Promise<void>;

    beforeAll(async () => {
      again = later.start();
      await postgres.restart();
    });

    test("an application whose Postgres was away at its start works once Postgres is there", async () => {
      const { node, tasks } = partsOf(late);
      await node.started;
      expect(await node.isReady()).toBe(true);
      await tasks.schedule("greet", {});
      await eventually(() => expect(greeted).toBe(1));
    });

    test("an application makes its first key once Postgres is there, and shows it unless it was given", async () => {
      for (const { node } of Object.values(apis)) await node.started;
      const shown = lines.map((line) => /shown only now: (\S+)/.exec(line)?.[1]).filter((key) => key !== undefined);
      expect(shown).toHaveLength(1);
      const statusOf = async (name: "made" | "given", key: string): Promise<number> => {
        const headers = { authorization: `Bearer ${key}` };
        return (await fetch(`${await apis[name].server.getUrl()}/v1/tasks`, { headers })).status;
      };
      expect([await statusOf("made", shown[0]!), await statusOf("given", GIVEN_KEY)]).toEqual([200, 200]);
    });

    test("an application starts by `start()` once Postgres is there", async () => {
      await again;
      expect(later.isStarted).toBe(true);
    });

    test("an application comes up if its TypeOrmModule waited for Postgres, as that of the guide to start does", async () => {
      const before = greeted;
      await partsOf(await readme).tasks.schedule("greet", {});
      await eventually(() => expect(greeted).toBe(before + 1));
    });
  });
});

test("an error that waiting cannot cure ends the application's start", async () => {
  const stranger = new URL(postgres.url);
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
