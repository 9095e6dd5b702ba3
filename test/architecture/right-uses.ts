import { type DynamicModule, Injectable, type Provider } from "@nestjs/common";
import { ApiKeyRing, DelayTaskApiModule, type DelayTaskApiOptions } from "@tickwheel/api";
import {
  DelayedClient,
  delayedClient,
  delayedClientToken,
  DelayedPublish,
  InjectDelayedClient,
  type DelayTask,
  type DelayTaskAround,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskHealthIndicator,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskService,
  defineTask,
  InjectDelayTasks,
  type InputOf,
  type NamedEvent,
  NonRetryableError,
  OnDelayTaskEvent,
  type PayloadOf,
  RetryAtError,
  type SettingResult,
  type TaskDeadEvent,
  type TelemetryEvent,
  taskFilter,
  TickwheelError,
} from "@tickwheel/nestjs";
import { createNode } from "@tickwheel/node";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { type } from "arktype";
import type { Redis } from "ioredis";
import { DataSource, type EntityManager } from "typeorm";
import * as v from "valibot";
import * as z from "zod";

/**
 * Uses of the public types that the compiler must take, as an application writes them. Nothing here is run. The wrong
 * ones are in `wrong-uses.ts`.
 */
export const CancelOrder = defineTask<{ orderId: string }>("order.cancel", { maxAttempts: 5, timeout: "30s" });
export const Pay = defineTask<{ amount: number }>("order.pay", { backoff: { kind: "fixed", delay: "5s" } });

export const orderSchema = z.object({
  orderId: z.string(),
  at: z.coerce.date<string>(),
  by: z.string().default("nobody"),
});
export const ShipOrder = defineTask("order.ship", {
  schema: orderSchema,
  version: 2,
  upgrade: (old: { orderId: string }, fromVersion) => ({ ...old, at: `20${fromVersion}0-01-01` }),
  maxAttempts: 5,
});
export class RefundPayload {
  orderId!: string;
}
export const RefundOrder = defineTask("order.refund", { schema: RefundPayload });
export const CountOrders = defineTask("order.count", { schema: type({ shop: "number" }) });
export const WeighOrder = defineTask("order.weigh", { schema: v.object({ grams: v.number() }) });

export async function schedulesBySchema(tasks: DelayTaskService): Promise<void> {
  await tasks.schedule(ShipOrder, { orderId: "42", at: "2026-01-01" }, { delay: "1h" });
  await tasks.schedule(RefundOrder, { orderId: "42" });
  await tasks.schedule(CountOrders, { shop: 7 });
  await tasks.scheduleMany([{ task: WeighOrder, payload: { grams: 7 } }]);
  await tasks.reschedule<InputOf<typeof ShipOrder>>("id", { payload: { orderId: "42", at: "2026-01-01" } });
  const found = await tasks.find(ShipOrder, { key: "42" });
  found.items.map(({ payload }) => payload.at.length + (payload.by?.length ?? 0));
}

@DelayTaskHandler(ShipOrder, { condition: ({ payload }) => payload.at.getTime() > 0 })
export class Ships {
  handle({ payload }: DelayTask<PayloadOf<typeof ShipOrder>>): string {
    return payload.by + payload.at.toISOString();
  }
}

@DelayTaskHandler(RefundOrder)
export class Refunds {
  handle({ payload }: DelayTask<RefundPayload>): string {
    return payload.orderId;
  }
}

export async function schedules(tasks: DelayTaskService, manager: EntityManager): Promise<void> {
  await tasks.schedule(CancelOrder, { orderId: "42" });
  await tasks.schedule(CancelOrder, { orderId: "42" }, { delay: "15m", key: "42", manager });
  await tasks.schedule("any", { whatever: 1 });
  await tasks.schedule("any", {}, { scheduledAt: new Date(), startDeadline: "1h", priority: 0 });
  await tasks.schedule("any", {}, { tags: ["shop:7", "vip"] as const });
  await tasks.schedule("any", {}, { deliver: { kind: "webhook", url: "https://example.com/hook" } });
  await tasks.schedule("any", { bytes: 1 }, { key: "1", onConflict: "merge", merge: { bytes: "add" }, maxWait: "10s" });
  const { outcome, task, replayed } = await tasks.schedule("any", {}, { key: "1", onConflict: "merge" });
  outcome satisfies "created" | "existing" | "refreshed" | "replaced" | "merged";
  task.tags satisfies readonly string[];
  replayed satisfies boolean;
}

export async function sets(tasks: DelayTaskService): Promise<void> {
  const paused = await tasks.types.pause(CancelOrder, { until: new Date(), reason: "a bad deploy" });
  if (!paused.obeyed) paused.waitingFor satisfies readonly string[] | null;
  paused satisfies SettingResult;
  await tasks.types.pause("any");
  await tasks.types.resume(CancelOrder);
  await tasks.types.update(CancelOrder, { concurrency: 5 });
  await tasks.types.update("any", { concurrency: null });
  await tasks.keys.pause(CancelOrder, "42", { until: "2026-12-01T00:00:00Z" });
  await tasks.keys.resume("any", "42");
  await tasks.namespace.pause({ reason: "a move" });
  await tasks.namespace.resume();
}

