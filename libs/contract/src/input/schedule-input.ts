import type { ScheduleInput as RulesInput } from "@tickwheel/schedules";
import * as z from "zod";
import { day, flag, list, special, string } from "../shapes/parts.js";
import type { Shape } from "../shapes/shape.js";
import { DURATION_JSON, flagRule, nameRule, type InputRule, typeRule } from "./input-rules.js";
import { field, inputObject, nestedInput } from "./input-schema.js";
import { named, said } from "./input-shape.js";
import { PAYLOAD, payloadField } from "./payload-input.js";
import { POLICIES } from "./schedule-policies.js";
import { tagsField } from "./tags-input.js";
import { instantField } from "./setting-input.js";
import { backoffField, deliverInput, maxAttemptsField, priorityField, timeoutField } from "./task-input.js";

/** A name is part of an address, and Fastify answers 414 for a part of more than 100 characters by default. */
export const MAX_SCHEDULE_NAME = 100;

export const scheduleNameRule: InputRule = nameRule(MAX_SCHEDULE_NAME);

const count = (most: number): Shape => special("Int", { type: "integer", minimum: 1, maximum: most });
const duration = (): Shape => special("Duration", DURATION_JSON);

/** A field whose own rules the schedules have. */
function rule(shape: Shape, text: string, usual?: unknown): z.ZodOptional<z.ZodNullable<z.ZodType<unknown, unknown>>> {
  const schema = field<never>().nullish() as unknown as z.ZodOptional<z.ZodNullable<z.ZodType<unknown, unknown>>>;
  return said(schema, text, { shape: () => shape, ...(usual !== undefined && { default: usual }) });
}

/** The fields that decide when a schedule runs; what is wrong with most of them the schedules' own rules say. */
export const SCHEDULE_RULES = {
  cron: rule(
    special("String", { type: "string", maxLength: 256 }),
    "5 or 6 fields, seconds first. One of `cron`, `every` and `after`.",
  ),
  timeZone: rule(string(), "IANA name: the clock of `cron` and `exclude`.", "UTC"),
  every: rule(duration(), "At a fixed rate, at least 1 s."),
  anchor: said(instantField().nullish(), "For `every`: from when it counts. Default: `startsAt`, else the creation."),
  after: rule(duration(), "With a fixed delay after the last end, at least 1 s."),
  startsAt: said(instantField().nullish(), "Instants before this one do not count. Default: none."),
  endsAt: said(instantField().nullish(), "Instants from this one on do not count. Default: none."),
  exclude: rule(list(day()), "Days `YYYY-MM-DD` on which nothing runs, in the zone. Default: none."),
  misfire: rule(POLICIES.misfire, "What becomes of instants that passed while nothing could run.", "last"),
  limit: rule(count(1_000), "For misfire `all`: how many are caught up.", 100),
  overlap: rule(POLICIES.overlap, "What becomes of instants that pass while a run executes.", "skip"),
  onResume: rule(POLICIES.onResume, "What a resume does with the instants of the pause.", "skip"),
  gap: rule(
    POLICIES.gap,
    "What a fixed hour does where the clock jumps over it: `shift` runs behind the gap, `skip` does not.",
    "shift",
  ),
  fold: rule(POLICIES.fold, "Which of its two instants a fixed hour takes where the clock goes back.", "first"),
  jitter: rule(duration(), "Runs are spread by up to this long, never beyond the next instant. Default: 0."),
  catchUpLimit: rule(duration(), "What has been due for longer is not caught up. Default: no such limit."),
  pauseAfterFailures: rule(count(1_000), "It pauses itself after so many failed occurrences in a row. Default: never."),
  holdForRetry: rule(flag(), "Whether a run that waits for its retry counts as executing.", false),
  startDeadline: rule(duration(), "How long after its due time an occurrence may still start. Default: however late."),
};
export const RULE_NAMES = Object.keys(SCHEDULE_RULES) as (keyof RulesInput)[];

/** What its tasks are given beside their payload. */
export const OCCURRENCE = {
  priority: priorityField(),
  maxAttempts: said(maxAttemptsField(), "Attempts before an occurrence is dead. Default: the type's, else 3."),
  backoff: backoffField(),
  timeout: timeoutField(),
  tags: said(tagsField.nullish(), "What its tasks belong to. Default: nothing."),
  deliver: said(nestedInput(deliverInput), "Where its tasks are sent. Default: a handler runs them."),
};

/** A schedule as a client gives it, by REST or code. */
export const scheduleInput = inputObject({
  name: said(
    field<string>(scheduleNameRule),
    "Unique in the namespace. With PUT it may be left out: the address has it.",
    { mayLack: true },
  ),
  type: said(field<string>(typeRule), "The type of its tasks."),
  payload: said(payloadField(), PAYLOAD),
  ...SCHEDULE_RULES,
  ...OCCURRENCE,
});
named("ScheduleInput", scheduleInput, "One of `cron`, `every` and `after`, and what goes with it.");
export type CheckedScheduleInput = z.infer<typeof scheduleInput>;

/** A run by hand. */
export const triggerInput = inputObject({
  payload: said(payloadField(), "In place of the schedule's own. Default: that."),
});
named("ScheduleTriggerInput", triggerInput);

/** Which instants of a schedule that passed are to run. */
export const backfillInput = inputObject({
  from: said(instantField(), "From this instant on."),
  to: said(instantField(), "Up to this instant, without it; not in the future."),
  dryRun: said(field<boolean>(flagRule).nullish(), "It only tells what it would do.", { default: false }),
  includeUnknown: said(
    field<boolean>(flagRule).nullish(),
    "Runs instants too of which nobody knows any more whether they ran, since only the newest runs of a schedule are kept.",
    { default: false },
  ),
});
named("ScheduleBackfillInput", backfillInput);

/** The range as the engine takes it. */
export function backfillOf({ from, to, dryRun, includeUnknown }: z.infer<typeof backfillInput>) {
  return { from, to, isDryRun: dryRun ?? false, includesUnknown: includeUnknown ?? false };
}
