import { expect, test } from "@jest/globals";
import { runInNewContext } from "node:vm";
import { DEFAULT_OPTIONS, MAX_ERROR_BYTES, NonRetryableError, RetryAtError } from "@tickwheel/core";
import { type Handler, HandlerExecutor, type TransactionRunner } from "@tickwheel/executors";
import { MemoryWorld } from "@tickwheel/testing";
import fc from "fast-check";
import { SchedulerNode } from "../index.js";
import { request } from "../../test-support/simulated-cluster.js";

/** Before a release: see `run-tests.mjs --whole`. */
const IS_WHOLE = process.env["TICKWHEEL_TEST_DEPTH"] === "whole";

/** What a handler does with a value. */
const WAYS = ["return", "throw", "return in a transaction", "throw in a transaction"] as const;

/** Not as a literal: an object that has it is one that linters warn of, and rightly. */
const THEN = String("then");
const no = (): never => {
  throw new Error("no");
};
const NO_FIELDS = { message: "", name: "", stack: "", cause: "", retryAt: "", [THEN]: "", toJSON: "", toString: "" };
const PRIMITIVE = Symbol.toPrimitive;

/** Values that a handler should not throw or return, each made anew. */
const hostile: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true, withMap: true })
    .map((value) => () => value),
  fc.string({ unit: "binary", size: "medium" }).map((text) => () => text),
  fc.constantFrom<(() => unknown)[]>(
    () => Symbol("s"),
    () => 5n,
    () => no,
    () => "x".repeat(3_000_000),
    () => "\0\uD800\uDC00\uDC00\uD800",
    () => new Proxy({}, new Proxy({}, { get: no })),
    () => {
      const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
      revoke();
      return proxy;
    },
    () => new Proxy(new Error("trapped"), { get: no, getPrototypeOf: no, has: no, ownKeys: no }),
    () => new Proxy(() => undefined, { apply: no, get: no }),
    () => Object.freeze(new Error("frozen")),
    () => runInNewContext("new TypeError('far away')") as unknown,
    () => runInNewContext("({ toJSON() { throw 5 }, toString() { throw 6 } })") as unknown,
    () =>
      Object.defineProperties(
        new Error("x"),
        Object.fromEntries(Object.keys(NO_FIELDS).map((name) => [name, { get: no }])),
      ),
    () => ({ [THEN]: no }),
    () => ({
      get [THEN]() {
        return no();
      },
    }),
    () => ({
      [THEN]: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        resolve(1);
        reject(new Error("twice"));
        resolve(2);
        no();
      },
    }),
    () => ({ [THEN]: (_resolve: unknown, reject: (error: unknown) => void) => reject({ [THEN]: no, message: {} }) }),
    () => new NonRetryableError({ toString: no } as never),
    () => Object.assign(new NonRetryableError("x"), { message: 5, stack: {} }),
    () => Object.assign(new RetryAtError(new Date(0)), { retryAt: new Date(Number.NaN) }),
    () => Object.assign(new RetryAtError(new Date(0)), { retryAt: { getTime: no } }),
    () => Object.assign(new RetryAtError(new Date(0)), { retryAt: { getTime: () => "soon" } }),
    () => Object.assign(new RetryAtError(new Date(0)), { retryAt: null }),
    () => new AggregateError([no], "many"),
    () => Object.defineProperty(new AggregateError([], "many"), "errors", { get: no }),
    () => Object.assign(new AggregateError([], "many"), { errors: new Proxy([], { get: no }) }),
    () => Object.defineProperty(new Error("x"), "cause", { get: no }),
    () => new Error("x", { cause: new Proxy(new Error("trapped"), { get: no, getPrototypeOf: no, ownKeys: no }) }),
    () => {
      const endless = (): Error => Object.defineProperty(new Error("next"), "cause", { get: endless });
      return endless();
    },
    () => new Proxy({}, { ownKeys: no }),
    () => ({ status: 5n, at: new Date(Number.NaN), bytes: new Uint8Array(1_000_000), [Symbol("s")]: no }),
    () => {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      return circle;
    },
    () => JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) as unknown,
  ),
  fc.tuple(fc.constantFrom(...Object.keys(NO_FIELDS)), fc.anything()).map(
    ([name, value]) =>
      () =>
        Object.assign(new Error("odd"), { [name]: value }),
  ),
  fc
    .constantFrom<unknown[]>(
      no,
      () => ({}),
      () => Symbol("s"),
      () => 5n,
      () => Number.NaN,
      null,
      5,
    )
    .map(
      (method) => () =>
        Object.assign(Object.create(null), {
          toString: method,
          toJSON: method,
          valueOf: method,
          [PRIMITIVE]: method,
          message: {},
        }) as unknown,
    ),
);

