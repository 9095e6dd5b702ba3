import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import type { ExecutionResult } from "@tickwheel/core";
import { Redis } from "ioredis";
import { type Inbox, natsInbox, redisInbox } from "../support/brokers/inbox.js";
import { Publishing } from "../support/brokers/publishing.js";
import { eventually } from "../support/eventually.js";

let inbox: Inbox;
let publishing: Publishing;

const publish = (...given: Parameters<Publishing["publish"]>): Promise<ExecutionResult> => publishing.publish(...given);

function use(start: () => Promise<Inbox>): void {
  beforeAll(async () => {
    inbox = await start();
    publishing = new Publishing(inbox.target);
  });
  afterAll(async () => {
    publishing?.close();
    await inbox?.stop();
  });
}

/** What is the same with both. */
function testWays(): void {
  test("a broker confirms a message, which has the task's id, payload and headers", async () => {
    expect(await publish({ order: 7 }, { id: "0198", headers: { "x-tenant": "7" } })).toMatchObject({
      kind: "succeeded",
      result: expect.stringMatching(/^\{"(stream|entry)":/),
    });
    expect((await inbox.all())[0]).toMatchObject({
      id: "0198",
      payload: '{"order":7}',
      headers: { "x-tenant": "7", "webhook-id": "0198", "tickwheel-type": "order.expire", "tickwheel-key": "order-7" },
    });
  });

  test("messages that come while the broker is away are deferred, and taken when it is back with what it had", async () => {
    await inbox.broker.kill();
    // The first may still find the connection open; what it sent may have arrived.
    await eventually(async () => expect(await publish()).toMatchObject({ kind: "deferred" }));
    await inbox.broker.restart();
    await eventually(async () => expect(await publish()).toMatchObject({ kind: "succeeded" }));
    expect((await inbox.all()).map(({ id }) => id)).toContain("0198");
  });
}

describe("NATS", () => {
  use(natsInbox);
  testWays();

  test("NATS drops a message that it has had, and says so", async () => {
    await publish({}, { id: "twice" });
    expect(await publish({}, { id: "twice" })).toMatchObject({ result: expect.stringContaining('"duplicate":true') });
    expect((await inbox.all()).filter(({ id }) => id === "twice")).toHaveLength(1);
  });

  test("NATS refuses a subject that no stream takes, what a full stream refuses, and for good what is too large", async () => {
    expect(await publish({}, { subject: "nobodys" })).toMatchObject({
      kind: "failed",
      retryable: true,
      error: 'The broker "shop" did not take it: no stream takes the subject "nobodys"',
    });
    expect(await publish(2_000_000)).toMatchObject({ kind: "failed", retryable: false });
    const connection = await connectNats({ servers: inbox.broker.url });
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: "small", subjects: ["small"], max_msgs: 1, discard: "new" as never });
    await connection.close();
    expect(await publish({}, { subject: "small" })).toMatchObject({ kind: "succeeded" });
    expect(await publish({}, { subject: "small" })).toMatchObject({
      kind: "failed",
      retryable: true,
      error: expect.stringContaining("maximum messages exceeded"),
    });
  });
});

describe("Redis", () => {
  use(redisInbox);
  testWays();

  test("Redis refuses to publish to what is no stream, and takes nothing where it is full", async () => {
    const redis = new Redis(inbox.broker.url);
    await redis.set("text", "no stream");
    expect(await publish({}, { subject: "text" })).toMatchObject({
      kind: "failed",
      retryable: true,
      error: expect.stringMatching(/did not take it: WRONGTYPE/),
    });
    await redis.config("SET", "maxmemory", "1");
    expect(await publish()).toMatchObject({ kind: "deferred" });
    await redis.config("SET", "maxmemory", "0");
    redis.disconnect();
    expect(await publish({}, { id: "later" })).toMatchObject({ kind: "succeeded" });
    expect((await inbox.all()).map(({ id }) => id)).toContain("later");
  });

  test("Redis keeps about as many messages of a stream as its target says", async () => {
    const bounded = new Publishing({ ...inbox.target, kind: "redis", maxLength: 100 });
    await Promise.all(Array.from({ length: 1_000 }, () => bounded.publish({}, { subject: "bounded" })));
    bounded.close();
    const redis = new Redis(inbox.broker.url);
    const length = await redis.xlen("bounded");
    redis.disconnect();
    expect(length).toBeGreaterThanOrEqual(100);
    expect(length).toBeLessThan(400);
  });
});
