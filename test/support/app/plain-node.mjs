// A script with a node and no framework: what it does, it tells its parent. It ends when the node has stopped.
import { createNode, defineTask } from "@tickwheel/node";

const tell = (what) => process.send(what);

const faults = await createNode({ schema: "Bad Schema", poolSize: 1, concurency: 5 }).catch((error) => error.faults);
tell({ faults: faults.map(({ path }) => path) });

const Settle = defineTask("settle");
const node = await createNode({ url: process.env.DATABASE_URL });
const lastEnd = new Promise((resolve) => {
  node
    .handle("order.cancel", ({ payload, attempt }) => tell({ cancelled: payload.orderId, attempt }))
    .handle(
      Settle,
      async (task, ctx) => {
        if (task.attempt === 1) throw new Error("no luck");
        tell({ settled: task.payload.day, key: ctx.idempotencyKey !== "" });
      },
      { maxAttempts: 2, backoff: { kind: "fixed", delay: "10ms" } },
    )
    .on("task.failed", ({ facts: { type } }) => tell({ failed: type }))
    .interval("1h", { name: "poll" }, () => undefined);
  node.handle("last", resolve);
});
await node.start();
tell({ ready: await node.isReady() });

await node.tasks.schedule("order.cancel", { orderId: "42" }, { delay: "200ms", key: "42" });
await node.tasks.schedule("order.cancel", { orderId: "43" }, { delay: "1h", key: "43" });
await node.tasks.schedule(Settle, { day: "monday" }, { delay: "100ms" });
await node.tasks.batches.create({
  name: "all",
  tasks: [{ task: "order.cancel", payload: { orderId: "44" } }],
  onComplete: { task: "last", payload: null },
  seal: true,
});
await lastEnd;
// Long enough for a second run of a task, which would be told, and which there must not be.
await new Promise((resolve) => setTimeout(resolve, 1_000));
const { items } = await node.tasks.find({ type: "order.cancel" });
tell({ states: Object.fromEntries(items.map(({ payload, state }) => [payload.orderId, state])) });
tell({ cancel: (await node.tasks.cancelByKey("order.cancel", "43")).outcome });

// The refusal itself works.
tell({
  nest: await import("@nestjs/common").then(
    () => "loaded",
    ({ message }) => message,
  ),
});
await node.stop();
tell({ ready: await node.isReady() });
