import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ClientError, TickwheelClient } from "@tickwheel/client";
import { addressOf, GROUPS, placesOf } from "@tickwheel/contract/operations";
import { ApiApplication } from "../support/api-application.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

describe("the calls of the client", () => {
  let postgres: TestPostgres;
  let server: ApiApplication;
  let client: TickwheelClient;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    server = await ApiApplication.start("fastify", postgres.url);
    client = new TickwheelClient({ url: server.url, key: server.key });
  });
  afterAll(async () => {
    await server?.stop();
    await postgres?.stop();
  });

  test("the calls of the client make a task, show it, change it by its version, find it by its tags and cancel it", async () => {
    const { id, version } = await client.tasks.create({
      type: "mail",
      delay: "1h",
      payload: { n: 1 },
      tags: ["a,b", "c"],
    });
    expect((await client.tasks.get(id)).payload).toEqual({ n: 1 });
    expect((await client.tasks.edit(id, { priority: 1 }, { ifMatch: version })).priority).toBe(1);
    const stale = client.tasks.edit(id, { priority: 2 }, { ifMatch: version });
    await expect(stale).rejects.toMatchObject({ code: "VERSION_MISMATCH", status: 412 });
    const found = await client.tasks.find({ type: ["mail"], tag: ["a,b", "c"], limit: 5 });
    expect(found.items.map((task) => task.id)).toEqual([id]);
    expect((await client.tasks.cancel(id)).outcome).toBe("cancelled");
  });

  test.each([
    ["in the options", {}, { idempotencyKey: "one" }],
    ["in the input", { idempotencyKey: "two" }, {}],
  ])("the calls of the client are done once for an idempotency key %s", async (_where, input, options) => {
    const create = () => client.tasks.create({ type: "mail", delay: "1h", ...input }, options);
    expect((await create()).id).toBe((await create()).id);
  });

  test("the calls of the client wait for the end of a task as long as asked", async () => {
    const task = await client.tasks.create({ type: "test.echo", payload: [1] }, { waitSeconds: 20 });
    expect([task.state, task.result]).toEqual(["succeeded", [1]]);
  });

  test("the calls of the client throw what the API says of a fault", async () => {
    const bad = client.tasks.create({ type: "mail", priority: 10 });
    await expect(bad).rejects.toBeInstanceOf(ClientError);
    await expect(bad).rejects.toMatchObject({ code: "VALIDATION_FAILED", errors: [{ path: "priority" }] });
    await client.tasks.create({ type: "mail", delay: "1h", key: "order" });
    const taken = client.tasks.create({ type: "mail", delay: "1h", key: "order" });
    await expect(taken).rejects.toMatchObject({ code: "TASK_KEY_CONFLICT", existingId: expect.any(String) });
    const stranger = new TickwheelClient({ url: server.url });
    await expect(stranger.tasks.find()).rejects.toMatchObject({ code: "UNAUTHENTICATED", status: 401 });
  });
});

test("each call of the contract is a method of the client, sent with its verb to its address below the server's path", async () => {
  const asked: string[] = [];
  const fetched = async (url: unknown, init?: { method?: string }): Promise<Response> => {
    asked.push(`${init?.method} ${(url as URL).pathname}`);
    return new Response("{}");
  };
  const client = new TickwheelClient({ url: "http://host/tasks/", fetch: fetched as typeof fetch });
  const groups = Object.values(client).filter((group) => typeof group === "object") as Record<string, Function>[];
  const methods = Object.assign({}, ...groups) as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const rows = GROUPS.flatMap((group) => Object.entries(group.rows));
  for (const [id, row] of rows) await methods[id]!(...placesOf(row).map((name) => `${name}/1`), {});
  expect(asked).toEqual(
    rows.map(([, row]) => {
      const { verb, path } = addressOf(row);
      return `${verb} /tasks${path.replaceAll(/:(\w+)/g, "$1%2F1")}`;
    }),
  );
  expect(Object.keys(methods)).toHaveLength(rows.length);
  await expect(methods["schedule"]!("..")).rejects.toThrow(RangeError);
  expect(await client.cluster.stream({ topics: ["stats"] })).toBeInstanceOf(Response);
});

describe("a call that is not answered as it should be", () => {
  /** What the server does with one request after the other: a status, or null: it breaks the connection. */
  let script: (number | null)[] = [];
  let asked: { path: string; key: string | undefined }[] = [];
  let server: Server;
  let client: TickwheelClient;
  beforeAll(async () => {
    server = createServer((request, reply) => {
      asked.push({ path: request.url!, key: request.headers["idempotency-key"] as string | undefined });
      const status = script.length === 0 ? 200 : script.shift();
      if (status == null) return void request.socket.destroy();
      reply.writeHead(status, { "retry-after": "0", "content-type": "application/json" });
      reply.end(JSON.stringify(status === 200 ? { id: "made" } : { code: "OF_THE_SERVER", detail: "not now" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    client = new TickwheelClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: "key" });
  });
  afterEach(() => {
    asked = [];
  });
  afterAll(() => void server?.close());

  test("a call of the client without a proper answer is sent again with the same idempotency key", async () => {
    script = [null, 503, 429];
    await expect(client.tasks.create({ type: "mail" })).resolves.toEqual({ id: "made" });
    expect(asked.map(({ path }) => path)).toEqual(Array.from({ length: 4 }, () => "/v1/tasks"));
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a call of the client has another idempotency key than the next call", async () => {
    script = [];
    await client.tasks.create({ type: "mail" });
    await client.tasks.create({ type: "mail" });
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
  });

  test("a call of the client without a proper answer is sent four times at most, or as often as asked", async () => {
    script = Array.from({ length: 9 }, () => 503);
    await expect(client.tasks.get("1")).rejects.toMatchObject({ code: "OF_THE_SERVER", status: 503, retryAfterMs: 0 });
    expect(asked).toHaveLength(4);
    await expect(client.tasks.get("1", { attempts: 1 })).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(5);
  });

  test.each([
    ["a broken connection", null, "NO_ANSWER"],
    ["503", 503, "OF_THE_SERVER"],
  ] as const)("a call of the client is not sent again after %s where that is not safe", async (_what, status, code) => {
    script = [status];
    await expect(client.tasks.retry("1")).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(1);
  });

  test("a call of the client is sent again after 429 even where that is not safe, for it was not done", async () => {
    script = [429];
    await expect(client.tasks.retry("1")).resolves.toEqual({ id: "made" });
    expect(asked).toHaveLength(2);
  });

  test("a call of the client is not sent again after a fault of the caller", async () => {
    script = [400];
    await expect(client.tasks.create({ type: "mail" })).rejects.toMatchObject({ status: 400 });
    expect(asked).toHaveLength(1);
  });

  test("a call of the client ends with the reason of its signal while it waits for its next try", async () => {
    script = [null];
    const leaving = new AbortController();
    const call = client.tasks.get("1", { signal: leaving.signal });
    leaving.abort(new Error("the user has gone"));
    await expect(call).rejects.toThrow("the user has gone");
  });
});
