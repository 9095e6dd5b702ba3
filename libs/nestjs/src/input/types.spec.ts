import "reflect-metadata";
import { describe, expect, test } from "@jest/globals";
import { defineTask, type PayloadOf } from "../requests/define-task.js";
import { type DelayTask, DelayTaskHandler } from "../handlers/delay-task.decorators.js";
import type { DelayTaskService } from "../module/delay-task.service.js";

const Cancel = defineTask<{ orderId: string }>("order.cancel");
const Pay = defineTask<{ amount: number }>("order.pay");

/** Calls for the compiler alone: each line below `@ts-expect-error` must be refused, and every other one taken. */
async function calls(tasks: DelayTaskService): Promise<void> {
  await tasks.schedule(Cancel, { orderId: "42" });
  await tasks.schedule("any", { whatever: 1 });
  // @ts-expect-error -- another type
  await tasks.schedule(Cancel, { orderId: 42 });
  // @ts-expect-error -- a field is missing
  await tasks.schedule(Cancel, {});
  // @ts-expect-error -- nothing at all
  await tasks.schedule("any", undefined);

  await tasks.schedule("any", { bytes: 1 }, { key: "1", onConflict: "merge", merge: { bytes: "add" }, maxWait: "10s" });
  // @ts-expect-error -- no such reducer
  await tasks.schedule("any", { bytes: 1 }, { key: "1", onConflict: "merge", merge: { bytes: "sum" } });
  await tasks.schedule("any", {}, { tags: ["shop:7", "vip"] as const });
  // @ts-expect-error -- one text is no list
  await tasks.schedule("any", {}, { tags: "vip" });
  // @ts-expect-error -- one tag
  await tasks.find({ tag: ["vip"] });
  const { tags } = (await tasks.find({ tag: "vip" })).items[0]!;
  tags satisfies readonly string[];
  const { outcome } = await tasks.schedule("any", {}, { key: "1", onConflict: "merge" });
  outcome satisfies "created" | "existing" | "refreshed" | "replaced" | "merged";
  // @ts-expect-error -- there are others
  outcome satisfies "created" | "existing" | "refreshed" | "replaced";

  await tasks.scheduleMany([
    { task: Cancel, payload: { orderId: "42" }, delay: "15m" },
    { task: Pay, payload: { amount: 1 } },
    { task: "any", payload: { whatever: 1 } },
  ]);
  await tasks.scheduleMany(["1", "2"].map((orderId) => ({ task: Cancel, payload: { orderId } })));
  // @ts-expect-error -- another type
  await tasks.scheduleMany([{ task: Cancel, payload: { orderId: 42 } }]);
  await tasks.scheduleMany([
    { task: Cancel, payload: { orderId: "42" } },
    // @ts-expect-error -- the payload of another task
    { task: Pay, payload: { orderId: "42" } },
  ]);
  // @ts-expect-error -- a field is missing
  await tasks.scheduleMany([1].map(() => ({ task: Cancel, payload: {} })));
  // @ts-expect-error -- no such option
  await tasks.scheduleMany([{ task: Cancel, payload: { orderId: "42" }, dealy: 1 }]);

  await tasks.reschedule<PayloadOf<typeof Cancel>>("id", { payload: { orderId: "42" } });
  await tasks.reschedule("id", { delay: "1h" });
  // @ts-expect-error -- another type
  await tasks.reschedule<PayloadOf<typeof Cancel>>("id", { payload: { orderId: 42 } });
  // @ts-expect-error -- no such change
  await tasks.reschedule("id", { key: "42" });
}

@DelayTaskHandler(Cancel)
class Cancels {
  handle(task: DelayTask<{ orderId: string }>): string {
    return task.payload.orderId;
  }
}

@DelayTaskHandler("any")
class HandlesAny {
  handle(task: DelayTask<{ whatever: number }>): number {
    return task.payload.whatever;
  }
}

@DelayTaskHandler("any")
class NeedsNoTask {
  handle(): void {}
}

// @ts-expect-error -- no handle
@DelayTaskHandler(Cancel)
class HasNone {
  run(): void {}
}

// @ts-expect-error -- the payload of another task
@DelayTaskHandler(Cancel)
class HandlesAnother {
  handle(task: DelayTask<{ amount: number }>): number {
    return task.payload.amount;
  }
}

class Methods {
  @DelayTaskHandler(Cancel)
  cancel(task: DelayTask<{ orderId: string }>): string {
    return task.payload.orderId;
  }

  @DelayTaskHandler("any")
  any(task: DelayTask<{ whatever: number }>): number {
    return task.payload.whatever;
  }

  // @ts-expect-error -- the payload of another task
  @DelayTaskHandler(Cancel)
  pay(task: DelayTask<{ amount: number }>): number {
    return task.payload.amount;
  }
}

describe("the types", () => {
  test("of calls and handlers are held by the compiler, in this file", () => {
    expect([calls, Cancels, HandlesAny, NeedsNoTask, HasNone, HandlesAnother, Methods]).toHaveLength(7);
  });
});
