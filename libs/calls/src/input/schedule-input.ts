import { type ScheduleInput as RulesInput, SCHEDULE_STATES, type ScheduleState } from "@tickwheel/schedules";
import * as z from "zod";
import {
  durationRule,
  flagRule,
  instantRule,
  integerRule,
  nameRule,
  type InputRule,
  maxRule,
  minRule,
  numberRule,
  oneOfRule,
  parseInstant,
  textRule,
  typeRule,
} from "./input-rules.js";
import { field, inputObject, nestedInput } from "./input-schema.js";
import { payloadField } from "./payload-input.js";
import { tagsField } from "./tags-input.js";
import {
  backoffField,
  type BackoffSetting,
  deliverInput,
  type DeliverInput,
  type DurationInput,
} from "./task-input.js";

/** When a schedule runs: one of `cron`, `every` and `after`, and its policies. Null is as good as absent. */
export interface ScheduleRulesInput {
  /** 5 or 6 fields (seconds first), at most 256 characters. No default: this, `every` or `after`. */
  cron?: string | null | undefined;
  /** IANA name: the clock of `cron` and of `exclude`. Default `UTC`. */
  timeZone?: string | null | undefined;
  /** At a fixed rate: milliseconds of at least 1,000, or `"15m"`. No default: this, `cron` or `after`. */
  every?: DurationInput | null | undefined;
  /** Of `every`: an instant from which the rate counts. Default: `startsAt`, else the creation. */
  anchor?: Date | string | null | undefined;
  /** With a fixed delay after the last end: milliseconds of at least 1,000, or `"15m"`. No default: this or another. */
  after?: DurationInput | null | undefined;
  /** Instants before this one do not count. Default: none. */
  startsAt?: Date | string | null | undefined;
  /** Instants from this one on do not count. Default: none. */
  endsAt?: Date | string | null | undefined;
  /** Days `YYYY-MM-DD` in the zone on which nothing runs. Default: none. */
  exclude?: readonly string[] | null | undefined;
  /** What becomes of instants that passed while nothing could run: `last` (default), `skip`, `all`. */
  misfire?: "last" | "skip" | "all" | null | undefined;
  /** Of misfire `all`: so many are caught up, 1 to 1,000. Default 100. */
  limit?: number | null | undefined;
  /** What becomes of instants that pass while a run executes: `skip` (default), `buffer`, `allow`, `cancel-other`. */
  overlap?: "skip" | "buffer" | "allow" | "cancel-other" | null | undefined;
  /** What a resume does with the instants of the pause: `skip` (default), `last`. */
  onResume?: "skip" | "last" | null | undefined;
  /** What a fixed hour does where the clock jumps over it: `shift` (default) runs behind the gap, `skip` does not. */
  gap?: "shift" | "skip" | null | undefined;
  /** Which of its two instants a fixed hour takes where the clock goes back: `first` (default), `last`, `both`. */
  fold?: "first" | "last" | "both" | null | undefined;
  /** Runs are spread by up to this long, never beyond the next instant: milliseconds or `"2m"`. Default 0. */
  jitter?: DurationInput | null | undefined;
  /** What has been due for longer is not caught up: milliseconds or `"6h"`. Default: no such limit. */
  catchUpLimit?: DurationInput | null | undefined;
  /** The schedule pauses itself after so many failed occurrences in a row, 1 to 1,000. Default: never. */
  pauseAfterFailures?: number | null | undefined;
  /** Whether a run that waits for its retry counts as executing. Default false. */
  holdForRetry?: boolean | null | undefined;
  /** How long after its due time an occurrence may still start: milliseconds or `"5m"`. Default: however late. */
  startDeadline?: DurationInput | null | undefined;
}

/** Options of a schedule's tasks. */
export interface OccurrenceInput {
  /** 0 first … 9, among tasks that are due together. Default: the type's, else 5. */
  priority?: number | null | undefined;
  /** Attempts before an occurrence is dead, 1 to 1,000. Default: the type's, else 3. */
  maxAttempts?: number | null | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  backoff?: BackoffSetting | null | undefined;
  /** How long one attempt may take before its signal aborts, 1 ms to 24 h. Default: the type's, else 60 s. */
  timeout?: DurationInput | null | undefined;
  /** What its tasks belong to: at most 16, each once, of 1 to 64 characters. Default: none. */
  tags?: readonly string[] | null | undefined;
  /** Where a webhook goes. Default: a handler runs the tasks. */
  deliver?: DeliverInput | null | undefined;
}

/** A name is part of an address, and Fastify answers 414 for a part of more than 100 characters by default. */
export const scheduleNameRule: InputRule = nameRule(100);

