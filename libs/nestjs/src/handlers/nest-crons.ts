import { TickwheelError } from "@tickwheel/core";
import type { NodeHandler, NodeSchedule } from "@tickwheel/node/internals";

/** A method with `@Cron` of `@nestjs/schedule`, as it was found. */
export interface FoundCron {
  /** What the decorator was given. */
  options: NestCronOptions;
  /** Class and method, for people. */
  where: string;
  /** The scope of a provider that is no singleton, so that nothing can be called on it. Null: it is one. */
  scope: "request-scoped" | "transient" | null;
  call: () => unknown;
}

/** What is read of the options of `@Cron`. */
interface NestCronOptions {
  name?: unknown;
  cronTime?: unknown;
  timeZone?: unknown;
  utcOffset?: unknown;
  disabled?: unknown;
}

/** Where `@nestjs/schedule` keeps the options of a `@Cron`. */
export const NEST_CRON_METADATA = "SCHEDULE_CRON_OPTIONS";

/** The short forms that `@Cron` takes and our expressions do not. */
const PRESETS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
  "@minutely": "* * * * *",
  "@secondly": "* * * * * *",
  "@weekdays": "0 0 * * 1-5",
  "@weekends": "0 0 * * 0,6",
};

/** A `@Cron` as a schedule in code, and its handler. */
export interface TakenCron {
  schedule: NodeSchedule;
  handler: NodeHandler;
}

/**
 * Takes the application's own `@Cron` methods over as schedules in code, but for those that are disabled. A `@Cron`
 * without a zone runs by the clock of its process; that zone is taken.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every method that cannot be taken over, and why
 */
export function takenCrons(found: readonly FoundCron[], processZone: string): TakenCron[] {
  const crons = found.filter(({ options }) => options.disabled !== true);
  const faults = crons.flatMap(({ options, scope, where }) => {
    const fault = scope === null ? faultOf(options) : `is ${scope}, and nothing calls it: make its class a singleton`;
    return fault === null ? [] : [`${where} ${fault}`];
  });
  if (faults.length > 0)
    throw new TickwheelError(
      "CONFIGURATION_INVALID",
      `clusterCrons cannot take over all @Cron methods: ${faults.join("; ")}`,
    );
  return crons.map((cron) => taken(cron, processZone));
}

function faultOf({ name, cronTime, utcOffset }: NestCronOptions): string | null {
  if (typeof name !== "string" || name === "") return "has no name: give it one, @Cron(…, { name })";
  if (typeof cronTime !== "string") return `("${name}") has a date for its time, which comes once: schedule a task`;
  if (utcOffset !== undefined && utcOffset !== null) return `("${name}") has a utcOffset: give it a timeZone`;
  return null;
}

function taken({ options, where, call }: FoundCron, processZone: string): TakenCron {
  const name = options.name as string;
  const cronTime = (options.cronTime as string).trim();
  const type = `schedule.${name}`;
  const timeZone = (options.timeZone as string | undefined) ?? processZone;
  const rules = { cron: PRESETS[cronTime] ?? cronTime, timeZone };
  return {
    schedule: { name, type, rules, payload: null, tags: null, where },
    handler: { type, where, options: {}, handle: () => call() },
  };
}
