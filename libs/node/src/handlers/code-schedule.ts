import { type DurationInput, TickwheelError } from "@tickwheel/core";
import type { ScheduleRulesInput } from "@tickwheel/calls";
import type { HandlerOptions } from "./node-handler.js";

/** A schedule that a node is given with its code. */
export interface NodeSchedule {
  name: string;
  type: string;
  rules: ScheduleRulesInput;
  payload: unknown;
  tags: readonly string[] | null;
  /** Where it stands in the code, for people: class and method, or the call. */
  where: string;
}

/** What a schedule in code has besides its time. Its policies are those of {@link ScheduleRulesInput}. */
export interface CodeScheduleOptions
  extends
    Omit<ScheduleRulesInput, "cron" | "every" | "after" | "anchor" | "startDeadline">,
    Omit<HandlerOptions, "concurrency"> {
  /** Its name in the namespace: 1 to 100 characters of `A-Z a-z 0-9 . _ : -`. No default. */
  name: string;
  /** The payload of each of its tasks; any JSON. Default null. */
  payload?: unknown;
  /** What its tasks belong to: at most 16, each once. Default: none. */
  tags?: readonly string[] | undefined;
}

/** What a schedule in code that comes at an interval has besides it. */
export interface CodeIntervalOptions extends CodeScheduleOptions {
  /** `rate`: from start to start; `delay`: from the end of a run to the next start. Default `rate`. */
  kind?: "rate" | "delay" | undefined;
  /** For `rate` alone: an instant from which it counts. Default: `startsAt`, else the creation of the schedule. */
  anchor?: Date | string | undefined;
}

/** A schedule in code, and the options of the handler of its tasks. */
export interface CodeSchedule {
  schedule: Omit<NodeSchedule, "where">;
  handler: HandlerOptions<never>;
}

/**
 * A schedule at an interval.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` for a `kind` that there is not
 */
export function codeInterval(
  interval: DurationInput,
  { kind = "rate", anchor, ...options }: CodeIntervalOptions,
  where: string,
): CodeSchedule {
  if (kind !== "rate" && kind !== "delay")
    throw new TickwheelError(
      "CONFIGURATION_INVALID",
      `${where} ("${options.name}"): kind must be "rate" or "delay", not ${JSON.stringify(kind)}.`,
    );
  return codeSchedule(kind === "delay" ? { after: interval, anchor } : { every: interval, anchor }, options);
}

/** Parts what is the schedule's from what is its handler's. */
export function codeSchedule(time: ScheduleRulesInput, options: CodeScheduleOptions): CodeSchedule {
  const { name, payload = null, tags = null, ...others } = options;
  const { maxAttempts, backoff, timeout, priority, startDeadline, condition, succeeded, breaker, ...policies } = others;
  return {
    schedule: { name, type: `schedule.${name}`, rules: { ...time, ...policies, startDeadline }, payload, tags },
    handler: { maxAttempts, backoff, timeout, priority, condition, succeeded, breaker },
  };
}
