import { describe, expect, test } from "@jest/globals";
import { CHECKPOINT_LIMIT_BYTES, type CallerTransaction, jsonTextOf } from "@tickwheel/core";
import { codeOf, type Handle, sceneOf } from "../../test-support/effects-scene.js";
import type { HandlerContext } from "./handler-context.js";

type Scene = Awaited<ReturnType<typeof sceneOf>>;

const ROWS = 10;
const PAGE = 3;

/** The page of a walk over ten rows: it notes its first row once it is committed. */
const pageOf =
  ({ noting }: Scene) =>
  async (from: number | null, transaction: CallerTransaction): Promise<number | null> => {
    const first = from ?? 0;
    await noting(String(first), null)(transaction);
    return first + PAGE < ROWS ? first + PAGE : null;
  };

/** What an attempt's walk has thrown: a code, or the message of a handler's own error. */
async function faultOf(scene: Scene, handle: Handle): Promise<string> {
  const result = await scene.run(await scene.claim(), handle);
  if (result.kind !== "failed") return result.kind;
  return codeOf(result.thrown) ?? (result.thrown as Error).message;
}

async function storedIn({ effects, id }: Scene): Promise<unknown> {
  const { checkpoint } = await effects.readReport(id);
  return checkpoint && JSON.parse(checkpoint.state);
}