const rule = field<never>().nullish() as unknown as z.ZodOptional<z.ZodNullable<z.ZodType<unknown, unknown>>>;
const instant = field<Date | string>(instantRule).transform((value) => parseInstant(value)!);

/** The fields that decide when a schedule runs; what is wrong with most of them the schedules' own rules say. */
const rules = {
  cron: rule,
  timeZone: rule,
  every: rule,
  anchor: instant.nullish(),
  after: rule,
  startsAt: instant.nullish(),
  endsAt: instant.nullish(),
  exclude: rule,
  misfire: rule,
  limit: rule,
  overlap: rule,
  onResume: rule,
  gap: rule,
  fold: rule,
  jitter: rule,
  catchUpLimit: rule,
  pauseAfterFailures: rule,
  holdForRetry: rule,
  startDeadline: rule,
};
export const RULE_NAMES = Object.keys(rules) as (keyof RulesInput)[];

/** A schedule as a client gives it, by REST or code. */
export const scheduleInput = inputObject({
  name: field<string>(scheduleNameRule),
  type: field<string>(typeRule),
  payload: payloadField,
  ...rules,
  priority: field<number>(integerRule, minRule(0), maxRule(9)).nullish(),
  maxAttempts: field<number>(integerRule, minRule(1), maxRule(1_000)).nullish(),
  backoff: backoffField,
  timeout: field<DurationInput>(durationRule({ minMs: 1, maxMs: 86_400_000 })).nullish(),
  tags: tagsField.nullish(),
  deliver: nestedInput(deliverInput),
});
export type CheckedScheduleInput = z.infer<typeof scheduleInput>;

/** A pause of a schedule. */
export const pauseInput = inputObject({
  /** What people are told of it. */
  reason: field<string>(textRule(1, 1_000)).nullish(),
  /** When it resumes by itself, in the future; default: by a call alone. */
  until: instant.nullish(),
});

/** A run by hand. */
export const triggerInput = inputObject({ payload: payloadField });

/** Which instants of a schedule that passed are to run. */
export interface BackfillInput {
  /** From this instant on. */
  from: Date | string;
  /** Up to this instant, without it; not in the future. */
  to: Date | string;
  /** Whether it only tells what it would do. Default false. */
  dryRun?: boolean | undefined;
  /**
   * Whether instants run of which nobody knows any more whether they ran, since only the newest runs of a schedule are
   * kept. Default false.
   */
  includeUnknown?: boolean | undefined;
}
export const backfillInput = inputObject({
  from: instant,
  to: instant,
  dryRun: field<boolean>(flagRule).nullish(),
  includeUnknown: field<boolean>(flagRule).nullish(),
});

/** The range as the engine takes it. */
export function backfillOf({ from, to, dryRun, includeUnknown }: z.infer<typeof backfillInput>) {
  return { from, to, isDryRun: dryRun ?? false, includesUnknown: includeUnknown ?? false };
}

const pageLimit = field<number>(integerRule, minRule(1), maxRule(200)).default(50);

/** Which schedules, and which page of them. */
export interface ScheduleFilterInput {
  /** In this state. Default: in any. */
  state?: ScheduleState | undefined;
  /** The name of their type. Default: any. */
  type?: string | undefined;
  /** 1 … 200; default 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}
export const scheduleFilterInput = inputObject({
  state: field<ScheduleState>(oneOfRule(SCHEDULE_STATES, `must be one of ${SCHEDULE_STATES.join(", ")}`)).optional(),
  type: field<string>(typeRule).optional(),
  limit: pageLimit,
  after: field<string>(textRule(1, 100)).optional(),
}) satisfies z.ZodType<unknown, ScheduleFilterInput>;

/** Which page of a schedule's runs. */
export interface ScheduleRunsInput {
  /** 1 … 200; default 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the newest page. */
  before?: number | undefined;
}
export const scheduleRunsInput = inputObject({
  limit: pageLimit,
  before: field<number>(integerRule, minRule(1)).optional(),
}) satisfies z.ZodType<unknown, ScheduleRunsInput>;

/** Which of the next instants. */
export interface PreviewInput {
  /** 1 … 1,000; default 10. */
  count?: number | undefined;
  /** From when on; default: now. */
  from?: Date | string | undefined;
}

/** Instants of a preview. */
export const DEFAULT_PREVIEW = 10;
export const MAX_PREVIEW = 1_000;

export const previewInput = inputObject({
  count: field<number>(numberRule, integerRule, minRule(1), maxRule(MAX_PREVIEW)).default(DEFAULT_PREVIEW),
  from: instant.optional(),
});
