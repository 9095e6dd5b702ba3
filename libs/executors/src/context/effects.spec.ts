import { describe, expect, test } from "@jest/globals";
import { CHECKPOINT_LIMIT_BYTES, MAX_STEPS } from "@tickwheel/core";
import { codeOf, type Handle, sceneOf } from "../../test-support/effects-scene.js";
import type { HandlerContext } from "./handler-context.js";

type Noting = Awaited<ReturnType<typeof sceneOf>>["noting"];

describe("ctx.once", () => {
  test("a step of ctx.once runs in the first attempt alone, and a later attempt gets its stored result", async () => {
    const { claim, run, fail, noting, committed } = await sceneOf();
    const answers: unknown[] = [];
    const handle: Handle = async (ctx) => {
      answers.push(await ctx.once("pay", noting("pay", { receipt: 7 })));
      answers.push(await ctx.once("mail", noting("mail", undefined)));
    };
    const first = await claim();
    await run(first, handle);
    await fail(first);
    await run(await claim(), handle);
    expect([answers, committed]).toEqual([
      [{ receipt: 7 }, null, { receipt: 7 }, null],
      ["pay", "mail"],
    ]);
  });

  test("the first answer of ctx.once is what the later answers will be: the result's JSON", async () => {
    const { claim, run, noting } = await sceneOf();
    const answers: unknown[] = [];
    await run(await claim(), async (ctx) => {
      for (let call = 0; call < 2; call++) answers.push(await ctx.once("at", noting("at", new Date(0))));
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      answers.push(await ctx.once("none", noting("none", cycle)));
    });
    expect(answers).toEqual(["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", null]);
  });

  test("two calls of ctx.once of one name at once are one run, and those of other names run beside it", async () => {
    const { claim, run, noting, committed } = await sceneOf();
    const answers: unknown[] = [];
    await run(await claim(), async (ctx) => {
      const calls = [noting("a", 1), noting("a again", 2), noting("b", 3)];
      answers.push(...(await Promise.all(["a", "a", "b"].map((name, at) => ctx.once(name, calls[at]!)))));
    });
    expect([answers, committed.sort()]).toEqual([
      [1, 1, 3],
      ["a", "b"],
    ]);
  });

  test("a step of ctx.once that throws is rolled back and runs again", async () => {
    const { claim, run, noting, committed } = await sceneOf();
    await run(await claim(), async (ctx) => {
      const failing = async (transaction: unknown): Promise<void> => {
        await noting("first", null)(transaction);
        throw new Error("no stock");
      };
      await expect(ctx.once("book", failing)).rejects.toThrow("no stock");
      await ctx.once("book", noting("second", null));
    });
    expect(committed).toEqual(["second"]);
  });

  test("a step of ctx.once whose commit was in doubt is not done twice", async () => {
    const { claim, run, noting, committed, connection, effects } = await sceneOf();
    const answers: unknown[] = [];
    await run(await claim(), async (ctx) => {
      // The step is stored by another try while this one is at work, after it has looked.
      const inDoubt = async (transaction: unknown): Promise<number> => {
        const other = { id: ctx.idempotencyKey, owner: "7", fence: ctx.fence, name: "pay", result: "1" };
        await connection.transaction((within) => effects.storeStep(other, within));
        return noting("twice", 2)(transaction);
      };
      answers.push(await ctx.once("pay", inDoubt));
    });
    expect([answers, committed]).toEqual([[1], []]);
  });

  test("a step of ctx.once of an execution that has lost its task is rolled back", async () => {
    const { claim, run, fail, noting, committed } = await sceneOf();
    const stale = await claim();
    await fail(stale);
    await claim();
    const result = await run(stale, (ctx) => ctx.once("pay", noting("pay", null)));
    expect([result.kind === "failed" && codeOf(result.thrown), committed]).toEqual(["LEASE_LOST", []]);
  });

  test("an abort while a step of ctx.once is at work rolls it back", async () => {
    const { claim, run, noting, committed } = await sceneOf();
    const abort = new AbortController();
    const work = async (transaction: unknown): Promise<void> => {
      await noting("pay", null)(transaction);
      abort.abort(new Error("time-out"));
    };
    const result = await run(await claim(), (ctx) => ctx.once("pay", work) as never, { signal: abort.signal });
    expect([result.kind === "failed" && codeOf(result.thrown), committed]).toEqual(["LEASE_LOST", []]);
  });

  test("a ctx.once step and a checkpoint after the transaction that completes the task are refused", async () => {
    const { claim, run, noting, committed } = await sceneOf();
    const codes: unknown[] = [];
    await run(await claim(), async (ctx) => {
      await ctx.transaction(noting("done", null));
      await ctx.once("after", noting("after", null)).catch((error: unknown) => codes.push(codeOf(error)));
      await ctx.checkpoint(1).catch((error: unknown) => codes.push(codeOf(error)));
    });
    expect([codes, committed]).toEqual([Array(2).fill("TRANSACTION_ALREADY_COMMITTED"), ["done"]]);
  });

  test.each<[string, (ctx: HandlerContext, noting: Noting) => Promise<unknown>]>([
    ["around it", (ctx, noting) => ctx.once("step", () => ctx.transaction(noting("done", null)))],
    ["within it", (ctx, noting) => ctx.transaction(() => ctx.once("step", noting("pay", null)))],
  ])(
    "a step of ctx.once %s is refused beside a transaction, and nothing of the two is kept",
    async (_where, handle) => {
      const { claim, run, noting, committed } = await sceneOf();
      const result = await run(await claim(), async (ctx) => void (await handle(ctx, noting)));
      expect([result.kind === "failed" && codeOf(result.thrown), committed]).toEqual(["TRANSACTION_UNDER_WAY", []]);
    },
  );

  test("a step that a handler does not wait for is done before its attempt ends, and fails it", async () => {
    const { claim, run, fail, noting, committed } = await sceneOf();
    const first = await claim();
    const failing = await run(first, (ctx) => {
      void ctx.once("pay", noting("pay", null));
      void ctx.once("book", () => Promise.reject(new Error("no stock")));
    });
    await fail(first);
    const succeeding = await run(await claim(), (ctx) => void ctx.once("book", noting("book", null)));
    expect([failing.kind === "failed" && (failing.thrown as Error).message, succeeding.kind]).toEqual([
      "no stock",
      "succeeded",
    ]);
    expect(committed).toEqual(["pay", "book"]);
  });

  test("a call of ctx.once after the attempt's end is refused", async () => {
    const { claim, run } = await sceneOf();
    let kept: HandlerContext | undefined;
    await run(await claim(), (ctx) => void (kept = ctx));
    await expect(kept!.spawn([])).rejects.toMatchObject({ code: "LEASE_LOST" });
    expect(() => kept!.snooze(1)).toThrow(/has ended/);
  });

  test("the application's log has what a handler throws once its transaction has completed the task", async () => {
    const { claim, run, noting, logged } = await sceneOf();
    const result = await run(await claim(), async (ctx) => {
      await ctx.transaction(noting("done", null));
      throw new Error("too late");
    });
    expect([result.kind, logged]).toEqual([
      "succeeded",
      [
        expect.objectContaining({
          message: expect.stringMatching(/not run again/),
          error: expect.stringMatching(/too late/),
        }),
      ],
    ]);
  });

  test("a result of ctx.once over the limit is refused, and its step is rolled back", async () => {
    const { claim, run, noting, committed } = await sceneOf();
    const work = noting("large", "x".repeat(100));
    const result = await run(await claim(), (ctx) => ctx.once("large", work), { limitBytes: 50 });
    expect([result.kind === "failed" && codeOf(result.thrown), committed]).toEqual(["RESULT_INVALID", []]);
  });

  test.each([
    ["an empty one", ""],
    ["a long one", "x".repeat(129)],
    ["one with a NUL", "a\0b"],
    ["one with half a character", "\ud800"],
    ["none", undefined as never],
  ])("a bad name for ctx.once is refused before anything is done: %s", async (_what, name) => {
    const { claim, run, noting, committed } = await sceneOf();
    const result = await run(await claim(), (ctx) => ctx.once(name, noting("pay", null)));
    expect([result.kind === "failed" && codeOf(result.thrown), committed]).toEqual(["VALIDATION_FAILED", []]);
  });

  test("one ctx.once step more than a task may have is refused before it runs", async () => {
    const { claim, run, noting } = await sceneOf();
    let extra = 0;
    const result = await run(await claim(), async (ctx) => {
      for (let count = 0; count < MAX_STEPS; count++) await ctx.once(`step ${count}`, noting("step", null));
      await ctx.once("one more", async () => void extra++);
    });
    expect([result.kind === "failed" && (result.thrown as Error).message, extra]).toEqual([
      "A task has at most 100 steps of ctx.once; this is one more.",
      0,
    ]);
  });

  test("ctx.once without the application's database is a typed error", async () => {
    const { claim, run, noting } = await sceneOf();
    const result = await run(await claim(), (ctx) => ctx.once("pay", noting("pay", null)), { ownDatabase: false });
    expect(result.kind === "failed" && codeOf(result.thrown)).toBe("TRANSACTION_UNAVAILABLE");
  });
});

