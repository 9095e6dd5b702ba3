import { type DurationInput, type Fault, MAX_BATCH_NAME, MAX_SHARDS, parseDurationMs } from "@tickwheel/core";
import * as z from "zod";
import { list, special } from "../shapes/parts.js";
import type { JsonSchema, Shape } from "../shapes/shape.js";
import {
  durationRule,
  flagRule,
  instantRule,
  integerRule,
  type InputRule,
  maxRule,
  minRule,
  nameRule,
} from "./input-rules.js";
import { field, inputObject, whenObject } from "./input-schema.js";
import { inputShape, named, said } from "./input-shape.js";
import { isGiven, taskInput, type TaskInput } from "./task-input.js";

/** The most members that one call may make or add. */
export const MAX_MEMBERS_OF_CALL = 10_000;

/** When it is looked who is not done: a delay from now, or an instant; at most 100 years from now. */
export type DeadlineInput = DurationInput | Date;

export const batchNameRule: InputRule = nameRule(MAX_BATCH_NAME);
const NO_SHARDS = `must be a number of 1 to ${MAX_SHARDS}, or "nodes"`;
const shardsRule: InputRule = (value) =>
  value === "nodes" || (integerRule(value) ?? minRule(1)(value) ?? maxRule(MAX_SHARDS)(value)) === null
    ? null
    : NO_SHARDS;
const NO_DEADLINE =
  'must be a duration, such as "4h" or milliseconds, or an ISO 8601 instant with offset, such as "2026-11-21T08:00:00Z"';
const deadlineRule: InputRule = (value) => {
  if (parseDurationMs(value) !== null) return deadlineDuration(value);
  const message = instantRule(value);
  return message?.includes("ISO 8601") ? NO_DEADLINE : message;
};

function tasksRule(least: number): InputRule {
  const range = least === 0 ? `at most ${MAX_MEMBERS_OF_CALL}` : `${least} to ${MAX_MEMBERS_OF_CALL}`;
  return (value) =>
    Array.isArray(value) && value.length >= least && value.length <= MAX_MEMBERS_OF_CALL
      ? null
      : `must be a list of ${range} tasks`;
}

const deadlineDuration = durationRule();
const flag = (text: string): z.ZodOptional<z.ZodNullable<z.ZodType<boolean, boolean>>> =>
  said(field<boolean>(flagRule).nullish(), text, { default: false });

const NO_CONFLICTS = "without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`";
const members = (limits: JsonSchema): Shape =>
  list(inputShape(taskInput), { maxItems: MAX_MEMBERS_OF_CALL, ...limits });
const followUp = (when: string, type: string): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  said(
    z.unknown().nullish(),
    `Made once, ${when}; its \`delay\` counts from then. A task without \`key\`, ${NO_CONFLICTS}. Default: nothing is.`,
    { shape: () => inputShape(taskInput), code: { type } },
  );

/**
 * A batch as a client gives it, by REST, GraphQL or code. Its tasks are checked one by one, with the rules of a task.
 */
export const batchInput = inputObject({
  name: said(
    field<string>(batchNameRule).nullish(),
    "One batch of the namespace has it, as long as it is kept: with a name a batch can be made again safely, for a second one is refused as `BATCH_EXISTS`. Default: none.",
  ),
  tasks: said(field<readonly unknown[]>(tasksRule(0)).nullish(), `Tasks ${NO_CONFLICTS}. Default: none.`, {
    shape: () => members({}),
    code: { type: "{ readonly [Index in keyof Payloads]: MemberItem<Payloads[Index]> }" },
  }),
  shards: said(
    field<number | "nodes">(shardsRule).nullish(),
    `Makes so many members, 1 to ${MAX_SHARDS}, of the one task in \`tasks\`, which has no \`key\`; \`nodes\`: one for each live node that runs its type. Each knows its place. Default: none.`,
    {
      shape: () =>
        special("ShardCount", {
          oneOf: [
            { type: "integer", minimum: 1, maximum: MAX_SHARDS },
            { type: "string", enum: ["nodes"] },
          ],
        }),
    },
  ),
  onComplete: followUp("when every member has ended", "FollowUpItem<Complete>"),
  onSuccess: followUp("when every member has succeeded, also after retries of dead ones", "FollowUpItem<Success>"),
  deadline: said(
    field<DeadlineInput>(deadlineRule).nullish(),
    "When it is looked who is not done: a delay from now in milliseconds or such as `4h`, or an ISO 8601 instant with offset; at most 100 years from now. With one that has passed it is looked at once. Default: never.",
    { shape: () => special("Deadline", { oneOf: [{ type: "number", minimum: 0 }, { type: "string" }] }) },
  ),
  failFast: flag("The first member that ends dead stops the batch. Not together with `retryDead`."),
  retryDead: flag("Members that are dead at the `deadline` are retried once; the batch waits for that."),
  seal: flag("It takes no further members, and completes when these have ended."),
})
  .refine(({ shards, tasks }) => !isGiven(shards) || (Array.isArray(tasks) && tasks.length === 1), {
    path: ["tasks"],
    error: "must hold exactly one task together with shards",
    when: whenObject,
  })
  .refine(({ retryDead, deadline }) => retryDead !== true || isGiven(deadline), {
    path: ["retryDead"],
    error: "must be given only together with a deadline",
    when: whenObject,
  })
  .refine(({ retryDead, failFast }) => retryDead !== true || failFast !== true, {
    path: ["failFast"],
    error: "must not be given together with retryDead",
    when: whenObject,
  });
named("BatchInput", batchInput);
export type BatchInput = z.infer<typeof batchInput>;

/** Members that are added to a batch. */
export const membersInput = inputObject({
  tasks: said(field<readonly unknown[]>(tasksRule(1)), `Tasks ${NO_CONFLICTS}.`, {
    shape: () => members({ minItems: 1 }),
  }),
});
named("MembersInput", membersInput);

/** What a task of a batch is: one of its members, the one that is split into shards, or what happens at its end. */
export type BatchTaskKind = "member" | "shard" | "follow-up";

const NAMES: Record<BatchTaskKind, string> = {
  member: "a member of a batch",
  shard: "a task that is split into shards",
  "follow-up": "a task at the end of a batch",
};

/**
 * What a task may not be given because it is of a batch: a batch counts on each of its members being a task of its own.
 *
 * @param path where the task stands in its request
 */
export function batchTaskFaults(kind: BatchTaskKind, input: Partial<TaskInput>, path: string): Fault[] {
  const { onConflict, key } = input;
  const fault = (name: string, message: string): Fault => ({ path: `${path}.${name}`, message });
  const unwanted = (["merge", "maxWait", "idempotencyKey"] as const).filter((name) => isGiven(input[name]));
  return [
    ...(isGiven(key) && kind !== "member" ? [fault("key", `must not be given for ${NAMES[kind]}`)] : []),
    ...(isGiven(onConflict) && onConflict !== "reject"
      ? [fault("onConflict", `must be reject for ${NAMES[kind]}`)]
      : []),
    ...unwanted.map((name) => fault(name, `must not be given for ${NAMES[kind]}`)),
  ];
}
