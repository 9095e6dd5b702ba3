import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, afterAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { newTestKey } from "../support/cluster.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const PAYLOAD = '{"a" :12345678901234567890}';
const BODY = `{"type":"later","delay":"1h","payload":${PAYLOAD}}`;
const ROUNDED = '{"a":12345678901234567000}';

interface Call {
  /** Behind `/v1/tasks`. */
  path?: string;
  headers?: Record<string, string | number>;
  key?: string;
}

let postgres: TestPostgres;
let databaseUrl: string;
let app: INestApplication | null = null;
let url: string;
const key = newTestKey();

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase("bodies");
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(() => postgres.stop());

async function start(adapter: FastifyAdapter | ExpressAdapter, options: { rawBody?: boolean } = {}): Promise<void> {
  @Module({
    imports: [
      DelayTaskApiModule.forRoot({ dashboard: false }),
      DelayTaskModule.forRoot({ url: databaseUrl, redis: null, engine: false }),
    ],
  })
  class RootModule {}
  app = await NestFactory.create<INestApplication>(RootModule, adapter as ExpressAdapter, {
    ...options,
    logger: false,
    abortOnError: false,
  });
  await app.get(ApiKeyRing, { strict: false }).ensureFirstKey(key, "default");
  await app.listen(0, "127.0.0.1");
  url = `http://127.0.0.1:${(app.getHttpServer().address() as { port: number }).port}/v1/tasks`;
}

