import { type DurationInput, parseInstant } from "@tickwheel/core";
import * as z from "zod";
import { nullable, special } from "../shapes/parts.js";
import {
  durationRule,
  instantRule,
  integerRule,
  keyRule,
  maxRule,
  minRule,
  textRule,
  typeRule,
} from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { named, said } from "./input-shape.js";
import { LIMITS_OF_TYPE } from "./limit-input.js";

/** The most executions of one type that each node may be allowed at once. */
export const MAX_TYPE_CONCURRENCY = 10_000;

/** An instant, as epoch milliseconds. */
export const instantField = (): z.ZodType<number, Date | string> =>
  field<Date | string>(instantRule).transform((value) => parseInstant(value)!);

const PAUSE = {
  reason: said(field<string>(textRule(1, 1_000)).nullish(), "What people are told of it. Default: nothing."),
  until: said(
    instantField().nullish(),
    "When it ends by itself, in the future and within 100 years; default: by a call alone.",
  ),
};

/** A pause of a schedule, a type or a namespace. */
export const pauseInput = named("PauseInput", inputObject(PAUSE));

/** A pause of a key. */
export const keyPauseInput = named(
  "KeyPauseInput",
  inputObject({
    type: said(field<string>(typeRule), "The type of its tasks."),
    key: said(field<string>(keyRule), "The key."),
    ...PAUSE,
  }),
);

const concurrency = special<number>("Int", { type: "integer", minimum: 1, maximum: MAX_TYPE_CONCURRENCY });

/** What may be set of a type at run time. */
export const typeChangesInput = inputObject({
  concurrency: said(
    field<number>(integerRule, minRule(1), maxRule(MAX_TYPE_CONCURRENCY)).nullish(),
    "How many of its tasks each node runs at once. Null: what its handler says, else the node. Default: as it is.",
    { shape: () => nullable(concurrency) },
  ),
  ...LIMITS_OF_TYPE,
  keepSucceeded: said(
    field<DurationInput>(durationRule()).nullish(),
    "How long its succeeded tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: not at all. Such a task is not found after its end, neither by id nor by key; a replay of its idempotency key answers `TASK_NOT_FOUND`; runs of schedules do not tell how they ended; and counts that are made anew from rows lack it. Members of batches are kept all the same. Null: as long as all others. Default: as it is.",
    { example: "7d" },
  ),
  keepCancelled: said(
    field<DurationInput>(durationRule()).nullish(),
    "How long its cancelled tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: a cancel by id of a task that waits deletes it, and it is not found afterwards; what is cancelled otherwise goes within minutes. Members of batches are kept all the same, and what an operation has cancelled as long as it can be undone. Null: as long as all others. Default: as it is.",
    { example: "1d" },
  ),
  keepDead: said(
    field<DurationInput>(durationRule()).nullish(),
    "How long its dead tasks are kept, and can be retried: from 1 h to `deadRetentionDays`. Members of batches are kept all the same. Null: as long as all others. Default: as it is.",
    { example: "30d" },
  ),
}).refine((changes) => Object.values(changes).some((value) => value !== undefined), {
  message: "must name at least one change",
  path: [],
});
named("TypeChangesInput", typeChangesInput, "What changes; at least one field. Null takes a setting away.");