export async function schedulesMany(tasks: DelayTaskService, manager: EntityManager): Promise<void> {
  const items = await tasks.scheduleMany(
    [
      { task: CancelOrder, payload: { orderId: "42" }, delay: "15m" },
      { task: Pay, payload: { amount: 1 } },
      { task: "any", payload: { whatever: 1 } },
    ],
    { manager },
  );
  for (const item of items) {
    if (item.status === "rejected") console.log(item.error);
    else console.log(item.task.id);
  }
  await tasks.scheduleMany(["1", "2"].map((orderId) => ({ task: CancelOrder, payload: { orderId } })));
}

export async function changesAndLooks(tasks: DelayTaskService): Promise<void> {
  await tasks.reschedule<PayloadOf<typeof CancelOrder>>("id", { payload: { orderId: "42" } });
  await tasks.reschedule("id", { delay: "1h" });
  const { outcome } = await tasks.cancelByKey(CancelOrder, "42");
  outcome satisfies "cancelled" | "cancel_requested" | "not_found" | "too_late";
  await tasks.cancel("id");
  await tasks.retry("id");
  const found = await tasks.find({ type: "order.cancel", states: ["scheduled", "running"], tag: "vip", limit: 10 });
  await tasks.find({ live: true, after: found.next ?? undefined });
  await tasks.find({ type: ["mail.*"], state: "failing", not: { tag: ["vip"] }, createdFrom: "24h", priorityTo: 3 });
  await tasks.find({ ...taskFilter("state:dead type:mail.*"), limit: 20 });
  found.items.map(({ state, dueAt }) => [state, dueAt.getTime()]);
  const orders = await tasks.find(CancelOrder, { key: "42", states: ["dead"], scheduledFrom: new Date() });
  orders.items.map(({ payload }) => payload.orderId.length);
  (await tasks.get(CancelOrder, "id"))?.payload.orderId.toLowerCase();
  (await tasks.journal("id", { limit: 10 }))?.items.map(({ at, to }) => [at.getTime(), to]);
  (await tasks.stats()).countedAt.getTime();
  await tasks.runNow("id");
  (await tasks.cancelMany(["id"])).map(({ id, outcome, task }) => [id, outcome, task?.state]);
  (await tasks.retryMany(["id"])).map(({ outcome }) => outcome satisfies "scheduled" | "not_found" | string);
  (await tasks.get("id"))?.waitingFor?.toLowerCase();
}

@DelayTaskHandler(CancelOrder, { concurrency: 20 })
export class Cancels {
  async handle({ payload }: DelayTask<{ orderId: string }>, ctx: DelayTaskContext): Promise<number> {
    if (ctx.signal.aborted) throw new RetryAtError(new Date());
    if (payload.orderId === "") throw new NonRetryableError("an order without an id");
    return ctx.transaction(async (manager) => (await manager.query("SELECT 1")).length);
  }
}

@DelayTaskHandler("any")
export class NeedsNoTask {
  handle(): void {}
}

@DelayTaskHandler(CancelOrder, {
  condition: async ({ payload, attempt }, { signal }) => payload.orderId !== "" && attempt < 3 && !signal.aborted,
})
export class Conditional {
  handle({ payload }: DelayTask<{ orderId: string }>): string {
    return payload.orderId;
  }
}

@DelayTaskHandler("any", {
  condition(this: Bounded, task: DelayTask<{ whatever: number }>) {
    return task.payload.whatever > this.least;
  },
})
export class Bounded {
  readonly least = 1;

  handle({ payload }: DelayTask<{ whatever: number }>): number {
    return payload.whatever;
  }
}

export class Methods {
  @DelayTaskHandler(CancelOrder)
  cancel(task: DelayTask<{ orderId: string }>): string {
    return task.payload.orderId;
  }

  @DelayTaskHandler("any")
  any(task: DelayTask<{ whatever: number }>): number {
    return task.payload.whatever;
  }

  @DelayTaskHandler("any", { module: "billing", concurrency: 5 })
  anyOfBilling(): void {}

  @OnDelayTaskEvent("task.dead")
  alert(event: TelemetryEvent): void {
    console.log(event.message, event.facts);
  }

  @OnDelayTaskEvent("task.dead", { module: "billing" })
  onDead({ facts: { key, attempt }, error, errorText }: TaskDeadEvent): void {
    console.log(key?.length, attempt ?? 0, error instanceof Error, errorText?.length);
  }

  @OnDelayTaskEvent("engine.claim.degraded")
  onDegraded({ facts: { part } }: NamedEvent<"engine.claim.degraded">): void {
    console.log(part.length);
  }
}

export const moduleOptions: DelayTaskModuleOptions[] = [
  {},
  { url: "postgres://localhost/shop", redis: "redis://localhost", heartbeat: "loop", concurrency: 50 },
  { dataSource: new DataSource({ type: "postgres" }), redis: {} as Redis, poolSize: 8, engine: false },
];

