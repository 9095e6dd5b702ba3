import { Inject } from "@nestjs/common";
import {
  ClusterInterval,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskService,
  defineTask,
  duration,
  type Duration,
  type DurationInput,
  type NewSchedule,
  type TaskDefinition,
  type TaskOptions,
} from "@tickwheel/nestjs";
import type { TickwheelNode } from "@tickwheel/node";
import { contextOf, type DelayTaskTesting, taskOf } from "@tickwheel/testing/nest";
import { DataSource } from "typeorm";
import * as z from "zod";
import { CancelOrder, Pay } from "./right-uses.js";

/** Beside `right-uses.ts`: what the compiler must take although the like of it is refused. Nothing here is run. */
export const durations: Duration[] = [
  ...(["0s", "500ms", "5s", "15m", "1.5h", "1.05h", "10.25s", "30d", "2w", "1000ms", "100d"] as const),
  ...(["1h30m", "2w1d", "1d12h", "1m30s", "1s500ms", "1h30m15s", "1d2h3m"] as const),
  ...(["PT15M", "PT1H30M", "PT0.5S", "P1D", "P1W", "P1DT2H"] as const),
];

/** A payload as an interface, with all that JSON keeps. */
export interface UploadPayload {
  owner: string;
  readonly files: readonly string[];
  bytes: number;
  isLast?: boolean;
  note?: string | undefined;
  parent: UploadPayload | null;
  kind: "image" | "text";
  at: `${number}-${number}-${number}`;
  sizes: [number, number?];
  labels: Record<string, string>;
  anything: unknown;
}
export type Event = { kind: "paid"; cents: number } | { kind: "named"; names: string[] };
enum Level {
  Low,
  High = "high",
}
export class Cart {
  total(): number {
    return 1;
  }
}
export class Settings {
  url = "postgres://localhost/shop";
  payWithin = "15m";
}
class Typed<Values = Record<string, unknown>> {
  get<Name extends keyof Values>(name: Name): Values[Name] {
    return name as never;
  }
}

export const Upload = defineTask<UploadPayload>("file.upload");
export const Told = defineTask<Event>("event.told");
export const Rated = defineTask<{ level: Level; id: string & { readonly brand: "id" } }>("level.rated");
export const Listed = defineTask<readonly string[]>("list.listed");
export const Unknown = defineTask("any.any");
export const Loose = defineTask("any.loose", { schema: z.looseObject({ shop: z.number() }) });
export const Nothing = defineTask<null>("nothing.to.say");
export const dateSchema = z.object({ at: z.date() });

export async function schedules(tasks: DelayTaskService, upload: UploadPayload, env: Settings): Promise<void> {
  const isUrgent = upload.bytes > 1;
  await tasks.schedule(Upload, upload, { delay: isUrgent ? "1m" : "1h", key: "1" });
  await tasks.schedule("file.upload", upload, { delay: duration(env.payWithin) });
  await tasks.schedule(
    "any",
    { note: undefined as string | undefined, deep: [{ a: [1, null] }] },
    { delay: 5 * 60_000 },
  );
  await tasks.schedule("any", JSON.parse("1"), { delay: null, scheduledAt: "2026-12-01T00:00:00Z" });
  await tasks.schedule("any", null, { delay: undefined, scheduledAt: new Date() });
  await tasks.schedule(Told, { kind: "paid", cents: 1 });
  await tasks.schedule(Unknown, { whatever: 1 });
  await tasks.schedule(Loose, { shop: 1, more: "x" });
  await tasks.schedule(Listed, ["a"]);
  await tasks.schedule(upload.bytes > 1 ? Upload : "file.upload", upload);
  const options: TaskOptions = { delay: "1d", tags: ["vip"] };
  await tasks.schedule(Nothing, null, { ...options, priority: 3 });
  const later = { delay: "1h" } as const;
  await tasks.scheduleMany(["1", "2"].map((orderId) => ({ task: CancelOrder, payload: { orderId }, ...later })));
  await tasks.reschedule("id", { scheduledAt: new Date(), priority: 1 });
}

export async function merges(tasks: DelayTaskService, upload: UploadPayload): Promise<void> {
  const merging = { key: "1", onConflict: "merge" } as const;
  await tasks.schedule(Upload, upload, { ...merging, merge: { bytes: "add", files: "append", owner: "replace" } });
  await tasks.schedule(Upload, upload, { ...merging, merge: { bytes: "max", anything: "append", sizes: "append" } });
  await tasks.schedule("any", { bytes: 1 }, { ...merging, merge: { bytes: "min", files: "append" } });
  await tasks.scheduleMany([{ task: Upload, payload: upload, ...merging, merge: { bytes: "add" } }]);
}

