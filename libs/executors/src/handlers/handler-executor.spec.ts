import { describe, expect, test } from "@jest/globals";
import {
  type DurationInput,
  type CallerTransaction,
  type Completion,
  type EffectStore,
  type Execution,
  NonRetryableError,
  RetryAtError,
  SystemClock,
  TickwheelError,
  type JsonText,
  jsonTextOf,
} from "@tickwheel/core";
import { type Handler, HandlerExecutor } from "./handler-executor.js";
import type { TransactionRunner } from "../context/execution-steps.js";

const startedAt = 1_763_719_200_000;
const type = { id: 1, namespace: "default", type: "order.cancel", delivery: "handler" } as const;
const SOON = "soon" as never;
const transaction: CallerTransaction = { query: () => Promise.resolve([]) };

function execution(signal: AbortSignal = new AbortController().signal): Execution & { completions: Completion[] } {
  const completions: Completion[] = [];
  const backoff = { kind: "fixed", delayMs: 1 } as const;
  const task = {
    id: "0198",
    owner: "1",
    fence: 2,
    typeId: 1,
    key: null,
    payload: jsonTextOf(5),
    attempt: 1,
    maxAttempts: 3,
    crashCount: 0,
    snoozeCount: 0,
    priority: 5,
    scheduledAt: 0,
    dueAt: 0,
    createdAt: 0,
    claimedAt: 0,
    timeoutMs: 1_000,
    given: 7,
    backoff,
    delivery: null,
  };
  const committed = (completion: Completion): number => completions.push(completion);
  return { type, startedAt, foundBy: "wheel", signal, completions, committed, task };
}

const tasksOf = (stillMine: boolean) => ({
  beginWithin: () => Promise.resolve(),
  completeWithin: () => Promise.resolve(stillMine ? 1_000 : null),
});

/** No handler here leaves any behind. */
const noEffects = {} as EffectStore;

function executorOf(
  handle: Handler["handle"],
  stillMine = true,
  { outcomes = [], ...more }: Partial<Handler> & { outcomes?: string[] } = {},
): HandlerExecutor {
  const run: TransactionRunner = async (work) => {
    try {
      const value = await work(transaction as never);
      outcomes.push("commit");
      return value;
    } catch (error) {
      outcomes.push("rollback");
      throw error;
    }
  };
  const executor = new HandlerExecutor(
    { tasks: tasksOf(stillMine), effects: noEffects, clock: new SystemClock(), runTransaction: run },
    100,
  );
  executor.register({ namespace: "default", type: "order.cancel", handle, ...more });
  return executor;
}

