import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client, PoolConfig } from "pg";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { create, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const LIMIT_MS = 300;

let scene: Scene;
let observer: Client;

beforeAll(async () => {
  scene = await Scene.start();
  observer = await scene.client();
});
afterAll(() => scene?.stop());

/** A statement that takes this long and returns the setting under which it ran. */
const sleep = {
  name: "sleep",
  sql: () => "SELECT current_setting('statement_timeout') AS limit FROM pg_sleep($1::float8)",
  values: ({ seconds }: { seconds: number }) => [seconds],
  read: (row: Record<string, unknown>) => row.limit as string,
};

async function sleeping(): Promise<number> {
  const { rows } = await observer.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(%' AND pid <> pg_backend_pid()",
  );
  return (rows[0] as { count: number }).count;
}

/** A proxy that holds back what the server answers. */
class SlowLine {
  delayMs = 0;
  readonly #sockets: Socket[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<SlowLine> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = new URL(target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = new SlowLine(server, url.href);
    server.on("connection", (near) => line.join(near, connect(Number(port), hostname)));
    return line;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    this.#sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far);
    far.on("data", (bytes) => void setTimeout(() => near.write(bytes), this.delayMs));
  }
}

describe("a statement whose client gave up", () => {
  test("a statement whose client gave up is ended by the server too, a little later", async () => {
    const { database } = scene.open({ size: 1, statementTimeoutMs: LIMIT_MS });
    await expect(database.run(sleep, { seconds: 30 })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await eventually(async () => expect(await sleeping()).toBe(0));
    expect(await database.run(sleep, { seconds: 0 })).toEqual(["550ms"]);
  });

  test("a statement whose client gave up is ended by the server in a transaction of several statements too", async () => {
    const { database } = scene.open({ size: 1, statementTimeoutMs: LIMIT_MS });
    const work = database.transaction((session) => session.run(sleep, { seconds: 30 }));
    await expect(work).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await eventually(async () => expect(await sleeping()).toBe(0));
  });

  test("a statement whose client gave up is not sent if its time was used up before", async () => {
    const line = await SlowLine.to(scene.server.url);
    const { database, tasks } = scene.open({ url: line.url, size: 1, statementTimeoutMs: 2_000 });
    await database.run(sleep, { seconds: 0 });
    line.delayMs = 700;
    const late = await database.transaction(async (session) => {
      // It waits for the connection while two answers come. Since the node's name changes, it also waits for the
      // session's settings.
      const result = tasks.ensureType({ namespace: NAMESPACE, type: "late", delivery: "handler" }).catch(String);
      database.useApplicationName("another");
      await session.run(sleep, { seconds: 0 });
      return { result };
    });
    expect(await late.result).toMatch("nothing was sent: find_type");
    await line.close();
  });
});

describe("a statement that may take longer than the pool's", () => {
  test("a statement that may take longer than the pool's has its own limit in the server, and leaves the session's unchanged", async () => {
    const { database } = scene.open({ size: 1, statementTimeoutMs: LIMIT_MS });
    expect(await database.run(sleep, { seconds: 0.8 }, { statementTimeoutMs: 5_000 })).toEqual(["5250ms"]);
    expect(await database.run(sleep, { seconds: 0 })).toEqual(["550ms"]);
  });
});

describe("writes behind a key that stays held", () => {
  test("writes behind a key that stays held all fail at their own time-outs, not one after the other", async () => {
    const { tasks } = scene.open({ lockTimeoutMs: 50, lockPatienceMs: 1_000 });
    const { id: typeId } = await tasks.ensureType({ namespace: NAMESPACE, type: "held", delivery: "handler" });
    const keyed = () => ({
      namespace: NAMESPACE,
      tasks: [newTask({ typeId, type: "held", key: "held", onConflict: "return" })],
    });
    const caller = await scene.client();
    await caller.query("BEGIN");
    await tasks.create(keyed(), caller);
    const startMonoMs = performance.now();
    const waiting = await Promise.allSettled(Array.from({ length: 4 }, () => tasks.create(keyed())));
    const tookMs = performance.now() - startMonoMs;
    await caller.query("ROLLBACK");
    const failed = { status: "rejected", reason: expect.objectContaining({ code: "STORE_UNAVAILABLE" }) };
    expect(waiting).toEqual(Array(4).fill(failed));
    expect(tookMs).toBeGreaterThan(900);
    tellTimes("four writes behind a key that stays held", { "all have failed": { ms: tookMs, boundMs: 3_000 } });
  });
});

describe("connections of a pool", () => {
  test("connections of a pool stay open when nothing uses them", async () => {
    const soon: PoolConfig = { idleTimeoutMillis: 50 };
    const applicationName = "a-pool-at-rest";
    const { database } = scene.open({ size: 3, applicationName, connection: soon });
    await Promise.all([1, 2, 3].map(() => database.run(sleep, { seconds: 0.1 })));
    await wait(500);
    const { rows } = await observer.query("SELECT pid FROM pg_stat_activity WHERE application_name = $1", [
      applicationName,
    ]);
    expect(rows).toHaveLength(3);
  });
});

describe("messages to a server that is slow", () => {
  test("messages to a slow server go together over one connection, which stays open, and leave the others to statements", async () => {
    const line = await SlowLine.to(scene.server.url);
    const applicationName = "a-slow-line";
    const { database, coordination } = scene.open({ url: line.url, size: 2, applicationName });
    await Promise.all([1, 2].map(() => database.run(sleep, { seconds: 0.1 })));
    const backends = "SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY pid";
    const before = await observer.query(backends, [applicationName]);
    const listener = await scene.client();
    const heard: unknown[][] = [];
    listener.on("notification", ({ payload }) => void heard.push(JSON.parse(payload!) as unknown[]));
    await listener.query("LISTEN tickwheel_tickwheel");

    line.delayMs = 600;
    const sent: Promise<boolean>[] = [];
    for (let count = 0; count < 10; count++) {
      sent.push(coordination.send("all", { kind: "load" }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(sent)).toEqual(Array(10).fill(false));
    await database.run(sleep, { seconds: 0 });
    await eventually(() => expect(heard.flat()).toHaveLength(10));
    expect(heard).toHaveLength(2);
    line.delayMs = 0;
    await eventually(async () => expect(await coordination.send("all", { kind: "load" })).toBe(true));
    expect((await observer.query(backends, [applicationName])).rows).toEqual(before.rows);
    await line.close();
  });
});

describe("settings of the session", () => {
  test("settings of the session are not made where they would reach sessions of others; transactions have their own", async () => {
    const { database } = scene.open({ size: 1, statementTimeoutMs: LIMIT_MS, transactionPooling: true });
    expect(await database.run(sleep, { seconds: 0 })).toEqual(["0"]);
    expect(await database.transaction((session) => session.run(sleep, { seconds: 0 }))).toEqual(["550ms"]);
    expect(await database.run(sleep, { seconds: 0 })).toEqual(["0"]);
  });

  test("settings of the session are never made on a caller's session", async () => {
    const stores = scene.open();
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const caller = await scene.client();
    const settings = async (): Promise<unknown> =>
      (
        await caller.query(
          "SELECT name, setting FROM pg_settings WHERE name ~ '_timeout$|^enable_seqscan$|^jit$|^application_name$' ORDER BY name",
        )
      ).rows;
    const before = await settings();
    await caller.query("BEGIN");
    await stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, caller);
    await stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 1 }, actor: "somebody" }, caller);
    await stores.tasks.find({ namespace: NAMESPACE, limit: 10 }, caller);
    expect(await settings()).toEqual(before);
    await caller.query("COMMIT");
    expect(await settings()).toEqual(before);
  });
});