const NEVER = (): unknown => ({ [THEN]: () => undefined });

interface Deed {
  way: (typeof WAYS)[number];
  make: () => unknown;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  way: fc.constantFrom(...WAYS),
  make: fc.oneof(hostile, fc.constant(NEVER)),
});

/** What its handler does, once in each attempt. */
function act({ way, make }: Deed): unknown {
  const value = make();
  if (way.startsWith("throw")) throw value;
  return value;
}

/** A node with the real executor, dispatcher and settler; each task's id decides what its handler does. */
function nodeOf(world: MemoryWorld, deeds: ReadonlyMap<string, Deed>): SchedulerNode {
  const { clock, random, coordination, tasks, effects, cluster, connection } = world.join("n1");
  const runTransaction = ((work) => connection.transaction(work as never)) as TransactionRunner;
  const executor = new HandlerExecutor({ tasks, effects, clock, runTransaction });
  const handle: Handler["handle"] = ({ task }, context) => {
    const mine = deeds.get(task.id)!;
    if (mine.way.endsWith("in a transaction")) return context.transaction(async () => act(mine) as never);
    return act(mine) as never;
  };
  executor.register({ namespace: "default", type: "odd", handle });
  return new SchedulerNode(
    { clock, random, coordination, tasks, cluster, executors: [executor], telemetry: world.telemetry },
    {
      namespace: "default",
      label: "n1",
      version: "0.0.0",
      roles: ["engine"],
      scheduler: DEFAULT_OPTIONS,
      types: [{ namespace: "default", type: "odd", delivery: "handler" }],
    },
  );
}

async function run(all: readonly Deed[]): Promise<void> {
  const world = new MemoryWorld(7);
  const deeds = new Map<string, Deed>();
  const node = nodeOf(world, deeds);
  const started = node.start();
  await world.clock.advance(2_000);
  await started;
  const more = { timeoutMs: 1_000, maxAttempts: 2, backoff: { kind: "fixed", delayMs: 10 } as const };
  for (const one of all) {
    const scheduling = node.service.schedule(request("odd", 1_000, more));
    await world.clock.advance(50);
    deeds.set((await scheduling).task.id, one);
  }
  await world.clock.advance(12_000);
  const held = all.filter(({ way, make }) => make === NEVER && way.startsWith("return")).length;
  expect(node.holdings().executions).toEqual([]);
  expect(node.inFlight).toBe(2 * held);
  for (const id of deeds.keys()) {
    const reading = node.service.get("default", id);
    await world.clock.advance(1);
    const task = (await reading)!;
    expect(task).toMatchObject({ state: expect.stringMatching(/^(succeeded|dead)$/) });
    expect(Buffer.byteLength(task.lastError ?? "", "utf8")).toBeLessThanOrEqual(MAX_ERROR_BYTES);
  }
  expect(world.telemetry.named("engine.execution.broken")).toEqual([]);
  expect(world.telemetry.named("engine.execution.refused")).toEqual([]);
  const stopped = node.stop();
  await world.clock.advance(60_000);
  await stopped;
}

test("a handler's task ends, its place is free, and nothing of ours fails, whatever the handler throws or returns", async () => {
  await fc.assert(fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 12 }), run), {
    numRuns: IS_WHOLE ? 200 : 16,
  });
});
