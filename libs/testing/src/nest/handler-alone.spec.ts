import { describe, expect, test } from "@jest/globals";
import { defineTask } from "@tickwheel/nestjs";
import { contextOf, taskOf } from "./handler-alone.js";

const CancelOrder = defineTask<{ orderId: string }>("order.cancel");

describe("a task by hand", () => {
  test("a task made by hand is of a first attempt, with an id of its own", () => {
    const one = taskOf(CancelOrder, { orderId: "42" });
    const other = taskOf("order.cancel", { orderId: "43" });
    expect(one).toMatchObject({ type: "order.cancel", payload: { orderId: "42" }, attempt: 1, key: null });
    expect(other.id).not.toBe(one.id);
  });

  test("a task made by hand has the fields that the test gives", () => {
    expect(taskOf(CancelOrder, { orderId: "42" }, { attempt: 3, key: "42" })).toMatchObject({ attempt: 3, key: "42" });
  });
});

describe("a context by hand", () => {
  test("a context made by hand hands its manager to the work, and notes that the transaction completed the task", async () => {
    const manager = { save: () => "saved" };
    const ctx = contextOf({ manager });
    expect(ctx.completed).toBe(false);
    expect(await ctx.transaction((given) => Promise.resolve(given as unknown))).toBe(manager);
    expect(ctx.completed).toBe(true);
  });

  test("a context made by hand notes no completion when the work throws", async () => {
    const ctx = contextOf();
    await expect(ctx.transaction(() => Promise.reject(new Error("no stock")))).rejects.toThrow("no stock");
    expect(ctx.completed).toBe(false);
  });

  test("a context made by hand runs a step once, and knows the steps of an earlier attempt", async () => {
    const ctx = contextOf({ steps: { charge: "c-1" } });
    const work = (value: string) => () => Promise.resolve(value);
    expect(await ctx.once("charge", work("c-2"))).toBe("c-1");
    expect(await ctx.once("mail", work("sent"))).toBe("sent");
    expect(await ctx.once("mail", work("sent again"))).toBe("sent");
    expect(ctx.stepResults).toEqual({ charge: "c-1", mail: "sent" });
  });

  test("a context made by hand keeps of a checkpoint what JSON keeps", async () => {
    const ctx = contextOf({ checkpoint: { page: 3 } });
    expect(await ctx.lastCheckpoint()).toEqual({ page: 3 });
    await ctx.checkpoint({ at: new Date(0), left: undefined });
    expect(await ctx.lastCheckpoint()).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("a context made by hand walks until a step answers null", async () => {
    const ctx = contextOf();
    const seen: unknown[] = [];
    await ctx.walk<number>((from) => {
      seen.push(from);
      return Promise.resolve((from ?? 0) < 3 ? (from ?? 0) + 1 : null);
    });
    expect(seen).toEqual([null, 1, 2, 3]);
  });

  test("a context made by hand notes what else a handler does by it", async () => {
    const ctx = contextOf({ attempt: 2, batchId: "b" });
    ctx.snooze("5m");
    ctx.progress(0.5, "half");
    await ctx.spawn([{ task: CancelOrder, payload: { orderId: "43" } }]);
    expect(ctx).toMatchObject({ snoozed: "5m", progressed: { value: 0.5, note: "half" }, attempt: 2, batchId: "b" });
    expect(ctx.spawned).toHaveLength(1);
    expect(ctx.deferred).toBeNull();
    ctx.defer("30s", { reason: "slow down" });
    expect(ctx).toMatchObject({ snoozed: "30s", deferred: { delay: "30s", reason: "slow down" } });
    expect(ctx.signal.aborted).toBe(false);
  });
});

test("a handler's context keeps nothing once its signal has fired, and says so as in production", async () => {
  const ctx = contextOf({ signal: AbortSignal.abort(new Error("timed out")) });
  const work = () => Promise.resolve(null);
  const calls = [
    () => ctx.transaction(work),
    () => ctx.once("pay", work),
    () => ctx.walk(work),
    () => ctx.checkpoint(1),
    () => ctx.spawn([]),
    async () => ctx.snooze(1),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "LEASE_LOST" });
  ctx.progress(0.5);
  expect([ctx.completed, ctx.stepResults, await ctx.lastCheckpoint(), ctx.progressed]).toEqual([false, {}, null, null]);
});
