import { type Fault, parseDurationMs, type SchedulerOptions, type SettableValues } from "@tickwheel/core";
import { throwFaults, type TypeChangesInput } from "@tickwheel/contract";
import { toLimitValues } from "./limit-changes.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long the node keeps what has ended. */
export interface RetentionBounds {
  scheduler: Pick<SchedulerOptions, "historyRetentionDays" | "deadRetentionDays">;
}

type Bound = keyof RetentionBounds["scheduler"];

/**
 * What is to be set of a type; undefined: it stays. Its fields are checked each by itself.
 *
 * @throws TickwheelError `VALIDATION_FAILED`: something would be kept for too short or too long
 */
export function toSettingValues(
  { concurrency, keepSucceeded, keepCancelled, keepDead, ...limits }: TypeChangesInput,
  { scheduler }: RetentionBounds,
): Partial<SettableValues> {
  const faults: Fault[] = [];
  const keptMs = (path: string, given: TypeChangesInput["keepDead"], bound: Bound): number | null | undefined => {
    if (given === undefined || given === null) return given;
    const ms = Math.round(parseDurationMs(given)!);
    const isNone = ms === 0 && bound === "historyRetentionDays";
    const mostDays = scheduler[bound];
    if (isNone || (ms >= HOUR_MS && ms <= mostDays * DAY_MS)) return ms;
    const none = bound === "historyRetentionDays" ? "0, or " : "";
    faults.push({ path, message: `must be ${none}from 1 h to ${mostDays} d, which is ${bound}` });
    return undefined;
  };
  const keepSucceededMs = keptMs("keepSucceeded", keepSucceeded, "historyRetentionDays");
  const keepCancelledMs = keptMs("keepCancelled", keepCancelled, "historyRetentionDays");
  const keepDeadMs = keptMs("keepDead", keepDead, "deadRetentionDays");
  if (faults.length > 0) throwFaults(faults);
  return { concurrency, keepSucceededMs, keepCancelledMs, keepDeadMs, ...toLimitValues(limits) };
}