describe("ctx.walk", () => {
  test("ctx.walk does page after page, and stores with each where the next page begins, and at last that it is done", async () => {
    const scene = await sceneOf();
    const places: unknown[] = [];
    const seen: unknown[] = [];
    await scene.run(await scene.claim(), async (ctx) => {
      await ctx.walk<number>(async (from, transaction) => {
        places.push(await storedIn(scene));
        seen.push(await ctx.lastCheckpoint());
        return pageOf(scene)(from, transaction);
      });
      seen.push(await ctx.lastCheckpoint());
    });
    expect(scene.committed).toEqual(["0", "3", "6", "9"]);
    expect(places).toEqual([null, { walk: { from: 3 } }, { walk: { from: 6 } }, { walk: { from: 9 } }]);
    expect(seen).toEqual([...places, { walk: { done: true } }]);
    expect(await storedIn(scene)).toEqual({ walk: { done: true } });
  });

  test("ctx.walk goes on behind its last committed page in the next attempt, and not at all once it is done", async () => {
    const scene = await sceneOf();
    let calls = 0;
    const handle: Handle = (ctx) =>
      ctx.walk<number>(async (from, transaction) => {
        const next = await pageOf(scene)(from, transaction);
        calls += 1;
        if (calls === 2 || calls === 4) throw new Error("away");
        return next;
      });
    for (let attempt = 1; attempt <= 4; attempt++) {
      const task = await scene.claim();
      await scene.run(task, handle);
      await scene.fail(task);
    }
    expect([scene.committed, calls]).toEqual([["0", "3", "6", "9"], 6]);
  });

  test("a page of ctx.walk gets what the stored JSON says, also in the attempt that stored it", async () => {
    const scene = await sceneOf();
    const got: unknown[] = [];
    await scene.run(await scene.claim(), (ctx) =>
      ctx.walk<unknown>(async (from) => {
        got.push(from);
        return [{ at: new Date(0), none: undefined }, false, null][got.length - 1];
      }),
    );
    expect(got).toEqual([null, { at: "1970-01-01T00:00:00.000Z" }, false]);
  });

  test("a page of ctx.walk whose commit was in doubt is not done twice, and the walk goes on behind it", async () => {
    const scene = await sceneOf();
    const { effects, connection, run, claim, committed } = scene;
    await run(await claim(), (ctx) =>
      ctx.walk<number>(async (from, transaction) => {
        // The first page is stored by another try while this one is at work.
        const state = jsonTextOf({ walk: { from: 6 } });
        const other = { id: ctx.idempotencyKey, owner: "7", fence: ctx.fence, before: null, state };
        if (from === null) await connection.transaction((within) => effects.storeCheckpoint(other, within));
        return pageOf(scene)(from, transaction);
      }),
    );
    expect(committed).toEqual(["6", "9"]);
  });

  test("a second try of ctx.walk in an attempt asks the store where the walk stands, as a commit's answer may be lost", async () => {
    const scene = await sceneOf();
    const { effects, connection, run, claim } = scene;
    const begun: unknown[] = [];
    await run(await claim(), async (ctx) => {
      const lost = ctx.walk<number>(async () => {
        const state = jsonTextOf({ walk: { from: 9 } });
        const own = { id: ctx.idempotencyKey, owner: "7", fence: ctx.fence, before: null, state };
        await connection.transaction((within) => effects.storeCheckpoint(own, within));
        throw new Error("the connection is lost");
      });
      await expect(lost).rejects.toThrow("the connection is lost");
      await ctx.walk<number>((from, transaction) => {
        begun.push(from);
        return pageOf(scene)(from, transaction);
      });
    });
    expect([begun, scene.committed]).toEqual([[9], ["9"]]);
  });

  test("an execution that has lost its task has its page of ctx.walk rolled back, and stores no place", async () => {
    const scene = await sceneOf();
    const { claim, run, fail, committed } = scene;
    const stale = await claim();
    await fail(stale);
    await claim();
    const result = await run(stale, (ctx) => ctx.walk(pageOf(scene)));
    expect(result.kind === "failed" && codeOf(result.thrown)).toBe("LEASE_LOST");
    expect([committed, await storedIn(scene)]).toEqual([[], null]);
  });

  test("an abort ends ctx.walk: a page at work is rolled back, and no page begins after a committed page", async () => {
    const within = await sceneOf();
    const abort = new AbortController();
    const walk = (ctx: HandlerContext) =>
      ctx.walk<number>(async (from, transaction) => {
        if (from === 3) abort.abort(new Error("time-out"));
        return pageOf(within)(from, transaction);
      });
    const result = await within.run(await within.claim(), walk, { signal: abort.signal });
    expect([result.kind === "failed" && codeOf(result.thrown), within.committed]).toEqual(["LEASE_LOST", ["0"]]);

    const between = await sceneOf();
    const stop = new AbortController();
    let begun = 0;
    between.connection.gate = ({ statement, phase }) => {
      if (statement === "effects.storeCheckpoint" && phase === "after") stop.abort(new Error("drain"));
    };
    const counted = (ctx: HandlerContext) =>
      ctx.walk<number>((from, transaction) => {
        begun += 1;
        return pageOf(between)(from, transaction);
      });
    await between.run(await between.claim(), counted, { signal: stop.signal });
    expect([begun, between.committed]).toEqual([1, ["0"]]);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["what has no number", Number.NaN],
    ["a function", () => 1],
    ["a BigInt", 1n],
    ["too much", "x".repeat(CHECKPOINT_LIMIT_BYTES)],
  ])("a page of ctx.walk that answers no place is rolled back: %s", async (_what, answer) => {
    const scene = await sceneOf();
    const handle: Handle = (ctx) =>
      ctx.walk<unknown>(async (_from, transaction) => {
        await scene.noting("page", null)(transaction);
        return answer;
      });
    expect(await faultOf(scene, handle)).toBe("VALIDATION_FAILED");
    expect([scene.committed, await storedIn(scene)]).toEqual([[], null]);
  });

  test("a page of ctx.walk that answers where it began is rolled back: such a walk has no end", async () => {
    const scene = await sceneOf();
    const handle: Handle = (ctx) =>
      ctx.walk<number>(async (from, transaction) => {
        await scene.noting("page", null)(transaction);
        return from ?? 7;
      });
    expect(await faultOf(scene, handle)).toBe("VALIDATION_FAILED");
    expect([scene.committed, await storedIn(scene)]).toEqual([["page"], { walk: { from: 7 } }]);
  });

  test.each([[{ nextRow: 7 }], [null], [{ walk: "begun" }], [{ walk: {} }]])(
    "ctx.walk is refused over a checkpoint of the handler's own, which is kept: %j",
    async (own) => {
      const scene = await sceneOf();
      const task = await scene.claim();
      await scene.run(task, (ctx) => ctx.checkpoint(own));
      await scene.fail(task);
      expect(await faultOf(scene, (ctx) => ctx.walk(pageOf(scene)))).toBe("VALIDATION_FAILED");
      expect([scene.committed, await storedIn(scene)]).toEqual([[], own]);
    },
  );

  test("a checkpoint of the handler's own beside ctx.walk is refused", async () => {
    const scene = await sceneOf();
    const handle: Handle = (ctx) =>
      ctx.walk<number>(async () => {
        await ctx.checkpoint({ nextRow: 7 });
        return null;
      });
    expect([await faultOf(scene, handle), await storedIn(scene)]).toEqual(["VALIDATION_FAILED", null]);
  });

  test("a second ctx.walk is refused, beside the first and after it: it would leave out its pages", async () => {
    const scene = await sceneOf();
    const codes: unknown[] = [];
    const note = (error: unknown): void => void codes.push(codeOf(error));
    await scene.run(await scene.claim(), async (ctx) => {
      const first = ctx.walk(pageOf(scene));
      await ctx.walk(pageOf(scene)).catch(note);
      await first;
      await ctx.walk(pageOf(scene)).catch(note);
    });
    expect([codes, scene.committed]).toEqual([Array(2).fill("VALIDATION_FAILED"), ["0", "3", "6", "9"]]);
  });

  test("ctx.walk is refused after the transaction that completes the task", async () => {
    const scene = await sceneOf();
    const codes: unknown[] = [];
    await scene.run(await scene.claim(), async (ctx) => {
      await ctx.transaction(scene.noting("done", null));
      await ctx.walk(pageOf(scene)).catch((error: unknown) => codes.push(codeOf(error)));
    });
    expect([codes, scene.committed]).toEqual([["TRANSACTION_ALREADY_COMMITTED"], ["done"]]);
  });

  test("ctx.walk is refused around a transaction, and the attempt fails although the handler goes on", async () => {
    const scene = await sceneOf();
    const result = await scene.run(await scene.claim(), async (ctx) => {
      const around = async (): Promise<null> => ctx.transaction(scene.noting("done", null));
      await ctx.walk(around).catch(() => undefined);
    });
    expect([result.kind === "failed" && codeOf(result.thrown), scene.committed]).toEqual(["TRANSACTION_UNDER_WAY", []]);
  });

  test("ctx.walk without the application's database is a typed error", async () => {
    const scene = await sceneOf();
    const { claim, run } = scene;
    const result = await run(await claim(), (ctx) => ctx.walk(pageOf(scene)), { ownDatabase: false });
    expect(result.kind === "failed" && codeOf(result.thrown)).toBe("TRANSACTION_UNAVAILABLE");
  });
});
