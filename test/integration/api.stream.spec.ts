import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import { type ClockTimer, SystemClock } from "@tickwheel/core";
import pg from "pg";
import { ApiApplication } from "../support/api-application.js";
import type { Problem, SessionBody } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";
import { EventStream } from "../support/event-stream.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

interface Stats {
  counts: { scheduled: number };
}

/**
 * Ten times as fast as the real one: a stream tells what has changed ten times a second, and looks at its key twice.
 */
class QuickClock extends SystemClock {
  override monotonicMs(): number {
    return 10 * super.monotonicMs();
  }
  override setTimer(delayMs: number, callback: () => void): ClockTimer {
    return super.setTimer(delayMs / 10, callback);
  }
}

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("the stream on %s", (platform) => {
  let app: ApiApplication;
  let database: pg.Client;
  const streams: EventStream[] = [];

  beforeAll(async () => {
    const url = await postgres.createDatabase(`stream_${platform}`);
    app = await ApiApplication.startOn(new QuickClock(), platform, url);
    database = new pg.Client({ connectionString: url });
    await database.connect();
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  afterAll(async () => {
    await database.end();
    await app.stop();
  });

  /** A key of its own, so that no other test's streams count against it. */
  const newKey = async (rights: { role?: string; cluster?: boolean } = {}): Promise<string> => {
    const key = newTestKey();
    const sql = "INSERT INTO tickwheel.api_key (hash, namespace, role, cluster) VALUES ($1, 'default', $2, $3)";
    await database.query(sql, [hashApiKey(key), rights.role ?? "viewer", rights.cluster ?? false]);
    return key;
  };
  const open = async (topics: string, headers: Readonly<Record<string, string>>): Promise<EventStream> => {
    const stream = await EventStream.open(`${app.url}/v1/stream?topics=${topics}`, headers);
    streams.push(stream);
    return stream;
  };
  const withKey = async (topics: string, key: string): Promise<EventStream> =>
    open(topics, { authorization: `Bearer ${key}` });
  const logIn = async (key: string): Promise<{ cookie: string }> => {
    const { headers } = await app.admin.post<SessionBody>("/v1/session", { key });
    return { cookie: headers.get("set-cookie")!.split(";", 1)[0]! };
  };
  const end = (stream: EventStream) => stream.seen<{ code: string; detail: string }>("end");

  test("the stream greets, tells the time, and says what its calls say when that changes", async () => {
    const stream = await open("stats,cluster", await logIn(app.key));
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(stream.headers["content-encoding"]).toBeUndefined();
    await stream.seen("cluster", ({ nodes }: { nodes: unknown[] }) => nodes.length === 1);
    const { counts } = await stream.seen<Stats>("stats");
    await app.admin.schedule({ type: "test.later", delay: "1h" });
    await stream.seen<Stats>("stats", (stats) => stats.counts.scheduled === counts.scheduled + 1);
    const [hello, ...ticks] = [...stream.of<{ at: string }>("hello"), ...stream.of<{ at: string }>("tick")];
    expect(hello).toEqual({
      at: expect.any(String),
      node: expect.stringContaining(`:${process.pid}`),
      topics: ["stats", "cluster"],
    });
    expect(Math.abs(Date.parse(hello!.at) - Date.now())).toBeLessThan(60_000);
    expect(ticks.length).toBeGreaterThan(0);
    const answer = await app.admin.get<Stats>("/v1/stats");
    await stream.seen<Stats>(
      "stats",
      (stats) => JSON.stringify(Object.keys(stats)) === JSON.stringify(Object.keys(answer.body)),
    );
  });

  test("the stream ends with its key, with its session's key, and with the log-out of its session", async () => {
    const key = await newKey();
    const session = await app.admin.logIn();
    const loggedOut = await open("stats", session.headers);
    const ended = [await withKey("stats", key), await open("stats", await logIn(key)), loggedOut];
    await Promise.all(ended.map((stream) => stream.seen("stats")));
    await database.query("UPDATE tickwheel.api_key SET expires_at = now() WHERE hash = $1", [hashApiKey(key)]);
    await session.delete("/v1/session");
    for (const stream of ended) {
      expect(await end(stream)).toMatchObject({ code: "UNAUTHENTICATED" });
      await stream.over();
    }
    expect((await withKey("stats", key)).status).toBe(401);
  });

  test("the stream of the cluster needs that right, and knows its topics", async () => {
    const viewer = await app.clientAs({ role: "viewer" });
    expect((await viewer.get<Problem>("/v1/stream?topics=stats,cluster")).body).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
    });
    for (const query of ["", "?topics=", "?topics=stats,none", "?topics=toString", "?topics=stats&more=1"])
      expect((await viewer.get<Problem>(`/v1/stream${query}`)).body).toMatchObject({
        status: 400,
        code: "VALIDATION_FAILED",
      });
    expect((await viewer.send("HEAD", "/v1/stream?topics=stats")).status).toBe(200);
  });

  test("the stream may be open six times in a session, and a closed one makes room", async () => {
    const cookie = await logIn(await newKey());
    const opened = await Promise.all(Array.from({ length: 7 }, () => open("stats", cookie)));
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(opened.find(({ status }) => status === 429)!.headers["retry-after"]).toBe("1");
    opened.find(({ status }) => status === 200)!.close();
    await eventually(async () => expect((await open("stats", cookie)).status).toBe(200));
  });

  test("the stream may be open a hundred times with a key, beside all its requests", async () => {
    const key = await newKey();
    const opened = await Promise.all(Array.from({ length: 101 }, () => withKey("stats", key)));
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(100);
    const asked = await Promise.all(opened.slice(0, 20).map((stream) => stream.seen("stats")));
    expect(asked).toHaveLength(20);
  });
});

test("a stop ends streams at once, and is not held up by a client that does not read", async () => {
  const app = await ApiApplication.start("fastify", await postgres.createDatabase("stream_stop"));
  const headers = { authorization: `Bearer ${app.key}` };
  const stream = await EventStream.open(`${app.url}/v1/stream?topics=stats`, headers);
  const sleeper = connect({ port: Number(new URL(app.url).port), host: "127.0.0.1" });
  sleeper.on("error", () => undefined);
  sleeper.pause();
  sleeper.write(`GET /v1/stream?topics=stats HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`);
  await stream.seen("tick");
  const stopped = app.stop();
  expect(await stream.seen("end")).toMatchObject({ code: "STORE_UNAVAILABLE" });
  await stream.over();
  await stopped;
  sleeper.destroy();
});
