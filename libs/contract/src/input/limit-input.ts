import { type DurationInput, parseDurationMs } from "@tickwheel/core";
import { nullable, special } from "../shapes/parts.js";
import { durationRule, integerRule, maxRule, minRule } from "./input-rules.js";
import { field, inputObject, nestedInput } from "./input-schema.js";
import { inputShape, named, said } from "./input-shape.js";

/** The most tasks of a type, or of a namespace, that may be allowed at once in the whole cluster. */
const MAX_RUNNING = 1_000;
const MAX_COUNT = 1_000_000;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const LEAST_PER_SECOND = 0.001;
const MOST_PER_SECOND = 100_000;

/** How often tasks may start in the whole cluster. */
export const rateInput = inputObject({
  count: said(field<number>(integerRule, minRule(1), maxRule(MAX_COUNT)), "How many may start in `per`."),
  per: said(
    field<DurationInput>(durationRule({ minMs: 1, maxMs: DAY_MS })),
    "In which time, at most a day. `count` and `per` come to 0.001 to 100,000 a second.",
    { example: "1s" },
  ),
  burst: said(
    field<number>(integerRule, minRule(1), maxRule(MAX_COUNT)).nullish(),
    "How many may start at once after a rest. Default: as many as may start in a second, at least 1.",
  ),
}).refine(isInBounds, { message: "must come to 0.001 to 100,000 starts a second", path: [] });
named("RateInput", rateInput, "How often tasks may start in the whole cluster.");

/** What a field of its own does wrong is no fault of both. */
function isInBounds({ count, per }: { count: unknown; per: unknown }): boolean {
  const perMs = parseDurationMs(per);
  if (typeof count !== "number" || count < 1 || count > MAX_COUNT) return true;
  if (perMs === null || perMs < 1 || perMs > DAY_MS) return true;
  const perSecond = (count * SECOND_MS) / perMs;
  return perSecond >= LEAST_PER_SECOND && perSecond <= MOST_PER_SECOND;
}

const maxRunning = special<number>("Int", { type: "integer", minimum: 1, maximum: MAX_RUNNING });

/** What may be set for the whole cluster. @param whose what is limited */
function limitsOf(whose: string) {
  return {
    maxRunning: said(
      field<number>(integerRule, minRule(1), maxRule(MAX_RUNNING)).nullish(),
      `How many of ${whose} run at once in the whole cluster; never more. Beyond a lowered limit what runs goes on to its end. Null: as many as there is room for. Default: as it is.`,
      { shape: () => nullable(maxRunning) },
    ),
    rate: said(
      nestedInput(rateInput),
      `How often ${whose} start in the whole cluster. Null: as often as they are due. Default: as it is.`,
      { shape: () => nullable(inputShape(rateInput)) },
    ),
  };
}

export const LIMITS_OF_TYPE = limitsOf("its tasks");

/** What may be set of a namespace at run time. */
export const namespaceChangesInput = inputObject(limitsOf("the tasks of all its types together")).refine(
  (changes) => Object.values(changes).some((value) => value !== undefined),
  { message: "must name at least one change", path: [] },
);
named("NamespaceChangesInput", namespaceChangesInput, "What changes; at least one field. Null takes a limit away.");
