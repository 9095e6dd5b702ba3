import type { BootId, ClaimedTask, TaskHint } from "@tickwheel/core";
import {
  decide,
  type PlannedSchedule,
  type PlanSchedule,
  type ScheduleScene,
  type ScheduleStore,
  type StoredSchedule,
} from "@tickwheel/schedules";
import { hintOf } from "../requests/task-draft.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import { draftOccurrence, type DraftParts, scheduleIdOf } from "./occurrence-draft.js";
import { changeOf, type Decision } from "./schedule-decision.js";

const INTERVAL_MS = 1_000;
/** So many schedules share a transaction. */
const BATCH = 200;
/** Ends that come within so long are planned together. */
const GATHER_MS = 2;
/** A schedule about which this node cannot decide is looked at again after so long, by this node or another. */
const UNDECIDED_PAUSE_MS = 10_000;
/** More ids of ended occurrences are left to the look. */
const MOST_ENDED = 10_000;

/** Tells nodes behind a commit what concerns them: tasks that were created, cancelled, or asked to stop. */
export interface Announcer {
  publish(hints: TaskHint[]): void;
  forget(taskId: string): void;
  cancelRunning(execution: { id: string; owner: BootId | null; fence: number }): void;
}

export interface PlannerParts extends DraftParts {
  store: ScheduleStore;
  announcer: Announcer;
  /** A schedule has paused itself. */
  pausedItself(planned: PlannedSchedule): void;
  /** This node cannot decide about schedules: its first, how many they are, and why. */
  cannotDecide(first: StoredSchedule, count: number, error: unknown): void;
}

/**
 * Plans what schedules do next: at once where an occurrence has ended on this node, and by a look each second at those
 * whose time to look has come, which finds whatever nobody told. Any number of nodes may look; each row is planned by
 * one, and whoever comes second finds nothing to do. Bounded: a batch of schedules at a time, in a transaction each.
 *
 * A decision may throw: another node accepted a time zone that the Node of this one does not know. Then this schedule
 * alone waits, and the others of its batch go on.
 */
export class SchedulePlanner extends PeriodicService {
  private ended = new Set<string>();
  private isGathering = false;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health">,
    private readonly parts: PlannerParts,
  ) {
    super("schedules", context);
  }

  /** An execution of this node has ended its task. */
  taskEnded({ key }: Pick<ClaimedTask, "key">): void {
    const id = scheduleIdOf(key);
    if (id === null || this.ended.size >= MOST_ENDED) return;
    this.ended.add(id);
    if (this.isGathering || !this.isStarted) return;
    this.isGathering = true;
    this.context.clock.setTimer(GATHER_MS, () => {
      this.isGathering = false;
      this.wake();
    });
  }

  async runOnce(): Promise<void> {
    while (this.ended.size > 0 && !this.shouldEnd) {
      const of = [...this.ended].slice(0, BATCH);
      await this.plan({ limit: BATCH, of });
      for (const id of of) this.ended.delete(id);
    }
    for (let planned = BATCH; planned === BATCH && !this.shouldEnd;) planned = await this.plan({ limit: BATCH });
  }

  /** What a decision of any kind has done, told to whom it concerns. */
  announce(planned: readonly PlannedSchedule[]): void {
    const hints = planned.flatMap(({ created }) => created.map(hintOf));
    const { announcer } = this.parts;
    if (hints.length > 0) announcer.publish(hints);
    for (const { cancelled, asked } of planned) {
      for (const id of cancelled) announcer.forget(id);
      for (const execution of asked) announcer.cancelRunning(execution);
    }
  }

  /** A plan that asks this decision. */
  planBy(decision: Omit<Decision, "draft">): PlanSchedule {
    const draft = (planned: Parameters<Decision["draft"]>[0], scene: ScheduleScene) =>
      draftOccurrence(planned, scene, this.parts);
    return (scene) => changeOf(scene, { ...decision, draft });
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }

  private async plan(request: { limit: number; of?: readonly string[] }): Promise<number> {
    const pausing = new Set<string>();
    const plan = this.planBy({
      decide: (input) => {
        const output = decide(input);
        if (input.state.pause === null && output.state.pause?.reason === "FAILURES") pausing.add(input.definition.id);
        return output;
      },
    });
    const undecided = new Map<string, { schedule: StoredSchedule; error: unknown }>();
    const planned = await this.parts.store.plan(request, (scene) => {
      const { schedule, now } = scene;
      try {
        return plan(scene);
      } catch (error) {
        undecided.set(schedule.id, { schedule, error });
        const planning = { ...schedule.planning, lookAt: now + UNDECIDED_PAUSE_MS };
        return { live: [], concluded: [], skips: [], insert: [], planning };
      }
    });
    this.announce(planned);
    const [first] = undecided.values();
    if (first) this.parts.cannotDecide(first.schedule, undecided.size, first.error);
    for (const one of planned) if (pausing.has(one.schedule.id)) this.parts.pausedItself(one);
    return planned.length;
  }
}
