import { prettyJson } from "../api/json.js";
import type { FieldFault } from "../api/problem.js";
import type { ScheduleInput } from "../api/asked.js";
import type { Schedule } from "../api/wire.js";
import { durationOf, payloadOf, tagsOf } from "../tasks/task-draft.js";
import { durationInput } from "../time/exact.js";

/** What stands in the form, as typed. Empty is the default. */
export interface ScheduleDraft {
  readonly name: string;
  readonly type: string;
  readonly payload: string;
  readonly when: "cron" | "every" | "after";
  readonly cron: string;
  readonly every: string;
  readonly after: string;
  readonly timeZone: string;
  readonly startsAt: string;
  readonly endsAt: string;
  /** Days, with commas between them. */
  readonly exclude: string;
  readonly misfire: Schedule["misfire"];
  readonly limit: string;
  readonly overlap: Schedule["overlap"];
  readonly onResume: Schedule["onResume"];
  readonly gap: Schedule["gap"];
  readonly fold: Schedule["fold"];
  readonly jitter: string;
  readonly catchUpLimit: string;
  readonly pauseAfterFailures: string;
  readonly holdForRetry: boolean;
  readonly startDeadline: string;
  readonly priority: string;
  readonly maxAttempts: string;
  readonly timeout: string;
  /** With commas between them. */
  readonly tags: string;
}

export type DraftField = keyof ScheduleDraft;

export function newScheduleDraft(timeZone: string): ScheduleDraft {
  const empty = { name: "", type: "", every: "", after: "", startsAt: "", endsAt: "", exclude: "", limit: "" };
  const options = { jitter: "", catchUpLimit: "", pauseAfterFailures: "", startDeadline: "" };
  const task = { priority: "", maxAttempts: "", timeout: "", tags: "" };
  const policies = { misfire: "last", overlap: "skip", onResume: "skip", gap: "shift", fold: "first" } as const;
  const when = { when: "cron", cron: "0 9 * * *", timeZone } as const;
  return { ...empty, ...options, ...task, ...policies, ...when, payload: "{}", holdForRetry: false };
}

/** A schedule as the form shows it. */
export function draftOf(schedule: Schedule): ScheduleDraft {
  const { cron, every, after, startsAt, endsAt, exclude, tags } = schedule;
  const { name, type, timeZone, misfire, overlap, onResume, gap, fold, holdForRetry } = schedule;
  return {
    name,
    type,
    timeZone,
    misfire,
    overlap,
    onResume,
    gap,
    fold,
    holdForRetry,
    payload: prettyJson(schedule.payload),
    when: kindOf(schedule),
    cron: cron ?? "",
    every: lengthText(every),
    after: lengthText(after),
    startsAt: startsAt ?? "",
    endsAt: endsAt ?? "",
    exclude: exclude.join(", "),
    limit: numberText(schedule.limit),
    jitter: schedule.jitter === 0 ? "" : durationInput(schedule.jitter),
    catchUpLimit: lengthText(schedule.catchUpLimit),
    pauseAfterFailures: numberText(schedule.pauseAfterFailures),
    startDeadline: lengthText(schedule.startDeadline),
    priority: numberText(schedule.priority),
    maxAttempts: numberText(schedule.maxAttempts),
    timeout: lengthText(schedule.timeout),
    tags: tags.join(", "),
  };
}

function kindOf({ cron, every }: Schedule): ScheduleDraft["when"] {
  if (cron !== null) return "cron";
  return every === null ? "after" : "every";
}

const lengthText = (lengthMs: number | null): string => (lengthMs === null ? "" : durationInput(lengthMs));

const numberText = (number: number | null): string => (number === null ? "" : String(number));

export type ScheduleReading =
  | { readonly ok: true; readonly input: ScheduleInput }
  | { readonly ok: false; readonly errors: readonly FieldFault[] };

/**
 * The definition that a draft describes, or every fault in it by the path that the API would name. It looks only at
 * what cannot be sent; the rules for what is sent are the API's.
 *
 * @param base the schedule that is changed: what the form does not show stays as it is there
 */