/** Sends pieces one by one, for as long as the server reads them. */
async function post(pieces: Iterable<string | Buffer>, { path = "", headers = {}, key: given = key }: Call = {}) {
  const call = request(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${given}`, "content-type": "application/json", ...headers },
  });
  call.on("error", () => undefined);
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  let isAnswered = false;
  void answered.then(() => (isAnswered = true));
  for (const piece of pieces) {
    if (isAnswered) break;
    if (!call.write(piece)) await Promise.race([once(call, "drain"), answered]);
  }
  if (!isAnswered) call.end();
  const [response] = await answered;
  const body = await text(response);
  call.destroy();
  return { status: response.statusCode, body };
}

function* endless(): Iterable<string> {
  yield '{"type":"later","payload":"';
  for (;;) yield "x".repeat(65_536);
}

/** An adapter whose application parses JSON before Tickwheel's module is there. */
function parsingBefore(): ExpressAdapter {
  const adapter = new ExpressAdapter();
  adapter.registerParserMiddleware();
  return adapter;
}

describe.each([
  ["Fastify", () => new FastifyAdapter()],
  ["Express", () => new ExpressAdapter()],
])("mounted on %s, bodies of our calls", (_name, adapter) => {
  test("bodies of a mounted API's calls come as sent, in one piece or many, with a mark of their byte order or without", async () => {
    await start(adapter());
    for (const pieces of [[BODY], BODY.split(""), [Buffer.from(`\ufeff${BODY}`)]])
      expect(await post(pieces)).toMatchObject({ status: 201, body: expect.stringContaining(`"payload":${PAYLOAD}`) });
    expect(
      await post([`{"type":"later","payload":"ž`, Buffer.from("ž").subarray(0, 1), Buffer.from("ž").subarray(1), `"}`]),
    ).toMatchObject({
      body: expect.stringContaining('"payload":"žž"'),
    });
  });

  test("bodies without an end are refused at 1 MiB, of a bulk at 16 MiB, and at once where nobody may send them", async () => {
    await start(adapter());
    for (const path of ["", "/bulk"]) {
      const refused = { status: 413, body: expect.stringContaining("PAYLOAD_TOO_LARGE") };
      expect(await post(endless(), { path })).toMatchObject(refused);
      expect(await post(endless(), { path, key: newTestKey() })).toMatchObject({ status: 401 });
    }
  });

  test("bodies that are nested too deep or have too many values are refused before they are parsed", async () => {
    await start(adapter());
    const bodies = [
      "[".repeat(500_000),
      `[${"{},".repeat(200_000)}`,
      `{"type":"later","payload":[${"1,".repeat(120_000)}1]}`,
    ];
    for (const body of bodies)
      expect(await post([body])).toMatchObject({ status: 400, body: expect.stringMatching(/nested deeper|more than/) });
  });

  test("bodies that are cut off, empty or no JSON are answered as bad input", async () => {
    await start(adapter());
    for (const pieces of [[], [BODY.slice(0, -1)], ["null"], ["[]"], ["\u0000"]])
      expect(await post(pieces)).toMatchObject({ status: 400, body: expect.stringContaining("VALIDATION_FAILED") });
    const cut = request(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": 1_000 },
    });
    cut.on("error", () => undefined);
    await new Promise<void>((resolve) => cut.write("{", () => resolve()));
    cut.destroy();
    expect(await post([BODY])).toMatchObject({ status: 201 });
  });

  test("bodies of a mounted API's calls come as they were sent to an address whose letters are encoded", async () => {
    await start(adapter());
    const { status, body } = await post([BODY.replace("{", '{"__proto__":1,')], { path: "/../task%73" });
    // Express treats it as another address.
    if (status !== 404)
      expect({ status, body }).toMatchObject({ status: 400, body: expect.stringContaining("__proto__") });
    const encoded = await post([BODY], { path: "/../task%73" });
    if (encoded.status !== 404)
      expect(encoded).toMatchObject({ body: expect.stringContaining(`"payload":${PAYLOAD}`) });
  });

  test("bodies that are compressed, or not JSON in UTF-8, get 415 if the caller has a key", async () => {
    await start(adapter());
    const json = "application/json";
    const refusedHeaders: Record<string, string>[] = [
      { "content-encoding": "gzip" },
      { "content-encoding": "x" },
      { "content-type": `${json}; charset=latin1` },
      { "content-type": "text/plain" },
      { "content-type": `${json}+ld` },
      { "content-type": "application/x-www-form-urlencoded" },
    ];
    for (const headers of refusedHeaders) {
      const pieces = ["content-encoding" in headers ? gzipSync(BODY) : BODY];
      const refused = { status: 415, body: expect.stringContaining("VALIDATION_FAILED") };
      expect(await post(pieces, { headers })).toMatchObject(refused);
      expect(await post(pieces, { headers, key: newTestKey() })).toMatchObject({ status: 401 });
    }
    const takenHeaders: Record<string, string>[] = [
      { "content-encoding": "identity" },
      { "content-type": `${json}; profile=x; charset="UTF-8"` },
      { "content-type": "Application/JSON;charset=utf8" },
    ];
    for (const headers of takenHeaders) expect(await post([BODY], { headers })).toMatchObject({ status: 201 });
  });

  test("bodies may be missing, whatever type they are said to have, where a call takes none", async () => {
    await start(adapter());
    const { id } = JSON.parse((await post([BODY])).body) as { id: string };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    for (const [method, path] of [
      ["POST", "/run-now"],
      ["POST", "/retry"],
      ["DELETE", ""],
    ] as const) {
      const answer = await fetch(`${url}/${id}${path}`, { method, headers });
      // No node runs it here, so it is due and not dead.
      expect([path, answer.status]).toEqual([path, path === "/retry" ? 409 : 200]);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const { status } = await fetch(`${url}/${id}`, { method: "DELETE", headers, body: "x".repeat(200_000) });
    expect(status).toBe(200);
  });

  test("bodies of a mounted API's calls come as they were sent where the application asks for raw bodies itself", async () => {
    await start(adapter(), { rawBody: true });
    expect(await post([BODY])).toMatchObject({ body: expect.stringContaining(`"payload":${PAYLOAD}`) });
  });
});

test("a payload in a body that the application has parsed already has the numbers that JavaScript can hold", async () => {
  await start(parsingBefore());
  expect(await post([BODY])).toMatchObject({ status: 201, body: expect.stringContaining(`"payload":${ROUNDED}`) });
});
