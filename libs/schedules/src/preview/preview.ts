import type { EpochMs } from "@tickwheel/core";
import { CronInstants } from "../cron/cron-instants.js";
import { zoneClock } from "../cron/zone-clock.js";
import { Instants } from "../instants/instants.js";
import type { ScheduleDefinition } from "../definition/schedule.js";

/**
 * What is special about an instant:
 *
 * - `EXCLUDED`: its day is excluded; nothing runs.
 * - `GAP_SHIFTED`: the clock jumps over the wall time; it runs right after the gap.
 * - `GAP_SKIPPED`: the clock jumps over the wall time; nothing runs, and the instant is the end of the gap.
 * - `FOLD_FIRST`, `FOLD_SECOND`: the clock shows the wall time twice; this is the first or the second time.
 */
export type PreviewNote = "EXCLUDED" | "GAP_SHIFTED" | "GAP_SKIPPED" | "FOLD_FIRST" | "FOLD_SECOND";

export interface PreviewedInstant {
  at: EpochMs;
  /** The instant and its jitter. */
  dueAt: EpochMs;
  /** The wall time asked for, as the epoch milliseconds it would have in UTC; null but for cron. */
  wallAt: number | null;
  note: PreviewNote | null;
  /** Whether an occurrence comes of it. */
  runs: boolean;
}

/** The most instants that one preview tells. */
export const MAX_PREVIEW = 1_000;

/**
 * The next instants from `from` on, itself among them, at most `count` (1 … 1,000) lines, with what a change of the
 * clock or an exclusion does to them. A fixed delay has none: its next instant follows from the end of a run. They come
 * one by one, so that a caller that works for others, too, may let the loop go on between two of them.
 *
 * @example const instants = [...preview(definition, { from: now, count: 5 })];
 */
export function* preview(
  definition: ScheduleDefinition,
  { from, count }: { from: EpochMs; count: number },
): Generator<PreviewedInstant, void> {
  let left = Math.min(count, MAX_PREVIEW);
  const instants = new Instants(definition);
  const cron = cronOf(definition);
  let before = from - 1;
  for (const at of instants.forward(before)) {
    const gaps = cron && definition.policies.gap === "skip" ? skippedGaps(cron, before, at) : [];
    const note = instants.isExcluded(at) ? "EXCLUDED" : clockNote({ definition, cron, at });
    const wallAt = cron?.wallAskedFor(at) ?? null;
    const told = { at, dueAt: instants.dueAt(at), wallAt, note, runs: note !== "EXCLUDED" };
    for (const instant of [...gaps, told]) {
      if (left-- <= 0) return;
      yield instant;
    }
    if (left <= 0) return;
    before = at;
  }
}

function cronOf({ spec, timeZone, policies }: ScheduleDefinition): CronInstants | null {
  return spec.kind === "cron"
    ? new CronInstants({ cron: spec.cron, timeZone, gap: policies.gap, fold: policies.fold })
    : null;
}

function skippedGaps(cron: CronInstants, after: EpochMs, until: EpochMs): PreviewedInstant[] {
  return cron
    .gapsBetween(after, until)
    .map(({ at, wall }) => ({ at, dueAt: at, wallAt: wall, note: "GAP_SKIPPED", runs: false }));
}

interface Noted {
  definition: ScheduleDefinition;
  cron: CronInstants | null;
  at: EpochMs;
}

function clockNote({ definition, cron, at }: Noted): PreviewNote | null {
  if (!cron) return null;
  const clock = zoneClock(definition.timeZone);
  const wall = clock.wallAt(at);
  if (cron.wallAskedFor(at) !== wall) return "GAP_SHIFTED";
  const passes = clock.instantsOf(wall);
  if (passes.length < 2) return null;
  return passes[0] === at ? "FOLD_FIRST" : "FOLD_SECOND";
}
