import { TickwheelError } from "@tickwheel/core";
import {
  DelayTaskHandler,
  type DelayTaskHandlerDecorator,
  type DelayTaskHandlerOptions,
  whereIs,
} from "./delay-task.decorators.js";
import type { DurationInput, ScheduleRulesInput } from "@tickwheel/calls";

/** What the explorer reads of a method that is a schedule. */
export interface CodeScheduleMetadata {
  name: string;
  type: string;
  rules: ScheduleRulesInput;
  payload: unknown;
  tags: readonly string[] | null;
  module?: string;
}

export const SCHEDULE_METADATA = "tickwheel:schedule";

/** What a schedule in code has besides its time. Its policies are those of {@link ScheduleRulesInput}. */
export interface CodeScheduleOptions
  extends
    Omit<ScheduleRulesInput, "cron" | "every" | "after" | "anchor" | "startDeadline">,
    Omit<DelayTaskHandlerOptions, "concurrency"> {
  /** Its name in the namespace: 1 to 100 characters of `A-Z a-z 0-9 . _ : -`. No default. */
  name: string;
  /** Of each of its tasks; any JSON. Default null. */
  payload?: unknown;
  /** What its tasks belong to: at most 16, each once. Default: none. */
  tags?: readonly string[] | undefined;
}

/** Options of {@link ClusterInterval}. */
export interface ClusterIntervalOptions extends CodeScheduleOptions {
  /** `rate`: from start to start; `delay`: from the end of a run to the next start. Default `rate`. */
  kind?: "rate" | "delay" | undefined;
  /** Of `rate` alone: an instant from which it counts. Default: `startsAt`, else the creation of the schedule. */
  anchor?: Date | string | undefined;
}

/** Of a method of any provider, which is the handler. */
type ScheduledMethod = Extract<DelayTaskHandlerDecorator<unknown>, unknown>;

/**
 * Runs a method by a cron expression, once per cluster: each occurrence is a task, on whichever node is free. The
 * method gets it and a handler's context, with `ctx.occurrenceAt` and `ctx.missed`. Of versions that differ the newest
 * that has been live for 30 s is in force.
 *
 * @param cron 5 or 6 fields (seconds first), on the clock of `timeZone` (default UTC)
 * @example @ClusterCron("5 0 * * *", { name: "settle", timeZone: "Europe/Berlin" }) async settle(task, ctx) { … }
 */
export function ClusterCron(cron: string, options: CodeScheduleOptions): ScheduledMethod {
  return scheduled({ cron }, options);
}

/**
 * The same at an interval: milliseconds of at least 1,000, or a text such as `"15m"`.
 *
 * @example @ClusterInterval("30s", { name: "poll", kind: "delay" }) async poll(task, ctx) { … }
 */
export function ClusterInterval(interval: DurationInput, options: ClusterIntervalOptions): ScheduledMethod {
  const { kind = "rate", anchor, ...others } = options;
  const isKnown = kind === "rate" || kind === "delay";
  const fault = isKnown ? null : `kind must be "rate" or "delay", not ${JSON.stringify(kind)}`;
  return scheduled(kind === "delay" ? { after: interval, anchor } : { every: interval, anchor }, others, fault);
}

function scheduled(
  time: ScheduleRulesInput,
  options: CodeScheduleOptions,
  fault: string | null = null,
): ScheduledMethod {
  const { name, payload = null, tags = null, module, ...others } = options;
  const { maxAttempts, backoff, timeout, priority, startDeadline, condition, succeeded, ...policies } = others;
  const type = `schedule.${name}`;
  const handler = DelayTaskHandler<never>(type, {
    maxAttempts,
    backoff,
    timeout,
    priority,
    condition,
    succeeded,
    module,
  });
  const rules = { ...time, ...policies, startDeadline };
  const metadata: CodeScheduleMetadata = { name, type, rules, payload, tags, module };
  return ((target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (fault !== null)
      throw new TickwheelError("CONFIGURATION_INVALID", `${whereIs(target, key)} ("${name}"): ${fault}.`);
    // The handler first: it refuses a method that has one already.
    (handler as (...parameters: unknown[]) => void)(target, key, descriptor);
    Reflect.defineMetadata(SCHEDULE_METADATA, metadata, descriptor ? (descriptor.value as object) : target);
  }) as ScheduledMethod;
}