describe("ctx.checkpoint", () => {
  test("the next attempt gets what the attempt before stored last by ctx.checkpoint, without the application's database too", async () => {
    const { claim, run, fail } = await sceneOf();
    const seen: unknown[] = [];
    const handle: Handle = async (ctx) => {
      seen.push(await ctx.lastCheckpoint());
      await Promise.all([ctx.checkpoint({ row: 1 }), ctx.checkpoint({ row: 2 })]);
      seen.push(await ctx.lastCheckpoint());
    };
    const first = await claim();
    await run(first, handle, { ownDatabase: false });
    await fail(first);
    await run(await claim(), handle, { ownDatabase: false });
    expect(seen).toEqual([null, { row: 2 }, { row: 2 }, { row: 2 }]);
  });

  test("the checkpoint is read once in an attempt, and not at all where nobody asks", async () => {
    const { claim, run, connection } = await sceneOf();
    const reads: string[] = [];
    connection.gate = ({ statement, phase }) => void (phase === "before" && reads.push(statement));
    const task = await claim();
    await run(task, () => "done");
    expect(reads).toEqual(["claim"]);
    await run(task, async (ctx) => {
      for (let call = 0; call < 3; call++) await ctx.lastCheckpoint();
    });
    expect(reads).toEqual(["claim", "effects.readReport"]);
  });

  test("a read of the checkpoint that failed is tried again by the next call", async () => {
    const { claim, run, connection } = await sceneOf();
    const seen: unknown[] = [];
    await run(await claim(), async (ctx) => {
      connection.failNext("effects.readReport");
      await ctx.lastCheckpoint().catch((error: unknown) => seen.push(codeOf(error)));
      seen.push(await ctx.lastCheckpoint());
    });
    expect(seen).toEqual(["STORE_UNAVAILABLE", null]);
  });

  test("an execution that has lost its task stores no checkpoint", async () => {
    const { claim, run, fail, effects, id } = await sceneOf();
    const stale = await claim();
    await fail(stale);
    const result = await run(stale, (ctx) => ctx.checkpoint(1));
    expect(result.kind === "failed" && codeOf(result.thrown)).toBe("LEASE_LOST");
    expect((await effects.readReport(id)).checkpoint).toBeNull();
  });

  test.each([
    ["no JSON", undefined],
    ["a BigInt", 1n],
    ["too much", "x".repeat(CHECKPOINT_LIMIT_BYTES)],
    ["too deep", JSON.parse("[".repeat(1_001) + "]".repeat(1_001))],
  ])("a bad state for ctx.checkpoint is refused: %s", async (_what, state) => {
    const { claim, run } = await sceneOf();
    const result = await run(await claim(), (ctx) => ctx.checkpoint(state));
    expect(result.kind === "failed" && codeOf(result.thrown)).toBe("VALIDATION_FAILED");
  });
});

