import { type EpochMs, type Fault, TickwheelError } from "@tickwheel/core";
import {
  type Backfill,
  backfillFates,
  type BackfillInstant,
  decide,
  type InstantRange,
  instantsIn,
  type ScheduleRef,
  type ScheduleScene,
  type ScheduleStore,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { DbClock } from "../runtime/db-clock.js";
import { definitionOf } from "./schedule-decision.js";
import { requireSchedule, scheduleFaults } from "./schedule-faults.js";
import type { SchedulePlanner } from "./schedule-planner.js";

/** A range of instants that passed, to be run now. */
export interface BackfillRequest extends InstantRange {
  /** Whether it only tells what it would do. */
  isDryRun: boolean;
  /** Whether instants run of which nobody knows any more whether they ran. */
  includesUnknown: boolean;
  actor: string;
}

/** What a backfill does, or would do. */
export interface BackfillAnswer {
  schedule: StoredSchedule;
  /** Each instant of the range that is not excluded, rising; at most as many as the limit says. */
  instants: BackfillInstant[];
  /** Whether the range has more instants than are told; such a range only has a dry run. */
  hasMore: boolean;
  /** How many of them run. */
  count: number;
}

export interface ScheduleBackfillParts {
  store: ScheduleStore;
  planner: SchedulePlanner;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
  /** The most instants of a range. */
  limit: number;
}

/**
 * Runs instants of schedules that passed without a run: one after the other, behind all other tasks that are due. The
 * schedule's row keeps which of them wait, so a backfill goes on whatever dies. It stands beside the schedule's own
 * course: it neither overlaps with it nor counts in it, and it goes on while the schedule is paused.
 */
export class ScheduleBackfills {
  constructor(private readonly parts: ScheduleBackfillParts) {}

  /**
   * @throws TickwheelError `VALIDATION_FAILED`: the range, or a schedule with a fixed delay; `SCHEDULE_NOT_FOUND`;
   *   `TASK_STATE_CONFLICT`: another backfill of it goes on
   */
  async start(ref: ScheduleRef, request: BackfillRequest): Promise<BackfillAnswer> {
    const { dbClock, planner, store } = this.parts;
    const schedule = await requireSchedule(store, ref);
    await dbClock.ensureSet();
    const walk = this.instantsOf(schedule, request, dbClock.nowMs());
    const plan = planner.planBy({ decide });
    const answer: BackfillAnswer = { schedule, instants: [], hasMore: walk.hasMore, count: 0 };
    const done = await store.change(
      { namespace: schedule.namespace, id: schedule.id },
      (scene) => {
        requireRevision(scene.schedule, schedule);
        answer.instants = fatesOf(scene, walk.instants);
        const left = answer.instants.filter((instant) => runs(instant, request)).map(({ at }) => at);
        answer.count = left.length;
        answer.schedule = scene.schedule;
        if (request.isDryRun) return null;
        requireIdle(scene.schedule);
        if (left.length === 0) return null;
        const undecided = answer.instants.find(({ fate }) => fate === "pending")?.at ?? request.to;
        return plan(withBackfill(scene, { ...request, to: undecided }, left));
      },
      { withPast: true },
    );
    if (done) planner.announce([done]);
    return { ...answer, schedule: done?.schedule ?? answer.schedule };
  }

  /** Ends the backfill that goes on, if one does: what has not started never starts. A run that executes goes on. */
  async end(ref: ScheduleRef): Promise<StoredSchedule> {
    const { planner, store } = this.parts;
    const plan = planner.planBy({ decide, endsBackfill: true });
    const done = await store.change(ref, (scene) => (isIdle(scene) ? null : plan(scene)));
    if (done) planner.announce([done]);
    return done?.schedule ?? requireSchedule(store, ref);
  }

  private instantsOf(schedule: StoredSchedule, request: BackfillRequest, now: EpochMs) {
    const { from, to, isDryRun } = request;
    const { limit } = this.parts;
    const faults: Fault[] = [];
    if (schedule.definition.spec.kind === "after")
      faults.push({ path: "", message: "has a fixed delay: its instants follow from the ends of its runs" });
    if (to <= from) faults.push({ path: "to", message: "must be later than from" });
    if (to > now) faults.push({ path: "to", message: "must not lie in the future" });
    if (faults.length > 0) throw scheduleFaults(faults);
    const found = instantsIn(definitionOf(schedule), { from, to, limit });
    if (!found.hasMore || isDryRun) return found;
    throw scheduleFaults([{ path: "to", message: `leaves more than ${limit} instants: take a shorter range` }]);
  }
}

function fatesOf({ schedule, past }: ScheduleScene, instants: readonly EpochMs[]): BackfillInstant[] {
  const { createdAt, planning } = schedule;
  return backfillFates(instants, { createdAt, planning, past: past! });
}

function runs({ fate }: BackfillInstant, { includesUnknown }: BackfillRequest): boolean {
  return fate === "ready" || (includesUnknown && fate === "unknown");
}

function withBackfill(scene: ScheduleScene, request: BackfillRequest, left: readonly EpochMs[]): ScheduleScene {
  const { from, to, actor: by } = request;
  const backfill: Backfill = { from, to, count: left.length, left, since: scene.now, by };
  const planning = { ...scene.schedule.planning, backfill };
  return { ...scene, schedule: { ...scene.schedule, planning } };
}

function isIdle({ schedule, open }: ScheduleScene): boolean {
  return schedule.planning.backfill === null && !open.some(({ kind }) => kind === "backfill");
}

/** The instants were found under another definition. */
function requireRevision({ revision }: StoredSchedule, known: StoredSchedule): void {
  if (revision === known.revision) return;
  const message = "The schedule was changed meanwhile: ask again.";
  throw new TickwheelError("VERSION_MISMATCH", message, { details: { revision } });
}

function requireIdle({ name, planning: { backfill } }: StoredSchedule): void {
  if (!backfill) return;
  const message = `A backfill of the schedule "${name}" goes on: ${backfill.left.length} of its ${backfill.count} runs wait.`;
  throw new TickwheelError("TASK_STATE_CONFLICT", message);
}
