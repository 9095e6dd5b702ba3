import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Injectable, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { HealthCheckService, TerminusModule } from "@nestjs/terminus";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  DelayTaskHandler,
  DelayTaskHealthIndicator,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskService,
  delayTaskHealthToken,
  delayTasksToken,
  InjectDelayTasks,
  OnDelayTaskEvent,
  type TaskFailedEvent,
} from "@tickwheel/nestjs";
import { ApiClient } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

let postgres: OwnPostgres;
let secondPostgres: OwnPostgres;
let app: INestApplication | null = null;
let databases = 0;

beforeAll(async () => {
  [postgres, secondPostgres] = await Promise.all([OwnPostgres.start(), OwnPostgres.start()]);
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(() => Promise.all([postgres.stop(), secondPostgres.stop()]));

/** Handles `note` of both databases, and hears both. */
@Injectable()
class Notes {
  readonly heard: string[] = [];

  constructor(
    readonly shop: DelayTaskService,
    @InjectDelayTasks("billing") readonly billing: DelayTaskService,
  ) {}

  @DelayTaskHandler("note")
  ofShop({ payload }: DelayTask): void {
    this.heard.push(`shop ${String(payload)}`);
  }

  @DelayTaskHandler("note", { module: "billing" })
  ofBilling({ payload }: DelayTask): void {
    this.heard.push(`billing ${String(payload)}`);
    if (payload === "bad") throw new Error("no luck");
  }

  @OnDelayTaskEvent("task.failed")
  shopFailed(): void {
    this.heard.push("shop failed");
  }

  @OnDelayTaskEvent("task.failed", { module: "billing" })
  billingFailed({ facts }: TaskFailedEvent): void {
    this.heard.push(`billing failed ${facts.type}`);
  }
}

const database = async (server = postgres): Promise<DelayTaskModuleOptions> => ({
  url: await server.createDatabase(`named_${databases++}`),
  heartbeat: "loop",
});

async function open(providers: Type[], imports: Parameters<typeof Module>[0]["imports"]): Promise<INestApplication> {
  @Module({ providers, imports })
  class AppModule {}
  app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  await app.init();
  return app;
}

/** An application with two databases, each on a server of its own; one of them has no name. */
async function openTwo(): Promise<INestApplication> {
  const billing = await database(secondPostgres);
  return open(
    [Notes],
    [
      DelayTaskModule.forRoot(await database()),
      DelayTaskModule.forRootAsync({ name: "billing", useFactory: () => billing }),
    ],
  );
}

describe("two databases on two servers in one process", () => {
  test("two modules each have their service, their handlers and their listeners", async () => {
    const { shop, billing, heard } = (await openTwo()).get(Notes);
    expect(app!.get(DelayTaskService, { strict: false })).toBe(shop);
    expect(app!.get(delayTasksToken("billing"), { strict: false })).toBe(billing);
    const first = await shop.schedule("note", "one");
    await billing.schedule("note", "two");
    await eventually(() => expect(heard.toSorted()).toEqual(["billing two", "shop one"]));
    expect(await billing.get(first.task.id)).toBeNull();
    await billing.schedule("note", "bad", { backoff: { kind: "fixed", delay: "1h" } });
    await eventually(() => expect(heard.slice(2)).toEqual(["billing bad", "billing failed note"]));
  });

  test("the module of a live server works on while the other server is away, and that one's tasks run behind it", async () => {
    const { shop, billing, heard } = (await openTwo()).get(Notes);
    const waiting = await billing.schedule("note", "due meanwhile", { delay: "2s" });
    await secondPostgres.kill();
    await shop.schedule("note", "beside it");
    await eventually(() => expect(heard).toContain("shop beside it"));
    await secondPostgres.restart();
    await eventually(() => expect(heard.toSorted()).toEqual(["billing due meanwhile", "shop beside it"]));
    await eventually(async () => expect(await billing.get(waiting.task.id)).toMatchObject({ state: "succeeded" }));
  });

  test("two modules have an API each", async () => {
    const shop = await database();
    const billing = await database(secondPostgres);
    const { url } = await open(
      [Notes],
      [
        DelayTaskApiModule.forRoot({ notice: false }),
        DelayTaskApiModule.forRoot({ module: "billing", path: "billing", notice: false }),
        DelayTaskModule.forRoot(shop),
        DelayTaskModule.forRoot({ name: "billing", ...billing }),
      ],
    ).then(async (opened) => {
      await opened.listen(0, "127.0.0.1");
      return { url: await opened.getUrl() };
    });
    const key = newTestKey();
    const rings = app!.get(ApiKeyRing, { strict: false, each: true }) as unknown as ApiKeyRing[];
    for (const ring of rings) await ring.ensureFirstKey(key, "default");
    const api = new ApiClient(url, key);
    await eventually(async () => expect((await api.get("billing/v1/tasks")).status).toBe(200));
    await api.post("billing/v1/tasks", { type: "later", delay: "1h" });
    expect((await api.get<{ items: unknown[] }>("billing/v1/tasks?type=later")).body.items).toHaveLength(1);
    expect((await api.get<{ items: unknown[] }>("v1/tasks?type=later")).body.items).toEqual([]);
  });

  test("a handler of a module that is not there, and a name that is used twice, stop the start", async () => {
    @Injectable()
    class Stray {
      @DelayTaskHandler("stray", { module: "biling" })
      handle(): void {}
    }
    @Injectable()
    class Nameless {
      @DelayTaskHandler("nameless")
      handle(): void {}
    }
    const billing = { name: "billing", ...(await database()) };
    const refused = (providers: Type[], ...modules: DelayTaskModuleOptions[]): Promise<unknown> =>
      open(
        providers,
        modules.map((options) => DelayTaskModule.forRoot(options)),
      ).catch((error: Error) => error.message);
    expect(await refused([Stray], billing)).toBe(
      'The handler of "stray" (Stray.handle) is of the module "biling", and there is no DelayTaskModule of that name: there is "billing".',
    );
    expect(await refused([Nameless], billing)).toContain("names no module, and every DelayTaskModule here has a name");
    expect(await refused([], billing, billing)).toContain('DelayTaskModule "billing" is imported twice');
  });
});

describe("the health of a node", () => {
  test("the health of a node is up, degraded without its Redis, and down while it stops", async () => {
    const tickwheel = DelayTaskModule.forRoot({ ...(await database()), redis: "redis://127.0.0.1:1" });
    const opened = await open([], [TerminusModule, tickwheel]);
    const health = opened.get(DelayTaskHealthIndicator, { strict: false });
    const checks = await opened.resolve(HealthCheckService, undefined, { strict: false });
    const check = (): Promise<object> => checks.check([() => health.isHealthy()]);
    await eventually(async () =>
      expect(await health.isHealthy()).toEqual({ tickwheel: { status: "up", degraded: ["redis"] } }),
    );
    expect(await health.isHealthy("orders")).toHaveProperty("orders.status", "up");
    expect(await check()).toMatchObject({ status: "ok", info: { tickwheel: { degraded: ["redis"] } } });
    await opened.close();
    await expect(check()).rejects.toMatchObject({ response: { error: { tickwheel: { message: "The node stops" } } } });
    app = null;
    expect(await health.isHealthy()).toEqual({ tickwheel: { status: "down", message: "The node stops" } });
  });

  test("the health of a node is down while Postgres is away, and up again behind it; each module has its own", async () => {
    const billing = { name: "billing", ...(await database()) };
    const opened = await open([], [DelayTaskModule.forRoot(billing)]);
    const health = opened.get(delayTaskHealthToken("billing"), { strict: false });
    await eventually(async () => expect(await health.isHealthy()).toHaveProperty("tickwheel.status", "up"));
    await postgres.kill();
    await eventually(async () => expect(await health.isHealthy()).toHaveProperty("tickwheel.status", "down"));
    await postgres.restart();
    await eventually(async () => expect(await health.isHealthy()).toHaveProperty("tickwheel.status", "up"));
  });
});
