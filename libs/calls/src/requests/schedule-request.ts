import { type EpochMs, type Fault, JSON_NULL, parseInstant } from "@tickwheel/core";
import type { ScheduleRequest } from "@tickwheel/engine";
import { checkSchedule, type OccurrenceOptions, readSchedule, type ScheduleInput } from "@tickwheel/schedules";
import { type CheckedScheduleInput, checkInput, RULE_NAMES, scheduleInput, throwFaults } from "@tickwheel/contract";
import type { PayloadCheck } from "../payloads/payload-check.js";
import { deliverFaults, rulesOfCall, toTaskRequest, type DeliveryBounds } from "./task-request.js";

/** Whose schedule it is, what time it is about, and where its tasks may be sent. */
export interface ScheduleCaller {
  namespace: string;
  actor: string;
  /** Absent: whether it has any instant is left to those who know the schedule that there is. */
  now?: EpochMs;
  deliveries: DeliveryBounds;
  /** How it checks payloads by their schemas. */
  payloads: PayloadCheck;
}

/**
 * Reads a schedule.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault: of its fields, and of its rules
 */
export function toScheduleRequest(value: unknown, caller: ScheduleCaller): ScheduleRequest {
  const { input, faults } = checkInput(scheduleInput, value);
  const rules = rulesOf(input);
  const { namespace, actor, payloads } = caller;
  const { name, type, payload } = input;
  const found = payloads.checkInput(
    { namespace, type, rules: rulesOfCall(value), payload, isChecked: faults.length === 0 },
    "",
  );
  throwFaults([
    ...faults,
    ...ruleFaults(rules, faults, caller.now),
    ...found.faults,
    ...deliverFaults(taskOf(input), caller.deliveries),
  ]);
  return {
    namespace,
    name,
    type,
    payload: payload ?? JSON_NULL,
    rules,
    options: optionsOf(input, found.version),
    isPulled: input.deliver?.kind === "pull",
    actor,
  };
}

const INSTANTS: ReadonlySet<string> = new Set<keyof ScheduleInput>(["anchor", "startsAt", "endsAt"]);

/**
 * Where an input's instants are no instants, the rules say nothing about those. Where anything is wrong with it, the
 * others are still as they were given.
 */
function ruleFaults(rules: ScheduleInput, faults: readonly Fault[], now: EpochMs | undefined): Fault[] {
  const told = new Set(faults.map(({ path }) => path));
  const untold = Object.entries(rules).filter(([name]) => !told.has(name));
  const known = Object.fromEntries(
    untold.map(([name, value]) => [name, INSTANTS.has(name) ? (parseInstant(value) ?? value) : (value as unknown)]),
  );
  const owner = { id: "", createdAt: now ?? 0 };
  const checked = now === undefined ? readSchedule(known, owner) : checkSchedule(known, { ...owner, now });
  return checked.faults.filter(({ path }) => !told.has(path));
}

/** The fields that decide when a schedule runs. */
export function rulesOf(input: object): ScheduleInput {
  const given = input as Record<string, unknown>;
  return Object.fromEntries(RULE_NAMES.filter((name) => isGiven(given[name])).map((name) => [name, given[name]]));
}

/** The options of its tasks; what is absent is the type's. No tag at all is as good as absent. */
export function optionsOf(input: CheckedScheduleInput, version: number | null): OccurrenceOptions {
  const { priority, maxAttempts, backoff, timeoutMs, tags, outbound } = toTaskRequest(taskOf(input), "", "");
  const given = { tags: tags?.length === 0 ? undefined : tags, outbound: outbound ?? undefined };
  const payloadVersion = given.outbound || version === null ? undefined : version;
  const options = { priority, maxAttempts, backoff, timeoutMs, payloadVersion, ...given };
  return Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined));
}

function taskOf({ type, priority, maxAttempts, backoff, timeout, tags, deliver }: CheckedScheduleInput) {
  return { type, priority, maxAttempts, backoff, timeout, tags, deliver };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
