import assert from "node:assert/strict";
import { JSON_NULL, newTaskId, type NewTask, slotOfKey, SystemRandom } from "@tickwheel/core";
import {
  type CodeContent,
  DEFAULT_POLICIES,
  type NewOccurrence,
  type NewSchedule,
  type OccurrenceTask,
  type PlannedSchedule,
  type PlanSchedule,
  type ScheduleChange,
  type ScheduleContent,
  type ScheduleRun,
  type ScheduleScene,
  type StartedOccurrence,
  type StoredPlanning,
  type StoredSchedule,
} from "@tickwheel/schedules";
import { Scenario } from "./scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "./subject.js";

const random = new SystemRandom();

export const MINUTE_MS = 60_000;
const LIMITS = { perNamespace: 100 };

/** A {@link Scenario} with schedules, and plans of few words. */
export class ScheduleScenario {
  private constructor(
    readonly subject: TaskStoreSubject,
    readonly tasks: Scenario,
  ) {}

  static async open(subject: TaskStoreSubject, tasks?: Scenario): Promise<ScheduleScenario> {
    return new ScheduleScenario(subject, tasks ?? (await Scenario.open(subject)));
  }

  /** Makes the `run` of a case. */
  static of(run: (scene: ScheduleScenario) => Promise<void>): ConformanceCase["run"] {
    return async (subject) => run(await ScheduleScenario.open(subject));
  }

  get store() {
    return this.subject.schedules();
  }

  get namespace(): string {
    return this.tasks.namespace;
  }

  content(given: Partial<ScheduleContent> = {}): ScheduleContent {
    return {
      typeId: this.tasks.type.id,
      type: this.tasks.type.type,
      payload: JSON_NULL,
      definition: {
        spec: { kind: "every", everyMs: MINUTE_MS, anchorAt: 0 },
        timeZone: "Europe/Berlin",
        window: { startsAt: null, endsAt: null },
        exclude: [],
        policies: DEFAULT_POLICIES,
      },
      taskOptions: { tags: ["nightly"] },
      source: null,
      ...given,
    };
  }

  /** What an application's code says. */
  get codeContent(): CodeContent {
    return { type: this.tasks.type.type, payload: JSON_NULL, rules: { every: "1m" }, options: { tags: ["nightly"] } };
  }

  newSchedule(given: Partial<NewSchedule> = {}): NewSchedule {
    const id = newTaskId(this.tasks.now(), Math.floor(random.next() * 4_096), random);
    return { ...this.content(), id, namespace: this.namespace, name: "report", actor: "ann", ...given };
  }

  /** Adds a schedule, which must be new, by default with nothing planned and no look. */
  async add(
    given: Partial<NewSchedule> = {},
    plan: PlanSchedule = (scene) => changeOf(scene),
  ): Promise<StoredSchedule> {
    return (await this.addPlanned(given, plan)).schedule;
  }

  async addPlanned(given: Partial<NewSchedule>, plan: PlanSchedule): Promise<PlannedSchedule> {
    const added = await this.store.add(this.newSchedule(given), LIMITS, plan);
    assert.ok(added, "the name is free");
    return added;
  }

  /** A schedule whose only occurrence is due now. */
  async withOccurrence(given: Partial<NewTask> = {}): Promise<{ schedule: StoredSchedule; taskId: string }> {
    const { schedule, created } = await this.addPlanned({}, (scene) =>
      changeOf(scene, { insert: [this.occurrence(scene, { task: given })] }),
    );
    return { schedule, taskId: created[0]!.id };
  }

  /** An occurrence of a chain, due now. */
  occurrence(
    { schedule, now }: ScheduleScene,
    { task, ...given }: Partial<Omit<NewOccurrence, "task">> & { task?: Partial<NewTask> } = {},
  ): NewOccurrence {
    const key = task?.key === undefined ? `schedule:${schedule.id}` : task.key;
    const slot = key === null ? 7 : slotOfKey(schedule.namespace, this.tasks.type.type, key);
    const made = this.tasks.newTask({ id: newTaskId(now, slot, random), typeId: schedule.typeId });
    return {
      task: { ...made, ...task, key },
      kind: "spec",
      at: now,
      missed: 0,
      hasMissedMore: false,
      ...given,
    };
  }

  change(id: string, plan: PlanSchedule): Promise<PlannedSchedule | null> {
    return this.store.change({ namespace: this.namespace, id }, plan);
  }

  /** Changes a schedule and answers what the change saw. */
  async look(
    id: string,
    change: (scene: ScheduleScene) => Partial<ScheduleChange> = () => ({}),
  ): Promise<ScheduleScene> {
    let seen: ScheduleScene | undefined;
    await this.change(id, (scene) => {
      seen = scene;
      return changeOf(scene, change(scene));
    });
    assert.ok(seen, "the schedule is there");
    return seen;
  }

  /** Plans this schedule as if its occurrence had ended. */
  async planOf(id: string, plan: PlanSchedule): Promise<PlannedSchedule[]> {
    return this.store.plan({ limit: 10, of: [id] }, plan);
  }

  /** The schedules of this scene that a look finds, without changing them. */
  async dueNow(limit = 1_000): Promise<string[]> {
    const seen: string[] = [];
    await this.store.plan({ limit }, ({ schedule }) => {
      if (schedule.namespace === this.namespace) seen.push(schedule.name);
      return null;
    });
    return seen;
  }

  /** Notes that an attempt of an occurrence starts. */
  async begin(taskId: string, startedAt: number): Promise<StartedOccurrence | null> {
    return (await this.store.begin([{ taskId, startedAt }]))[0]!;
  }

  runs(id: string, page: { limit?: number; before?: number | null } = {}): Promise<ScheduleRun[]> {
    return this.store.runs({ namespace: this.namespace, id, limit: 1_000, before: null, ...page });
  }
}

/** A change of nothing, but for what is given. */
export function changeOf({ schedule }: ScheduleScene, given: ChangeWish = {}): ScheduleChange {
  const { planning, ...change } = given;
  const unplanned = { ...schedule.planning, lookAt: null };
  return { live: [], concluded: [], skips: [], insert: [], ...change, planning: { ...unplanned, ...planning } };
}

interface ChangeWish extends Partial<Omit<ScheduleChange, "planning">> {
  planning?: Partial<StoredPlanning>;
}

/** Concludes all that has ended. */
export function concludeEnded({ open }: ScheduleScene): ScheduleChange["concluded"] {
  const isOver = ({ state }: OccurrenceTask): boolean => state !== "scheduled" && state !== "running";
  return open.filter(isOver).map(({ taskId, missed, hasMissedMore }) => {
    return { taskId, stoodFor: null, missed, hasMissedMore };
  });
}

/** One verdict about the only open occurrence. */
export function verdictOn(
  { open }: ScheduleScene,
  verdict: ScheduleChange["live"][number]["verdict"],
  reason: ScheduleChange["live"][number]["reason"] = "OVERLAP",
): Pick<ScheduleChange, "live"> {
  assert.equal(open.length, 1);
  return { live: [{ taskId: open[0]!.taskId, verdict, reason }] };
}

/** Checks those fields of an object, or of each object of a list, that are expected. */
export function shows(actual: object, expected: object): void {
  assert.deepEqual(fieldsOf(actual, expected), expected);
}

function fieldsOf(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected)) return (actual as unknown[]).map((item, index) => fieldsOf(item, expected[index]));
  if (typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null) return actual;
  const fields = Object.entries(expected).map(([name, value]) => [
    name,
    fieldsOf((actual as Record<string, unknown>)[name], value),
  ]);
  return Object.fromEntries(fields) as unknown;
}
