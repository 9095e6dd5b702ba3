import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Injectable, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { newBootId, SystemRandom, type TypePolicy } from "@tickwheel/core";
import { DelayTaskHandler, DelayTaskModule, type DelayTaskModuleOptions, DelayTaskService } from "@tickwheel/nestjs";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const SETTLED_MS = 30_000;

let postgres: TestPostgres;
let databases = 0;
let url: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  url = await postgres.createDatabase(`policies_${databases++}`);
});

describe("the policy of a type", () => {
  let stores: PostgresStores;
  let typeId: number;
  let now = Date.now();

  beforeEach(async () => {
    await migrate(url);
    stores = openPostgres({ url, size: 4, asOf: () => now });
    typeId = (await stores.tasks.ensureType({ namespace: "default", type: "mail", delivery: "handler" })).id;
  });
  afterEach(() => stores.close());

  async function join(label: string, policy: TypePolicy): Promise<string> {
    const bootId = newBootId(new SystemRandom());
    await stores.cluster.join({ bootId, label, version: "1", roles: ["engine"], typeIds: [typeId] });
    await stores.policies.announce(bootId, [{ typeId, policy }]);
    return bootId;
  }
  const inForce = async (): Promise<TypePolicy | undefined> =>
    (await stores.tasks.listTypes()).find(({ id }) => id === typeId)?.policy;
  const others = async (): Promise<string[]> =>
    (await stores.policies.conflicts()).flatMap((conflict) => conflict.others);

  test("the policy of a type is the first that is announced, at once", async () => {
    expect(await inForce()).toBeUndefined();
    await join("a", { maxAttempts: 1 });
    await join("b", { maxAttempts: 9 });
    expect(await inForce()).toEqual({ maxAttempts: 1 });
  });

  test("the policy of a type becomes that of the newest node when that has been live for thirty seconds, and not before", async () => {
    await join("a", { maxAttempts: 1 });
    now += 60_000;
    await join("b", { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 5 } });
    now += SETTLED_MS - 1;
    await stores.policies.settle(SETTLED_MS);
    expect([await inForce(), await others()]).toEqual([{ maxAttempts: 1 }, ["b"]]);
    now += 1;
    await stores.policies.settle(SETTLED_MS);
    expect(await inForce()).toEqual({ maxAttempts: 2, backoff: { kind: "fixed", delayMs: 5 } });
    expect(await stores.policies.conflicts()).toMatchObject([{ namespace: "default", type: "mail", others: ["a"] }]);
  });

  test("the policy of a type goes back when the newer nodes go, and stays when all go", async () => {
    await join("a", { maxAttempts: 1 });
    now += 1;
    const newer = await join("b", {});
    now += SETTLED_MS;
    await stores.policies.settle(SETTLED_MS);
    expect(await inForce()).toEqual({});
    await stores.cluster.leave(newer);
    await stores.policies.settle(SETTLED_MS);
    expect([await inForce(), await others()]).toEqual([{ maxAttempts: 1 }, []]);
    const { rows } = { rows: await stores.cluster.readNodes() };
    for (const { bootId, state } of rows) if (state === "live") await stores.cluster.leave(bootId);
    await stores.policies.settle(SETTLED_MS);
    expect(await inForce()).toEqual({ maxAttempts: 1 });
  });

  test("the policy of a type is one, when many nodes announce and settle at once", async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => join(`n${index}`, { maxAttempts: index + 1 })));
    now += SETTLED_MS;
    await Promise.all(Array.from({ length: 8 }, () => stores.policies.settle(SETTLED_MS)));
    const settled = await inForce();
    await stores.policies.settle(SETTLED_MS);
    expect(await inForce()).toEqual(settled);
    expect(await others()).toHaveLength(7);
  });
});

describe("in applications", () => {
  const open: INestApplicationContext[] = [];
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close();
  });

  async function start(providers: Type[], options: DelayTaskModuleOptions = {}): Promise<DelayTaskService> {
    @Module({ providers })
    class FeatureModule {}
    @Module({ imports: [FeatureModule, DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop", ...options })] })
    class RootModule {}
    const app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
    open.push(app);
    return app.get(DelayTaskService);
  }

  let attempts = 0;

  @Injectable()
  class OnceHandler {
    @DelayTaskHandler("once", { maxAttempts: 1, timeout: "5s", priority: 2 })
    once(): never {
      attempts++;
      throw new Error("never again");
    }
  }

  test("a handler's policy holds for tasks that were made before any node ran their type, unless their creator said", async () => {
    attempts = 0;
    const producer = await start([], { engine: false });
    const before = await producer.schedule("once", {});
    const asked = await producer.schedule("once", {}, { maxAttempts: 2, backoff: { kind: "fixed", delay: 1 } });
    expect([before.task.maxAttempts, asked.task.maxAttempts]).toEqual([3, 2]);
    await start([OnceHandler]);
    expect(await before.result()).toMatchObject({ outcome: "dead", task: { attempt: 1, maxAttempts: 1 } });
    expect(await asked.result()).toMatchObject({ outcome: "dead", task: { attempt: 2, maxAttempts: 2 } });
    expect(attempts).toBe(3);
  });

  test("a handler's policy holds for tasks of a producer without handlers, and the creator's own word comes first", async () => {
    attempts = 0;
    const consumer = await start([OnceHandler]);
    await eventually(async () =>
      expect((await consumer.schedule("once", {}, { delay: "1h" })).task.maxAttempts).toBe(1),
    );
    const producer = await start([], { engine: false });
    const { task } = await producer.schedule("once", {});
    expect(task).toMatchObject({ maxAttempts: 1, priority: 2 });
    const asked = await producer.schedule("once", {}, { delay: "1h", maxAttempts: 7, priority: 9 });
    expect(asked.task).toMatchObject({ maxAttempts: 7, priority: 9 });
    await eventually(async () => expect((await producer.get(task.id))?.state).toBe("dead"));
    expect(attempts).toBe(1);
  });
});
