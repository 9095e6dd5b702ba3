import { afterEach, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { type Delivery, type Execution, type Json, jsonTextOf } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { type BrokerChange, BrokerExecutor, type BrokerOptions } from "./broker-executor.js";
import {
  BROKER_LIMIT_MS,
  BrokerAwayError,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./broker-connection.js";
import { BrokerTargets } from "./broker-targets.js";

const STARTED_AT = 1_763_719_200_000;

/** A broker that this test plays. */
class Played implements BrokerConnection {
  isOpen = true;
  isBlocked = false;
  isClosed = false;
  readonly messages: BrokerMessage[] = [];
  answer: (message: BrokerMessage) => Promise<Json> = () => Promise.resolve({ offset: 7 });

  publish(message: BrokerMessage): Promise<Json> {
    this.messages.push(message);
    return this.answer(message);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

const clock = new ManualClock();
let played: Played[] = [];
let isAway = false;
let executor: BrokerExecutor;

function open(options: Partial<BrokerOptions> = {}): void {
  played = [];
  isAway = false;
  const connect = (): Promise<BrokerConnection> => {
    if (isAway) return Promise.reject(new Error("ECONNREFUSED"));
    const one = new Played();
    played.push(one);
    return Promise.resolve(one);
  };
  const targets = new BrokerTargets({ shop: { kind: "amqp", connect, subject: "orders", subjects: ["late"] } });
  executor = new BrokerExecutor({ targets, ...options }, clock);
}

afterEach(() => executor.close());

function execution(delivery: Partial<Delivery> = {}, signal = new AbortController().signal): Execution {
  return {
    type: { id: 1, namespace: "shöp", type: "order.cancel", delivery: "broker" },
    startedAt: STARTED_AT,
    foundBy: "wheel",
    signal,
    committed: () => undefined,
    task: {
      id: "0198",
      owner: "1",
      fence: 2,
      typeId: 1,
      key: "ä 7",
      payload: jsonTextOf({ amount: 5 }),
      attempt: 1,
      maxAttempts: 3,
      scheduledAt: STARTED_AT,
      dueAt: STARTED_AT,
      createdAt: 0,
      claimedAt: 0,
      crashCount: 0,
      snoozeCount: 0,
      given: 7,
      priority: 5,
      timeoutMs: 60_000,
      backoff: { kind: "fixed", delayMs: 1 },
      delivery: { kind: "amqp", to: "shop", headers: { "x-tenant": "7" }, ...delivery } as Delivery,
    },
  };
}

/** Lets everything run that waits for nothing but promises. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}

describe("a published task", () => {
  test("a published task is its payload, with what a consumer needs in the headers", async () => {
    open({ secrets: ["top-secret"] });
    expect(await executor.run(execution())).toEqual({ kind: "succeeded", result: '{"offset":7}' });
    const timestamp = String(STARTED_AT / 1_000);
    const signed = createHmac("sha256", "top-secret").update(`0198.${timestamp}.{"amount":5}`).digest("base64");
    expect(played[0]!.messages).toEqual([
      {
        id: "0198",
        type: "order.cancel",
        key: "ä 7",
        subject: "orders",
        body: '{"amount":5}',
        atMs: STARTED_AT,
        headers: {
          "x-tenant": "7",
          "content-type": "application/json",
          "tickwheel-type": "order.cancel",
          "tickwheel-namespace": "sh%C3%B6p",
          "tickwheel-key": "%C3%A4%207",
          "tickwheel-attempt": "1",
          "tickwheel-fence": "2",
          "webhook-id": "0198",
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${signed}`,
        },
      },
    ]);
  });

  test("a published task goes where it says, and all tasks go by one connection", async () => {
    open();
    await Promise.all([executor.run(execution()), executor.run(execution({ subject: "late" } as Partial<Delivery>))]);
    expect(played.map(({ messages }) => messages.map(({ subject }) => subject))).toEqual([["orders", "late"]]);
  });
});

describe("a task that its broker does not confirm", () => {
  test("a task to publish is deferred without an attempt while nobody can be connected to, less and less often", async () => {
    open();
    isAway = true;
    expect(await executor.run(execution())).toEqual({ kind: "deferred", delayMs: 1_000 });
    const late = execution();
    late.startedAt += 45_000;
    expect(await executor.run(late)).toEqual({ kind: "deferred", delayMs: 4_500 });
    isAway = false;
    expect(await executor.run(execution())).toMatchObject({ kind: "succeeded" });
  });

  test("a task to publish is deferred by the breaker once several tasks could not be sent", async () => {
    open();
    isAway = true;
    for (let n = 0; n < 6; n++) await executor.run(execution());
    expect(executor.breakerStates()).toMatchObject({ open: 1 });
    expect(await executor.run(execution())).toMatchObject({ kind: "deferred" });
  });

  test("a task to publish has failed where the broker refuses it, which the breaker does not count", async () => {
    open();
    await executor.run(execution());
    played[0]!.answer = () => Promise.reject(new PublishRefusedError("no queue takes it"));
    for (let n = 0; n < 6; n++)
      expect(await executor.run(execution())).toEqual({
        kind: "failed",
        error: 'The broker "shop" did not take it: no queue takes it',
        retryable: true,
      });
    played[0]!.answer = () => Promise.reject(new PublishRefusedError("too large", true));
    expect(await executor.run(execution())).toMatchObject({ retryable: false });
    expect(executor.breakerStates()).toMatchObject({ open: 0 });
  });

  test("a task to publish has failed where the connection breaks under it, and the next task makes another connection", async () => {
    open();
    await executor.run(execution());
    played[0]!.answer = () => {
      played[0]!.isOpen = false;
      return Promise.reject(new Error("it broke"));
    };
    const failed = await executor.run(execution());
    expect(failed).toMatchObject({ kind: "failed", retryable: true });
    expect((failed as { error: string }).error).toContain("may have arrived: it broke");
    await executor.run(execution());
    expect(played.map(({ messages }) => messages.length)).toEqual([2, 1]);
  });

  test("a task that its broker does not confirm has failed after ten seconds; its connection is left and then closed", async () => {
    open();
    await executor.run(execution());
    played[0]!.answer = () => new Promise(() => {});
    const silent = executor.run(execution());
    await settle();
    await clock.advance(BROKER_LIMIT_MS);
    expect((await silent) as { error: string }).toMatchObject({ kind: "failed", retryable: true });
    await executor.run(execution());
    expect(played).toHaveLength(2);
    expect(played[0]!.isClosed).toBe(false);
    await clock.advance(BROKER_LIMIT_MS);
    await settle();
    expect(played.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test("an unconfirmed task fails after ten seconds; its connection is kept where the broker has said that it takes nothing", async () => {
    open();
    await executor.run(execution());
    played[0]!.isBlocked = true;
    played[0]!.answer = () => new Promise(() => {});
    const silent = executor.run(execution());
    await settle();
    await clock.advance(BROKER_LIMIT_MS);
    expect(await silent).toMatchObject({ kind: "failed", retryable: true });
    played[0]!.answer = () => Promise.reject(new BrokerAwayError("it takes no messages: low on memory"));
    expect(await executor.run(execution())).toMatchObject({ kind: "deferred" });
    expect(played).toHaveLength(1);
  });

  test("a task that its broker does not confirm ends with its abort, which the breaker does not count", async () => {
    open();
    await executor.run(execution());
    played[0]!.answer = () => new Promise(() => {});
    for (let n = 0; n < 6; n++) {
      const abort = new AbortController();
      const run = executor.run(execution({}, abort.signal));
      await settle();
      abort.abort(new Error("cancelled"));
      expect(((await run) as { error: string }).error).toContain("cancelled");
    }
    expect(executor.breakerStates()).toMatchObject({ open: 0 });
  });
});

test("a broker that goes and comes back is told of once each, with the reason", async () => {
  const told: BrokerChange[] = [];
  open({ onChange: (change) => told.push(change) });
  isAway = true;
  await executor.run(execution());
  await executor.run(execution());
  await clock.advance(3_000);
  isAway = false;
  await executor.run(execution());
  await executor.run(execution());
  expect(told).toEqual([
    { target: "shop", kind: "amqp", reason: "ECONNREFUSED", lastedMs: 0 },
    { target: "shop", kind: "amqp", reason: null, lastedMs: 3_000 },
  ]);
});

test("a message that this node may not publish is left to other nodes", async () => {
  open();
  const left = (delivery: object) => executor.run(execution(delivery as Partial<Delivery>));
  expect(await left({ to: "other" })).toMatchObject({
    kind: "deferred",
    delayMs: 1_000,
    forOthers: expect.stringMatching(/^deliver\.to/),
  });
});

test("a node without secrets leaves all messages to nodes that sign", async () => {
  open({ leavesToSigners: () => true });
  expect(await executor.run(execution())).toMatchObject({
    kind: "deferred",
    forOthers: expect.stringMatching(/signs/),
  });
});

test("a node without broker targets runs no type that publishes to brokers", () => {
  open({ targets: new BrokerTargets({}) });
  expect(executor.canRun(execution().type)).toBe(false);
});