describe("ctx.progress", () => {
  test("ctx.progress writes once a second at most, the last value wins, and is written before the attempt ends", async () => {
    const { claim, run, connection, world, effects, id } = await sceneOf();
    const writes: [number, unknown][] = [];
    const { clock } = world;
    connection.gate = ({ statement, phase, request }) => {
      if (statement === "effects.saveProgress" && phase === "before")
        writes.push([clock.monotonicMs(), (request as { value: number }).value]);
    };
    let finish = (): void => {};
    const running = run(await claim(), async (ctx) => {
      for (const value of [0.1, 0.2, 0.3]) ctx.progress(value);
      await new Promise<void>((resolve) => (finish = resolve));
      ctx.progress(0.8);
      ctx.progress(0.9, "nearly");
    });
    await clock.advance(1_500);
    finish();
    await clock.settle();
    await running;
    expect(writes).toEqual([
      [0, 0.1],
      [1_000, 0.3],
      [1_500, 0.9],
    ]);
    expect((await effects.readReport(id)).progress).toMatchObject({ value: 0.9, note: "nearly" });
    expect(clock.pendingTimers).toBe(0);
  });

  test("the progress of a task is written before the transaction that completes the task", async () => {
    const { claim, run, noting, effects, id } = await sceneOf();
    await run(await claim(), async (ctx) => {
      ctx.progress(0.1);
      ctx.progress(1);
      await ctx.transaction(noting("done", null));
    });
    expect((await effects.readReport(id)).progress?.value).toBe(1);
  });

  test("a write of progress that fails fails no handler, and the next value is written", async () => {
    const { claim, run, connection, world, effects, id } = await sceneOf();
    connection.failNext("effects.saveProgress");
    const running = run(await claim(), async (ctx) => {
      ctx.progress(0.1);
      await new Promise<void>((resolve) => world.clock.setTimer(1_500, resolve));
      ctx.progress(0.2);
      return "done";
    });
    await world.clock.advance(2_000);
    expect((await running).kind).toBe("succeeded");
    expect((await effects.readReport(id)).progress?.value).toBe(0.2);
  });

  test("a store that does not answer a write of progress holds up the end of the attempt for a second at most", async () => {
    const { claim, run, connection, world } = await sceneOf();
    connection.gate = ({ statement }) => (statement === "effects.saveProgress" ? new Promise(() => {}) : undefined);
    const ends: number[] = [];
    const running = run(await claim(), (ctx) => ctx.progress(0.1)).then(() => ends.push(world.clock.monotonicMs()));
    await world.clock.advance(5_000);
    await running;
    expect(ends).toEqual([1_000]);
  });

  test("an execution that has lost its task writes no progress, and goes on", async () => {
    const { claim, run, fail, effects, id } = await sceneOf();
    const stale = await claim();
    await fail(stale);
    const result = await run(stale, (ctx) => {
      ctx.progress(0.5);
      return "done";
    });
    expect([result.kind, (await effects.readReport(id)).progress]).toEqual(["succeeded", null]);
  });

  test("every fault of a bad progress is named", async () => {
    const { claim, run } = await sceneOf();
    const result = await run(await claim(), (ctx) => ctx.progress(1.1, "x".repeat(257)));
    expect(result.kind === "failed" && (result.thrown as Error).message).toBe(
      "ctx.progress: value must be a number from 0 to 1; note must be a text of at most 256 characters.",
    );
  });
});

test("each line of ctx.logger tells the task, its type, the attempt and the fence", async () => {
  const { claim, run, id, logged } = await sceneOf();
  const task = await claim();
  await run(task, ({ logger }) => logger.info("booked", { seat: 4, id: "another" }));
  expect(logged).toEqual([{ message: "booked", seat: 4, id, type: "report", attempt: 1, fence: task.fence }]);
});

test.each<[string, (ctx: HandlerContext, note: (handle: unknown) => Promise<null>) => Promise<unknown>]>([
  ["ctx.transaction", (ctx, note) => ctx.transaction(note)],
  ["ctx.once", (ctx, note) => ctx.once("pay", note)],
  ["ctx.walk", (ctx, note) => ctx.walk((_from, handle) => note(handle))],
])("%s gives a library's own transaction", async (_name, call) => {
  const { claim, run } = await sceneOf();
  const ofLibrary = { insert: "a row" };
  const given: unknown[] = [];
  const note = (handle: unknown) => Promise.resolve(given.push(handle)).then(() => null);
  await run(await claim(), async (ctx) => void (await call(ctx, note)), { ofLibrary });
  expect(given).toEqual([ofLibrary]);
});
