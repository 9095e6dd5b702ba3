import { describe, expect, test } from "@jest/globals";
import { codeOf, type Handle, sceneOf } from "../../test-support/effects-scene.js";
import type { HandlerContext } from "./handler-context.js";

type Noting = Awaited<ReturnType<typeof sceneOf>>["noting"];

describe("an attempt that was aborted", () => {
  test.each<[string, (ctx: HandlerContext, noting: Noting) => unknown]>([
    ["once", (ctx, noting) => ctx.once("pay", noting("pay", null))],
    ["walk", (ctx, noting) => ctx.walk(noting("page", null))],
    ["transaction", (ctx, noting) => ctx.transaction(noting("done", null))],
    ["checkpoint", (ctx) => ctx.checkpoint(1)],
    ["spawn", (ctx) => ctx.spawn([])],
    ["snooze", (ctx) => ctx.snooze(1)],
  ])("ctx.%s of an attempt that was aborted does nothing, and says so by its code", async (_call, act) => {
    const { claim, run, noting, committed, effects, id } = await sceneOf();
    const abort = new AbortController();
    const codes: unknown[] = [];
    const handle: Handle = async (ctx) => {
      abort.abort(new Error("timed out after 50 ms"));
      ctx.progress(0.5);
      await (async () => act(ctx, noting))().catch((error: unknown) => codes.push(codeOf(error)));
    };
    await run(await claim(), handle, { signal: abort.signal });
    expect([codes, committed]).toEqual([["LEASE_LOST"], []]);
    expect(await effects.readReport(id)).toEqual({ checkpoint: null, progress: null });
  });

  test("a node that shuts down keeps the checkpoint of an attempt that it gives back", async () => {
    const { claim, run, effects, id } = await sceneOf();
    const signal = AbortSignal.abort(Object.assign(new Error("the node shuts down"), { name: "NodeDrainingError" }));
    await run(await claim(), (ctx) => ctx.checkpoint({ row: 7 }), { signal });
    expect((await effects.readReport(id)).checkpoint?.state).toBe('{"row":7}');
  });

  test("a transaction that the server ends after an abort is lost, and what the work throws then is told", async () => {
    const { claim, run, fail, connection } = await sceneOf();
    const thrownBy = async (work: () => Promise<void>): Promise<unknown> => {
      const abort = new AbortController();
      const execution = await claim();
      const handle: Handle = (ctx) =>
        ctx.once("pay", async () => {
          abort.abort(new Error("timed out"));
          await work();
        });
      const result = await run(execution, handle, { signal: abort.signal });
      await fail(execution);
      return result.kind === "failed" && result.thrown;
    };
    expect(await thrownBy(() => Promise.reject(new Error("fetch failed")))).toMatchObject({ message: "fetch failed" });
    connection.failNext("effects.findStep" as never);
    expect(codeOf(await thrownBy(() => Promise.resolve()))).toBe("STORE_UNAVAILABLE");
    expect(codeOf(await thrownBy(() => Promise.resolve()))).toBe("LEASE_LOST");
  });
});
