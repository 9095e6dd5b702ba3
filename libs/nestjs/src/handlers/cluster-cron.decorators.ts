import type { DurationInput } from "@tickwheel/core";
import {
  type CodeIntervalOptions,
  type CodeSchedule,
  codeInterval,
  codeSchedule,
  type CodeScheduleOptions as NodeScheduleOptions,
  type NodeSchedule,
} from "@tickwheel/node/internals";
import { DelayTaskHandler, type DelayTaskHandlerDecorator, whereIs } from "./delay-task.decorators.js";

/** What the explorer reads of a method that is a schedule. */
export interface CodeScheduleMetadata extends Omit<NodeSchedule, "where"> {
  module?: string | undefined;
}

export const SCHEDULE_METADATA = "tickwheel:schedule";

/** Whose schedule it is. */
interface OfModule {
  /** The name of the `DelayTaskModule` whose tasks it makes and runs; default: the one without a name. */
  module?: string | undefined;
}

/** What a schedule in code has besides its time. */
export interface CodeScheduleOptions extends NodeScheduleOptions, OfModule {}

/** Options of {@link ClusterInterval}. */
export interface ClusterIntervalOptions extends CodeIntervalOptions, OfModule {}

/** Decorates a method of any provider, which is the handler. */
type ScheduledMethod = Extract<DelayTaskHandlerDecorator<unknown>, unknown>;

/**
 * Runs a method by a cron expression, once per cluster: each occurrence is a task, on whichever node is free. The
 * method gets it and a handler's context, with `ctx.occurrenceAt` and `ctx.missed`. Where versions differ, the newest
 * that has been live for 30 s is in force.
 *
 * @param cron 5 or 6 fields (seconds first), on the clock of `timeZone` (default UTC)
 * @example @ClusterCron("5 0 * * *", { name: "settle", timeZone: "Europe/Berlin" }) async settle(task, ctx) { … }
 */
export function ClusterCron(cron: string, options: CodeScheduleOptions): ScheduledMethod {
  const { module, ...own } = options;
  return scheduled(module, () => codeSchedule({ cron }, own));
}

/**
 * The same at an interval: milliseconds of at least 1,000, or a text such as `"15m"`.
 *
 * @example @ClusterInterval("30s", { name: "poll", kind: "delay" }) async poll(task, ctx) { … }
 */
export function ClusterInterval(interval: DurationInput, options: ClusterIntervalOptions): ScheduledMethod {
  const { module, ...own } = options;
  return scheduled(module, (where) => codeInterval(interval, own, where));
}

function scheduled(module: string | undefined, made: (where: string) => CodeSchedule): ScheduledMethod {
  return ((target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const { schedule, handler: options } = made(whereIs(target, key));
    const handler = DelayTaskHandler<never>(schedule.type, { ...options, module });
    const metadata: CodeScheduleMetadata = { ...schedule, module };
    // The handler first: it refuses a method that has one already.
    (handler as (...parameters: unknown[]) => void)(target, key, descriptor);
    Reflect.defineMetadata(SCHEDULE_METADATA, metadata, descriptor ? (descriptor.value as object) : target);
  }) as ScheduledMethod;
}