/** What a value of an application's own tracing looks like. */
export const around: DelayTaskAround = async ({ type }, ctx, next) => {
  console.log(type, ctx.attempt);
  return next();
};

export const twoModules: DynamicModule[] = [
  DelayTaskModule.forRoot({ url: "postgres://localhost/shop", around: [around] }),
  DelayTaskModule.forRoot({ name: "billing", url: "postgres://localhost/billing" }),
  DelayTaskModule.forRootAsync({ name: "stock", useFactory: () => ({ url: "postgres://localhost/stock" }) }),
  DelayTaskApiModule.forRoot({ module: "billing", path: "billing" }),
];

@Injectable()
export class Billing {
  @InjectDelayTasks("stock") readonly stock!: DelayTaskService;

  constructor(
    @InjectDelayTasks("billing") readonly billing: DelayTaskService,
    readonly health: DelayTaskHealthIndicator,
  ) {}

  async isUp(): Promise<boolean> {
    const { orders } = await this.health.isHealthy("orders");
    return orders.status === "up" ? orders.degraded.length === 0 : orders.message === "";
  }
}

export async function script(): Promise<void> {
  const node = await createNode({ url: "postgres://localhost/shop", logger: console });
  node
    .handle(CancelOrder, ({ payload }, ctx) => `${payload.orderId} ${ctx.attempt}`, { concurrency: 20 })
    .handle(ShipOrder, ({ payload }) => payload.at.getTime(), { condition: ({ payload }) => payload.by !== "nobody" })
    .handle<{ to: string }>("mail.send", async ({ payload: { to } }) => to)
    .handle("mail.read", (task: DelayTask<{ id: number }>, ctx: DelayTaskContext<Redis>) =>
      ctx.transaction((redis) => redis.incrby("read", task.payload.id)),
    )
    .on("task.dead", ({ facts: { key } }) => key)
    .cron("5 0 * * *", { name: "settle", timeZone: "Europe/Berlin" }, (_task, { occurrenceAt }) => occurrenceAt)
    .interval("30s", { name: "poll", kind: "delay" }, () => undefined);
  await node.start();
  await node.tasks.schedule(CancelOrder, { orderId: "42" }, { delay: "15m" });
  await node.stop();
}

interface PlacedOrder {
  id: string;
  note?: string;
}

@Injectable()
export class Publishes {
  constructor(@InjectDelayedClient("ORDERS") private readonly orders: DelayedClient) {}

  async place(order: PlacedOrder, manager: EntityManager): Promise<void> {
    await this.orders.emit("order.expired", order, { delay: "15m", key: order.id, onConflict: "replace", manager });
    await this.orders.emit({ event: "expired", version: 2 }, [1, "a"], { scheduledAt: new Date() });
    await this.orders.cancel("order.expired", order.id, { manager });
    const found = await this.orders.get("order.expired", order.id);
    void found?.payload.pattern;
  }

  @DelayedPublish({ client: "ORDERS", pattern: "order.reminded", delay: "1d", key: (order) => order.id })
  async remind(order: PlacedOrder): Promise<{ id: string }> {
    return Promise.resolve({ id: order.id });
  }

  @DelayedPublish({
    client: "ORDERS",
    pattern: { event: "closed" },
    key: (order: PlacedOrder) => order.id,
    manager: (_order: PlacedOrder, manager: EntityManager) => manager,
    scheduledAt: () => new Date(),
    maxAttempts: 5,
  })
  async close(order: PlacedOrder, manager: EntityManager): Promise<PlacedOrder> {
    await manager.query("SELECT 1");
    return order;
  }
}

export const publishing: Provider[] = [
  ...delayedClient("ORDERS", { record: ({ id, data, key }) => ({ id, data, key }), maxAttempts: 100, timeout: "5s" }),
  ...delayedClient(Symbol("STOCK"), { type: "publish.stock", condition: ({ payload }) => payload.pattern !== "" }),
  { provide: "orders", useExisting: delayedClientToken("ORDERS") },
  Publishes,
];

export const apiOptions: DelayTaskApiOptions[] = [{}, { path: "tickwheel", dashboard: false, guards: [] }];

export const modules = [
  DelayTaskModule.forRoot({ url: "postgres://localhost/shop" }),
  DelayTaskModule.forRootAsync({
    inject: [DataSource],
    useFactory: (dataSource: DataSource) => ({ dataSource, redis: null }),
  }),
  DelayTaskApiModule.forRoot({ docs: false }),
];

export const providers: Provider[] = [Cancels, NeedsNoTask, Methods, ApiKeyRing];

export async function tests(): Promise<void> {
  const clock = new ManualClock();
  clock.setTimer(1_000, () => undefined);
  await clock.advance(1_000);
  new RecordingTelemetry().events.map(({ name }) => name);
}

export function readsError(error: unknown): string[] {
  if (!(error instanceof TickwheelError) || error.code !== "VALIDATION_FAILED") return [];
  return error.faults.map(({ path, message }) => `${path} ${message}`);
}
