import {
  ACTION_RULES,
  MAX_DELAY_MS,
  MAX_OPERATION_REASON,
  MAX_OPERATION_TASKS,
  OPERATION_ACTIONS,
  type OperationAction,
  type ShiftInput,
  parseDurationMs,
} from "@tickwheel/core";
import * as z from "zod";
import {
  flagRule,
  integerRule,
  type InputRule,
  maxRule,
  minRule,
  NO_DURATION,
  numberRule,
  oneOfRule,
  textRule,
  told,
} from "../input/input-rules.js";
import { field, inputObject, nestedInput, whenObject } from "../input/input-schema.js";
import { named, said } from "../input/input-shape.js";
import { instantField } from "../input/setting-input.js";
import { tagRule } from "../input/tags-input.js";
import { isGiven } from "../input/task-input.js";
import { operationFilter } from "./operation-filter.js";

const LEAST_RATE = 0.01;
const MOST_RATE = 10_000;
const LEAST_SHARE = 0.01;

/** A duration with a sign: `-15m` is a quarter of an hour earlier. */
const shiftRule: InputRule = told(
  { oneOf: [{ type: "number" }, { type: "string" }] },
  (value) => {
    const shiftMs = shiftOf(value);
    if (shiftMs === null) return `${NO_DURATION}; with - before it: earlier`;
    if (shiftMs === 0) return "must not be 0";
    return Math.abs(shiftMs) > MAX_DELAY_MS ? "must be at most 100 years" : null;
  },
  "Duration",
);

/** Milliseconds of a duration that may be negative; null: it is none. */
export function shiftOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? Math.round(value) : null;
  if (typeof value !== "string") return null;
  const isEarlier = value.startsWith("-");
  const ms = parseDurationMs(isEarlier ? value.slice(1) : value);
  return ms === null ? null : Math.round(isEarlier ? -ms : ms);
}

/** Between which instants due times are spread. */
export const spreadInput = inputObject({
  from: said(instantField(), "The first instant."),
  to: said(instantField(), "The instant behind the last one."),
}).refine(({ from, to }) => typeof from !== "number" || typeof to !== "number" || from < to, {
  path: ["to"],
  error: "must be later than from",
  when: whenObject,
});
named("SpreadInput", spreadInput, "Between which instants due times are spread.");

const reason = said(
  field<string>(textRule(1, MAX_OPERATION_REASON)).nullish(),
  "Why, for the audit. A discard needs one. Default: none is told.",
);

const HOW = {
  includeOverdue: said(
    field<boolean>(flagRule).nullish(),
    "For `restore`: those whose time has passed come too, due now. Else they are left.",
    { default: false },
  ),
  set: said(instantField().nullish(), "For `reschedule`: they are due then; if it has passed, now."),
  shift: said(
    field<ShiftInput>(shiftRule).nullish(),
    "For `reschedule`: how much later they are due, in milliseconds or such as `15m`; `-15m`: earlier, but never in the past. At most 100 years.",
    { example: "1h", code: { type: "ShiftInput" } },
  ),
  spread: said(nestedInput(spreadInput), "For `reschedule`: anywhere between two instants, told by each task's id."),
  tag: said(field<string>(tagRule).nullish(), "For `add_tag` and `remove_tag`: the tag."),
  rate: said(
    field<number>(numberRule, minRule(LEAST_RATE), maxRule(MOST_RATE)).nullish(),
    "For `retry`, `restore` and `run_now`: how many tasks a second, 0.01 to 10,000. Default: as fast as it goes beside the rest.",
  ),
  stopWhenFailing: said(
    field<number>(numberRule, minRule(LEAST_SHARE), maxRule(1)).nullish(),
    "It stops once so large a share of the 200 tasks changed last has failed again, of at least 20 that ended an attempt; 0.01 to 1, only with a `rate`. Default: never.",
    { example: 0.5 },
  ),
  atMost: said(
    field<number>(integerRule, minRule(1), maxRule(MAX_OPERATION_TASKS)).nullish(),
    "It stops, reason `LIMIT`, once it has changed so many.",
    { default: MAX_OPERATION_TASKS },
  ),
  expect: said(
    field<number>(integerRule, minRule(0)).nullish(),
    "The `count` of a dry run: if more than a tenth more or fewer fit by now, nothing is done (`OPERATION_COUNT_CHANGED`). Default: nothing is expected.",
  ),
  reason,
};
type How = { [Name in keyof typeof HOW]?: unknown };

const action = said(
  field<OperationAction>(oneOfRule(OPERATION_ACTIONS, `must be one of ${OPERATION_ACTIONS.join(", ")}`)),
  OPERATION_ACTIONS.map((name) => `\`${name}\`: ${ACTION_RULES[name].text}.`).join(" "),
  { words: "OperationAction" },
);

/** What an operation is to do, or to be tried dry with. */
export const operationInput = inputObject({
  action,
  filter: operationFilter,
  ...HOW,
}).superRefine(
  (given, context) => {
    for (const [path, message] of misfits(given.action, given))
      context.addIssue({ code: "custom", message, path: [path] });
  },
  { when: whenObject },
);
named("OperationInput", operationInput);
/** An operation whose input has been checked. */
export type CheckedOperation = z.infer<typeof operationInput>;

const MOVES = ["set", "shift", "spread"] as const;

/** The fields that do not go with the action. */
function misfits(known: OperationAction, given: How): [path: string, message: string][] {
  const rule = ACTION_RULES[known] as (typeof ACTION_RULES)[OperationAction] | undefined;
  if (rule === undefined) return [];
  const is = (name: keyof How): boolean => isGiven(given[name]);
  const only = (name: keyof How, allowed: boolean, actions: string): [string, string][] =>
    is(name) && !allowed ? [[name, `must be given only with the action ${actions}`]] : [];
  const moves = MOVES.filter(is);
  return [
    ...MOVES.flatMap((name) => only(name, rule.needs === "move", "reschedule")),
    ...only("tag", rule.needs === "tag", "add_tag or remove_tag"),
    ...(given.includeOverdue === true ? only("includeOverdue", known === "restore", "restore") : []),
    ...only("rate", rule.isPaced, "retry, restore or run_now"),
    ...(rule.needs === "move" && moves.length !== 1
      ? [["set", "must be given, or shift, or spread; one of them"] as [string, string]]
      : []),
    ...(rule.needs === "tag" && !is("tag") ? [["tag", "must be given"] as [string, string]] : []),
    ...(is("stopWhenFailing") && !is("rate")
      ? [["stopWhenFailing", "must be given only together with a rate"] as [string, string]]
      : []),
    ...(known === "discard" && !is("reason") ? [["reason", "must be given with a discard"] as [string, string]] : []),
  ];
}

/** Why somebody holds, resumes or stops an operation. */
export const operationReasonInput = inputObject({ reason });
named("OperationReasonInput", operationReasonInput);

/** How an operation is undone. */
export const undoInput = inputObject({
  overdue: said(
    field<"leave" | "run">(oneOfRule(["leave", "run"], "must be leave or run")).nullish(),
    "What would have come due since: `leave` it, or put it back and `run` it now.",
    { words: "OverdueAtUndo", default: "leave" },
  ),
  reason,
});
named("UndoInput", undoInput);