export function scheduleInputOf(draft: ScheduleDraft, base: Schedule | null): ScheduleReading {
  const payload = payloadOf(draft.payload);
  const errors = [...payload.errors, ...numberFaults(draft)];
  if (errors.length > 0) return { ok: false, errors };
  const { name, type, onResume, holdForRetry } = draft;
  const input = {
    name: name.trim(),
    type: type.trim(),
    payload: payload.value,
    ...whenFields(draft),
    ...policyFields(draft),
    onResume,
    holdForRetry,
    ...boundFields(draft),
    ...taskFields(draft),
    ...hiddenFields(draft, base),
  };
  return { ok: true, input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) };
}

const numbers = ["limit", "pauseAfterFailures", "priority", "maxAttempts"] as const;

function numberFaults(draft: ScheduleDraft): FieldFault[] {
  const isWrong = (text: string): boolean => text.trim() !== "" && !/^\d+$/.test(text.trim());
  return numbers.filter((path) => isWrong(draft[path])).map((path) => ({ path, detail: "is not a whole number" }));
}

/** A field that is not of its kind is not sent. An empty one is: the API says what is missing. */
function whenFields(draft: ScheduleDraft): ScheduleInput {
  const { when, startsAt, endsAt } = draft;
  const exclude = draft.exclude.split(",").flatMap((day) => day.trim() || []);
  const hasZone = when === "cron" || exclude.length > 0;
  return {
    [when]: when === "cron" ? draft.cron.trim() : durationOf(draft[when]),
    timeZone: hasZone ? textOf(draft.timeZone) : undefined,
    startsAt: textOf(startsAt),
    endsAt: textOf(endsAt),
    exclude: exclude.length === 0 ? undefined : exclude,
  };
}

function policyFields({ when, misfire, limit, overlap, gap, fold }: ScheduleDraft): ScheduleInput {
  if (when === "after") return {};
  return {
    misfire,
    limit: misfire === "all" ? numberOf(limit) : undefined,
    overlap,
    ...(when === "cron" && { gap, fold }),
  };
}

function boundFields(draft: ScheduleDraft): ScheduleInput {
  return {
    jitter: lengthOf(draft.jitter),
    catchUpLimit: lengthOf(draft.catchUpLimit),
    pauseAfterFailures: numberOf(draft.pauseAfterFailures),
    startDeadline: lengthOf(draft.startDeadline),
  };
}

function taskFields(draft: ScheduleDraft): ScheduleInput {
  return {
    priority: numberOf(draft.priority),
    maxAttempts: numberOf(draft.maxAttempts),
    timeout: lengthOf(draft.timeout),
    ...tagsOf(draft),
  };
}

/** What the form does not show. */
function hiddenFields({ when }: ScheduleDraft, base: Schedule | null): ScheduleInput {
  if (base === null) return {};
  return {
    anchor: when === "every" && base.every !== null ? (base.anchor ?? undefined) : undefined,
    backoff: base.backoff ?? undefined,
    deliver: base.deliver ?? undefined,
  };
}

const textOf = (text: string): string | undefined => text.trim() || undefined;

function numberOf(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

function lengthOf(text: string): number | string | undefined {
  return text.trim() === "" ? undefined : durationOf(text);
}

/** What somebody else has changed meanwhile, and what stands in the form. */
export interface FieldChange {
  readonly field: DraftField;
  readonly was: string;
  readonly now: string;
  readonly yours: string;
}

/** The fields of the form that differ between the schedule that was read and the one that there is now. */
export function changesBetween(base: Schedule, current: Schedule, draft: ScheduleDraft): FieldChange[] {
  const was = draftOf(base);
  const now = draftOf(current);
  const fields = (Object.keys(now) as DraftField[]).filter((field) => was[field] !== now[field]);
  return fields.map((field) => ({
    field,
    was: String(was[field]),
    now: String(now[field]),
    yours: String(draft[field]),
  }));
}
