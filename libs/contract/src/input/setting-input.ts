import * as z from "zod";
import { nullable, special } from "../shapes/parts.js";
import {
  instantRule,
  integerRule,
  keyRule,
  maxRule,
  minRule,
  parseInstant,
  textRule,
  typeRule,
} from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { named, said } from "./input-shape.js";

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
}).refine((changes) => Object.values(changes).some((value) => value !== undefined), {
  message: "must name at least one change",
  path: [],
});
named("TypeChangesInput", typeChangesInput, "What changes; at least one field. Null takes a setting away.");