/** A helper of an application, for whatever definition. */
export function soon<Payload>(tasks: DelayTaskService, task: TaskDefinition<Payload>, payload: Payload) {
  return tasks.schedule(task, payload, { delay: "1m", priority: 0 });
}

export async function comesAgain(tasks: DelayTaskService): Promise<void> {
  await tasks.schedules.put({
    name: "a",
    task: CancelOrder,
    payload: { orderId: "1" },
    cron: "5 0 * * *",
    every: null,
  });
  await tasks.schedules.put({ name: "b", task: "any", every: "1d", anchor: new Date(), overlap: "buffer" });
  await tasks.schedules.create({ name: "c", task: Nothing, after: 60_000 });
  const made: NewSchedule = { name: "d", task: "any", every: "1d" };
  await tasks.schedules.put(made);
  await tasks.types.update("any", { rate: { count: 5, per: "1s" }, keepDead: "30d" });
  await tasks.operations.start({ action: "reschedule", filter: { all: true }, shift: "-15m" });
  await tasks.operations.start({ action: "reschedule", filter: { all: true }, shift: "1h30m" });
}

export async function together(tasks: DelayTaskService, ctx: DelayTaskContext): Promise<void> {
  await tasks.batches.create({
    tasks: [
      { task: CancelOrder, payload: { orderId: "1" }, delay: "1m" },
      { task: Pay, payload: { amount: 1 } },
      { task: "any", payload: { whatever: 1 } },
    ],
    onComplete: { task: "any" },
    onSuccess: { task: Pay, payload: { amount: 1 }, delay: "1h" },
    deadline: "4h",
  });
  await ctx.spawn([
    { task: CancelOrder, payload: { orderId: "1" }, delay: "1m" },
    { task: Pay, payload: { amount: 1 } },
    { task: "any" },
    { task: Nothing },
  ]);
  await ctx.spawn([1, 2].map((amount) => ({ task: Pay, payload: { amount } })));
  ctx.snooze("30m");
  ctx.defer("30s", { reason: "slow down" });
}

export class Results {
  @DelayTaskHandler(CancelOrder)
  async none(_task: DelayTask<{ orderId: string }>, ctx: DelayTaskContext) {
    await ctx.checkpoint(1);
  }

  @DelayTaskHandler(Pay, { breaker: { openFor: "30s" } })
  async maybe({ payload }: DelayTask<{ amount: number }>): Promise<{ cents?: number; at: string } | undefined> {
    return payload.amount > 1 ? { at: new Date().toISOString() } : undefined;
  }

  @DelayTaskHandler(Told)
  transaction({ payload }: DelayTask<Event>, ctx: DelayTaskContext) {
    return ctx.transaction((manager) => manager.update("order", { id: 1 }, { payload: payload.kind }));
  }

  @DelayTaskHandler(Listed)
  found(): UploadPayload | void {}

  @DelayTaskHandler("any")
  whatever(): unknown {
    return new Map();
  }

  @ClusterInterval("1h30m", { name: "poll" })
  poll(): number {
    return 1;
  }
}

export function handles(node: TickwheelNode): TickwheelNode {
  return node
    .handle(CancelOrder, async ({ payload }) => ({ done: payload.orderId }))
    .handle(Pay, (task: DelayTask<{ amount: number }>, ctx) => ctx.snooze(task.payload.amount))
    .handle(Told, () => undefined)
    .interval("PT15M", { name: "poll" }, () => 1);
}

const TOKEN = Symbol("settings");
export const modules = [
  DelayTaskModule.forRootAsync({
    inject: [Settings, DataSource],
    useFactory: (settings, dataSource) => ({ dataSource, namespace: settings.payWithin }),
  }),
  DelayTaskModule.forRootAsync({ inject: [Settings, Cart], useFactory: async ({ url }: Settings) => ({ url }) }),
  DelayTaskModule.forRootAsync({ inject: [TOKEN], useFactory: (settings: Settings) => ({ url: settings.url }) }),
  DelayTaskModule.forRootAsync({ inject: ["URL"], useFactory: (url: string) => ({ url }) }),
  DelayTaskModule.forRootAsync({
    inject: [Typed],
    useFactory: (settings: Typed<{ url: string }>) => ({ url: settings.get("url") }),
  }),
  DelayTaskModule.forRootAsync({
    inject: [{ token: Settings, optional: true }],
    useFactory: (settings?: Settings) => ({ url: settings?.url }),
  }),
];
export class Injected {
  constructor(@Inject(TOKEN) readonly settings: Settings) {}
}

export async function tests(testing: DelayTaskTesting): Promise<void> {
  await testing.advance("1h30m");
  await testing.outage(60_000);
  await testing.expectTask(CancelOrder).withPayload({ orderId: "1" }).dueIn("15m");
  contextOf().snoozed satisfies DurationInput | null;
  taskOf(CancelOrder, { orderId: "1" });
}