describe("HandlerExecutor", () => {
  test("what a handler returns is the task's result", async () => {
    await expect(executorOf(({ payload }) => ({ doubled: Number(payload) * 2 })).run(execution())).resolves.toEqual({
      kind: "succeeded",
      result: '{"doubled":10}',
    });
  });

  test.each([
    ["was claimed", { claimedAt: 7_000, dueAt: 5_000 }, 7_000],
    ["is due, if it was claimed ahead", { claimedAt: 4_900, dueAt: 5_000 }, 5_000],
  ])("an occurrence starts when it %s, however long its handler was waited for", async (_name, times, expected) => {
    const begun: number[] = [];
    const occurrences = { isOccurrence: () => true, begin: async (_id: string, at: number) => void begun.push(at) };
    const ports = { tasks: tasksOf(true), clock: new SystemClock(), runTransaction: null, occurrences };
    const executor = new HandlerExecutor(ports as never, 100);
    executor.register({ namespace: "default", type: "order.cancel", handle: () => "done" });
    const late = execution();
    Object.assign(late.task, times);
    expect((await executor.run(late)).kind).toBe("succeeded");
    expect(begun).toEqual([expected]);
  });

  test("a payload that is no JSON is a failure for good, and its handler is not called", async () => {
    let calls = 0;
    const broken = execution();
    broken.task.payload = '{"a":' as JsonText;
    const result = await executorOf(() => void calls++).run(broken);
    expect([result, calls]).toEqual([
      { kind: "failed", error: "The payload is no JSON", retryable: false, reason: "PAYLOAD_INVALID" },
      0,
    ]);
  });

  test("each call has a payload of its own, in which __proto__ is data", async () => {
    const task = execution();
    task.task.payload = '{"__proto__":{"a":1},"n":12345678901234567890}' as JsonText;
    const seen: unknown[] = [];
    const executor = executorOf(({ payload }) => void seen.push(payload));
    await executor.run(task);
    await executor.run(task);
    expect(seen[0]).not.toBe(seen[1]);
    expect(Object.keys(seen[0] as object)).toEqual(["__proto__", "n"]);
    expect(Object.getPrototypeOf(seen[0])).toBe(Object.prototype);
  });

  test("what a handler throws is a failure to be retried", async () => {
    const executor = executorOf(() => Promise.reject(new Error("no luck")));
    await expect(executor.run(execution())).resolves.toEqual({
      kind: "failed",
      error: expect.stringMatching(/^Error: no luck/),
      thrown: new Error("no luck"),
      retryable: true,
    });
  });

  test("the application's frames of the stack of a handler's error are kept, without ours and Node's", async () => {
    const error = new Error("no luck");
    const own = [
      "    at Orders.cancel (/app/dist/orders.js:1:2)",
      "    at async /app/node_modules/pg/lib/query.js:1:2",
    ];
    const ours = [
      "    at Object.handle (file:///app/node_modules/@tickwheel/nestjs/dist/node/delay-task.node.js:1:2)",
      "    at async HandlerExecutor.run (/src/tickwheel/libs/executors/src/handler-executor.ts:1:2)",
      "    at C:\\app\\node_modules\\@tickwheel\\engine\\dist\\running\\dispatcher.js:1:2",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
    ];
    error.stack = ["Error: no luck", own[0], ...ours, own[1]].join("\n");
    const result = await executorOf(() => Promise.reject(error)).run(execution());
    expect(result).toMatchObject({ error: ["Error: no luck", ...own].join("\n") });
  });

  test("NonRetryableError of a handler is final", async () => {
    const executor = executorOf(() => Promise.reject(new NonRetryableError("never")));
    await expect(executor.run(execution())).resolves.toMatchObject({ kind: "failed", retryable: false });
  });

  test("a handler that snoozes puts its task off, whatever it returns; a handler that throws after a snooze has failed", async () => {
    const put = executorOf((_task, ctx) => (ctx.snooze("2m"), "not kept"));
    await expect(put.run(execution())).resolves.toEqual({ kind: "snoozed", delayMs: 120_000 });
    const threw = executorOf((_task, ctx) => {
      ctx.snooze(5);
      throw new Error("no luck");
    });
    await expect(threw.run(execution())).resolves.toMatchObject({ kind: "failed", retryable: true });
    for (const bad of [-1, SOON, Number.NaN, 1e15]) {
      const executor = executorOf((_task, ctx) => ctx.snooze(bad));
      await expect(executor.run(execution())).resolves.toMatchObject({
        kind: "failed",
        thrown: { code: "VALIDATION_FAILED" },
      });
    }
  });

  test("a handler that defers its type puts its task off for as long", async () => {
    const deferred = executorOf((_task, ctx) => ctx.defer("30s", { reason: "slow \0down" }));
    const defersType = { forMs: 30_000, reason: "slow \uFFFDdown" };
    await expect(deferred.run(execution())).resolves.toEqual({ kind: "snoozed", delayMs: 30_000, defersType });
    const bad: [DurationInput, string?][] = [[99], ["61m"], [-1], [SOON], [100, "x".repeat(1_001)]];
    for (const [delay, reason] of bad) {
      const executor = executorOf((_task, ctx) => ctx.defer(delay, { reason }));
      await expect(executor.run(execution())).resolves.toMatchObject({ thrown: { code: "VALIDATION_FAILED" } });
    }
  });

  test("a snooze and a transaction do not go together: what was written is rolled back", async () => {
    const outcomes: string[] = [];
    const within = executorOf(async (_task, ctx) => ctx.transaction(async () => ctx.snooze(5)), true, { outcomes });
    await expect(within.run(execution())).resolves.toMatchObject({ thrown: { code: "VALIDATION_FAILED" } });
    expect(outcomes).toEqual(["rollback"]);
    const behind = executorOf(async (_task, ctx) => {
      await ctx.transaction(async () => undefined);
      ctx.snooze(5);
    });
    await expect(behind.run(execution())).resolves.toEqual({ kind: "succeeded", result: null });
  });

  test("a handler's result that is no success is a failed attempt, and of a transaction nothing is kept", async () => {
    const succeeded = (result: unknown): boolean => result === "success";
    const of = (handle: Handler["handle"], outcomes: string[] = []) =>
      executorOf(handle, true, { outcomes, succeeded }).run(execution());
    await expect(of(() => "success")).resolves.toEqual({ kind: "succeeded", result: '"success"' });
    const error = expect.stringContaining('The result is no success: "fail"');
    await expect(of(() => "fail")).resolves.toMatchObject({ kind: "failed", retryable: true, error });
    const outcomes: string[] = [];
    await expect(of((_task, ctx) => ctx.transaction(async () => "fail"), outcomes)).resolves.toMatchObject({ error });
    await of((_task, ctx) => ctx.transaction(async () => "success"), outcomes);
    expect(outcomes).toEqual(["rollback", "commit"]);
    const succeeds = (): boolean => {
      throw new Error("cannot tell");
    };
    const broken = executorOf(() => 1, true, { succeeded: succeeds });
    await expect(broken.run(execution())).resolves.toMatchObject({
      kind: "failed",
      retryable: true,
      error: expect.stringContaining("cannot tell"),
    });
  });

  const conditional = (
    condition: Handler["condition"],
    { outcomes = [] as string[], signal = new AbortController().signal } = {},
  ) => executorOf(() => (outcomes.push("called"), "done"), true, { condition, outcomes }).run(execution(signal));

  test.each([
    ["no", () => false, { kind: "skipped" }],
    ["no, later", async () => false, { kind: "skipped" }],
    ["yes", ({ payload }: { payload: unknown }) => payload === 5, { kind: "succeeded", result: '"done"' }],
  ])(
    "a condition of a handler that says %s decides whether the handler is called",
    async (_what, condition, result) => {
      const outcomes: string[] = [];
      await expect(conditional(condition, { outcomes })).resolves.toEqual(result);
      expect(outcomes).toEqual(result.kind === "skipped" ? [] : ["called"]);
    },
  );

  test("a handler's condition that throws, or answers neither true nor false, is a failed attempt", async () => {
    const outcomes: string[] = [];
    const broken = (): never => {
      throw new NonRetryableError("no such order");
    };
    await expect(conditional(broken, { outcomes })).resolves.toMatchObject({ kind: "failed", retryable: false });
    const failure = { kind: "failed", retryable: true, error: expect.stringContaining("true or false, not undefined") };
    await expect(conditional((() => undefined) as never, { outcomes })).resolves.toMatchObject(failure);
    expect(outcomes).toEqual([]);
  });

  test("no handler is called once the signal has fired while its condition was asked", async () => {
    const outcomes = [] as string[];
    const controller = new AbortController();
    const slow = (isWanted: boolean) => async () => {
      controller.abort(new Error("timed out"));
      return isWanted;
    };
    const { signal } = controller;
    const error = expect.stringContaining("timed out");
    await expect(conditional(slow(true), { outcomes, signal })).resolves.toMatchObject({ kind: "failed", error });
    await expect(conditional(slow(false), { outcomes, signal })).resolves.toEqual({ kind: "skipped" });
    expect(outcomes).toEqual([]);
  });

  test("a handler's condition that puts the task off, or completes it, has decided: the handler is not called", async () => {
    const outcomes: string[] = [];
    const snoozes: Handler["condition"] = (_task, ctx) => (ctx.snooze("5s"), true);
    await expect(conditional(snoozes, { outcomes })).resolves.toEqual({ kind: "snoozed", delayMs: 5_000 });
    const completes: Handler["condition"] = (_task, ctx) => ctx.transaction(async () => true);
    await expect(conditional(completes, { outcomes })).resolves.toEqual({ kind: "succeeded", result: null });
    expect(outcomes).toEqual(["commit"]);
  });

  test("a handler's transaction commits with the completion, and the engine is told", async () => {
    const outcomes: string[] = [];
    const started = execution();
    const executor = executorOf(
      async (_task, ctx) => void (await ctx.transaction(() => Promise.resolve("done"))),
      true,
      { outcomes },
    );
    await executor.run(started);
    expect(outcomes).toEqual(["commit"]);
    expect(started.completions).toEqual([
      { id: "0198", owner: "1", fence: 2, startedAt, result: '"done"', isBegun: true },
    ]);
  });

  test.each([
    ["a BigInt", 5n, /^The result has no JSON: TypeError: /],
    ["too many bytes", "é".repeat(50), /larger than 100 bytes of JSON \(resultLimitBytes\): it has at least 102/],
  ])(
    "a handler's result of %s ends the task dead and says so, since the handler is done",
    async (_what, value, error) => {
      const result = await executorOf(() => value as never).run(execution());
      expect(result).toEqual({
        kind: "failed",
        error: expect.stringMatching(error),
        retryable: false,
        reason: "RESULT_INVALID",
      });
    },
  );

  test("a handler's result as large as allowed is the task's result", async () => {
    const result = await executorOf(() => "é".repeat(49)).run(execution());
    expect(result).toEqual({ kind: "succeeded", result: `"${"é".repeat(49)}"` });
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;
  test.each<[string, unknown]>([
    ["a cycle", circle],
    ["a BigInt", 5n],
    ["a function", () => 1],
  ])(
    "a handler's transaction that returns %s commits without a result, and its caller gets the value",
    async (_what, value) => {
      const started = execution();
      let returned: unknown;
      const executor = executorOf(
        async (_task, ctx) => void (returned = await ctx.transaction(async () => value)),
        true,
      );
      await expect(executor.run(started)).resolves.toMatchObject({ kind: "succeeded" });
      expect(returned).toBe(value);
      expect(started.completions).toEqual([expect.objectContaining({ result: null })]);
    },
  );

  test("a handler's transaction whose result is too large is rolled back, and may be tried again", async () => {
    const outcomes: string[] = [];
    const executor = executorOf((_task, ctx) => ctx.transaction(async () => "x".repeat(200)), true, { outcomes });
    const result = await executor.run(execution());
    expect(result).toMatchObject({
      kind: "failed",
      error: expect.stringContaining("resultLimitBytes"),
      retryable: true,
    });
    expect(outcomes).toEqual(["rollback"]);
  });

  test("a RetryAtError whose time is no time waits for the backoff", async () => {
    const error = Object.assign(new RetryAtError(new Date(0)), { retryAt: new Date(Number.NaN) });
    const result = await executorOf(() => Promise.reject(error)).run(execution());
    expect(result).toMatchObject({ kind: "failed", retryable: true });
    expect(result).not.toHaveProperty("retryAfterMs");
  });

  test("a superseded execution rolls its transaction back", async () => {
    const outcomes: string[] = [];
    const started = execution();
    const executor = executorOf((_task, ctx) => ctx.transaction(() => Promise.resolve()), false, { outcomes });
    await expect(executor.run(started)).resolves.toMatchObject({ kind: "failed" });
    expect(outcomes).toEqual(["rollback"]);
    expect(started.completions).toEqual([]);
  });

  test("an execution that was aborted before it asked for its transaction begins none", async () => {
    const outcomes: string[] = [];
    const listens = async (): Promise<never> => new Promise(() => undefined);
    const executor = executorOf((_task, ctx) => ctx.transaction(listens), true, { outcomes });
    const result = await executor.run(execution(AbortSignal.abort(new Error("cancelled"))));
    expect([result, outcomes]).toEqual([expect.objectContaining({ kind: "failed", retryable: true }), []]);
  });

  test("an aborted execution does not commit its transaction", async () => {
    const outcomes: string[] = [];
    const controller = new AbortController();
    const aborted = async (): Promise<void> => controller.abort(new Error("cancelled"));
    await executorOf((_task, ctx) => ctx.transaction(aborted), true, { outcomes }).run(execution(controller.signal));
    expect(outcomes).toEqual(["rollback"]);
  });

  test("a throw of a handler after the commit changes nothing", async () => {
    const executor = executorOf(async (_task, ctx) => {
      await ctx.transaction(() => Promise.resolve());
      throw new Error("too late");
    });
    await expect(executor.run(execution())).resolves.toMatchObject({ kind: "succeeded" });
  });

  test("a second transaction of one execution is refused", async () => {
    let second: unknown;
    const executor = executorOf(async (_task, ctx) => {
      await ctx.transaction(() => Promise.resolve());
      second = await ctx.transaction(() => Promise.resolve()).catch((error: unknown) => error);
    });
    await executor.run(execution());
    expect(second).toMatchObject({ code: "TRANSACTION_ALREADY_COMMITTED" });
  });

  test("without the application's database a transaction is a typed error", async () => {
    const ports = { tasks: tasksOf(true), effects: noEffects, clock: new SystemClock(), runTransaction: null };
    const executor = new HandlerExecutor(ports);
    let code: unknown;
    executor.register({
      namespace: "default",
      type: "order.cancel",
      handle: (_task, ctx) =>
        ctx.transaction(() => Promise.resolve()).catch((error: TickwheelError) => void (code = error.code)),
    });
    await executor.run(execution());
    expect(code).toBe("TRANSACTION_UNAVAILABLE");
  });

  test("two handlers of one type are refused", () => {
    const executor = executorOf(() => null);
    expect(() => executor.register({ namespace: "default", type: "order.cancel", handle: () => null })).toThrow(
      /two handlers/,
    );
  });
});
