import type { ClaimedTask, Pulse } from "@tickwheel/core";
import {
  decide,
  decideNewRules,
  type PlannedSchedule,
  type PlanRequest,
  type PlanSchedule,
  type ScheduleScene,
  type ScheduleStore,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { Announcer } from "../requests/announcer.js";
import type { PendingQuota } from "../requests/pending-quota.js";
import { hintOf } from "../requests/task-draft.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";
import { draftOccurrence, type DraftParts, scheduleIdOf } from "./occurrence-draft.js";
import { changeOf, type Decision } from "./schedule-decision.js";

const INTERVAL_MS = 1_000;
/** How many schedules share a transaction. */
const BATCH = 200;
/** Ends that come within so long are planned together. */
const GATHER_MS = 2;
/** How often schedules are looked for that were planned under an older tzdata. */
const RULES_INTERVAL_MS = 60_000;
/** A schedule about which this node cannot decide is looked at again after so long, by this node or another. */
const UNDECIDED_PAUSE_MS = 10_000;
/** More ids of ended occurrences are left to the look. */
const MOST_ENDED = 10_000;

export interface PlannerParts extends DraftParts {
  store: ScheduleStore;
  announcer: Announcer;
  /** The tzdata of this process, such as `2026a`; null: it does not say. */
  zoneRules: string | null;
  /** How many occurrences of one schedule with overlap `allow` may live. */
  liveLimit: number;
  /** A namespace without room gets no further occurrence of a schedule with overlap `allow`. */
  quota: Pick<PendingQuota, "hasRoom" | "created">;
  /** A schedule has paused itself. */
  pausedItself(planned: PlannedSchedule): void;
  /** This number of schedules was planned under an older tzdata than this node has, and now follows its rules. */
  tookOver(schedules: number): void;
  /** This node cannot decide about schedules: its first, how many they are, and why. */
  cannotDecide(first: StoredSchedule, count: number, error: unknown): void;
}

/**
 * Plans what schedules do next: at once where an occurrence has ended on this node, and by a look each second at those
 * whose time to look has come, which finds whatever nobody told. Any number of nodes may look; each row is planned by
 * one, and the node that comes second finds nothing to do. Bounded: a batch of schedules at a time, in a transaction
 * each.
 *
 * A decision may throw: another node accepted a time zone that the Node of this one does not know. Then this schedule
 * alone waits, and the others of its batch go on.
 */
export class SchedulePlanner extends PulsedService {
  private ended = new Set<string>();
  private isGathering = false;
  private nextRulesMonoMs = 0;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "pulse">,
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
    await this.takeOver();
  }

  /** What a decision of any kind has done, told to whom it concerns. */
  announce(planned: readonly PlannedSchedule[]): void {
    const hints = planned.flatMap(({ created }) => created.map(hintOf));
    const { announcer, quota } = this.parts;
    for (const { schedule, created } of planned) for (const _ of created) quota.created(schedule.namespace);
    if (hints.length > 0) announcer.publish(hints);
    for (const { cancelled, asked } of planned) {
      for (const id of cancelled) announcer.forget(id);
      for (const execution of asked) announcer.cancelRunning(execution);
    }
  }

  /** A plan that asks this decision. */
  planBy(decision: Omit<Decision, "draft" | "zoneRules" | "liveLimit">): PlanSchedule {
    const draft = (planned: Parameters<Decision["draft"]>[0], scene: ScheduleScene) =>
      draftOccurrence(planned, scene, this.parts);
    const { zoneRules, quota, ...parts } = this.parts;
    return (scene) => {
      const liveLimit = quota.hasRoom(scene.schedule.namespace) ? parts.liveLimit : 0;
      return changeOf(scene, { ...decision, draft, zoneRules, liveLimit });
    };
  }

  protected everyMs(): number {
    return INTERVAL_MS;
  }

  protected mayFind({ dueSchedules }: Pulse): boolean {
    return dueSchedules || this.ended.size > 0 || this.looksForOldRules;
  }

  private get looksForOldRules(): boolean {
    return this.parts.zoneRules !== null && this.context.clock.monotonicMs() >= this.nextRulesMonoMs;
  }

  /** Only a newer tzdata takes over, so nodes of two versions never move an occurrence to and fro. */
  private async takeOver(): Promise<void> {
    const { zoneRules: rulesBefore } = this.parts;
    if (rulesBefore === null || !this.looksForOldRules) return;
    const nowMonoMs = this.context.clock.monotonicMs();
    let total = 0;
    for (let planned = BATCH; planned === BATCH && !this.shouldEnd; total += planned)
      planned = await this.plan({ limit: BATCH, rulesBefore });
    this.nextRulesMonoMs = nowMonoMs + RULES_INTERVAL_MS;
    if (total > 0) this.parts.tookOver(total);
  }

  private async plan(request: PlanRequest): Promise<number> {
    const pausing = new Set<string>();
    const takesOver = request.rulesBefore !== undefined;
    const plan = this.planBy({
      takesOver,
      decide: (input, { planning }) => {
        const output = takesOver ? decideNewRules(input, planning.wallAt) : decide(input);
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
        const { zoneRules } = takesOver ? this.parts : schedule.planning;
        const planning = { ...schedule.planning, lookAt: now + UNDECIDED_PAUSE_MS, zoneRules };
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
