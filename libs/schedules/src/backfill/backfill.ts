import type { EpochMs } from "@tickwheel/core";
import type { InstantRange } from "../instants/calendar-days.js";
import { Instants } from "../instants/instants.js";
import type { PlanningState, SkipReason } from "../planning/planning.js";
import type { ScheduleDefinition } from "../definition/schedule.js";
import { type BackfillState, type KeptRuns, RUNS_KEPT, type ScheduleRun } from "../store/schedule-store.js";

/** The most instants that a backfill may ever look at. */
export const MAX_BACKFILL = 1_000;

/**
 * What a backfill does with an instant.
 *
 * - `ready`: it runs.
 * - `ran`: it has a run, or one that lives.
 * - `pending`: nothing is decided about it yet: the schedule is paused, or catches up with it by itself.
 * - `unknown`: it may have had a run that is kept no more.
 */
export type BackfillFate = "ready" | "ran" | "pending" | "unknown";

export interface BackfillInstant {
  at: EpochMs;
  fate: BackfillFate;
  /** Why it had no run; null: it had one, or it is not known. */
  skipped: SkipReason | "BEFORE_CREATION" | null;
}

/**
 * The instants of a range that a backfill looks at: of the definition, from before its creation too, without excluded
 * days. At most `limit`; `hasMore` tells whether there are more. A fixed delay has none.
 */
export function instantsIn(
  definition: ScheduleDefinition,
  { from, to, limit }: InstantRange & { limit: number },
): { instants: EpochMs[]; hasMore: boolean } {
  const all = new Instants(definition);
  const found: EpochMs[] = [];
  for (let at = all.nextToRun(from - 1); at !== null && at < to; at = all.nextToRun(at)) {
    if (found.length === limit) return { instants: found, hasMore: true };
    found.push(at);
  }
  return { instants: found, hasMore: false };
}

/** What is known of a schedule's past. */
export interface BackfillScene {
  createdAt: EpochMs;
  planning: Pick<PlanningState, "plannedUntil" | "backlog"> & Pick<BackfillState, "backfilled">;
  past: KeptRuns;
}

/**
 * The fate of each instant. One that has a run is never `ready`, nor is one that may have had a run of which nothing is
 * kept. The caller holds the schedule's row, so that no planner decides about these instants meanwhile.
 */
export function backfillFates(instants: readonly EpochMs[], scene: BackfillScene): BackfillInstant[] {
  const { createdAt, planning, past } = scene;
  const ran = new Set(past.runs.flatMap(instantThatRan));
  const waiting = new Set(planning.backlog.map(({ at }) => at));
  const skips = past.runs.filter((run) => run.kind === "skip");
  const knownFrom = past.areAll ? createdAt : oldestKnown(past.runs);
  const fateOf = (at: EpochMs): BackfillFate => {
    if (ran.has(at)) return "ran";
    if (at > createdAt && (at > planning.plannedUntil || waiting.has(at))) return "pending";
    if (planning.backfilled.some(({ from, to }) => from <= at && at < to)) return "unknown";
    return at > createdAt && at < knownFrom ? "unknown" : "ready";
  };
  const reasonOf = (at: EpochMs): BackfillInstant["skipped"] =>
    at <= createdAt ? "BEFORE_CREATION" : (skips.find(({ from, to }) => from <= at && at <= to)?.reason ?? null);
  return instants.map((at) => {
    const fate = fateOf(at);
    return { at, fate, skipped: fate === "ready" ? reasonOf(at) : null };
  });
}

/** An occurrence that ended before it began leaves its instant open. */
function instantThatRan(run: ScheduleRun): EpochMs[] {
  if (run.kind === "skip" || run.kind === "trigger") return [];
  const neverBegan = run.startedAt === null && (run.outcome === "cancelled" || run.outcome === "expired");
  return neverBegan ? [] : [run.stoodFor ?? run.at];
}

/** Occurrences of the spec are written in the order of their instants: all from the oldest kept one on are known. */
function oldestKnown(runs: readonly ScheduleRun[]): EpochMs {
  const newest = Math.max(0, ...runs.map(({ seq }) => seq));
  const kept = runs.filter(({ seq }) => seq > newest - RUNS_KEPT);
  const instants = kept.flatMap((run) => (run.kind === "skip" ? [run.from] : run.kind === "spec" ? [run.at] : []));
  return Math.min(...instants, Number.POSITIVE_INFINITY);
}
