import { type EpochMs, type JsonText, newTaskId, type Random, type Task, TickwheelError } from "@tickwheel/core";
import {
  type CheckedFor,
  checkSchedule,
  decide,
  decideEdit,
  decidePause,
  decideResume,
  decideTrigger,
  isSameDefinition,
  type OccurrenceOptions,
  type PlannedSchedule,
  preview,
  type PreviewedInstant,
  readSchedule,
  type ScheduleContent,
  type ScheduleDefinition,
  type ScheduleFilter,
  type ScheduleInput,
  type SchedulePage,
  type ScheduleRef,
  type ScheduleRun,
  type ScheduleScene,
  type ScheduleStore,
  type StoredSchedule,
} from "@tickwheel/schedules";
import { deliveryOf, fitsDelivery } from "../requests/task-draft.js";
import { deliveryConflict } from "../requests/rejections.js";
import type { DbClock } from "../runtime/db-clock.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { definitionOf } from "./schedule-decision.js";
import { noSchedule, requireSchedule, scheduleFaults } from "./schedule-faults.js";
import { ScheduleBackfills } from "./schedule-backfills.js";
import type { SchedulePlanner } from "./schedule-planner.js";
import { SchedulePreviews } from "./schedule-previews.js";

/** A payload in place of a schedule's own, and its version; null: it has none. */
export interface VersionedPayload {
  payload: JsonText;
  payloadVersion: number | null;
}

/** A schedule as a caller wants it: names, type, payload and options checked, its rules not yet. */
export interface ScheduleRequest {
  namespace: string;
  name: string;
  type: string;
  payload: JsonText;
  /** Spec, window, exclusions and policies, as they were given. */
  rules: ScheduleInput;
  options: OccurrenceOptions;
  /** Consumers fetch its tasks. Default: not, unless its type says so. */
  isPulled?: boolean;
  /** Whose code defines it; absent: it is made by a call. */
  source?: ScheduleContent["source"];
  actor: string;
}

export interface ScheduleServiceParts {
  store: ScheduleStore;
  planner: SchedulePlanner;
  types: Pick<TypeDirectory, "ensure">;
  dbClock: Pick<DbClock, "ensureSet" | "nowMs">;
  random: Random;
  /** `quota`: the most schedules of a namespace; `catchUp`, `backfill`: the most instants of one. */
  limits: { quota: number; catchUp: number; backfill: number };
}

/**
 * Whose rules they are. `known`: the schedule that has some already. Those are not judged again: by now they may have
 * no instant left, or another limit may hold.
 */
interface RulesOwner extends CheckedFor {
  known?: StoredSchedule;
}

/** What became of a definition that was put. */
export interface PutSchedule {
  outcome: "created" | "changed" | "unchanged";
  schedule: StoredSchedule;
}

/**
 * Every use case of schedules, for all edges alike. A change is one transaction that holds the schedule's row; what it
 * creates and cancels is told to the nodes behind the commit. On failure `STORE_UNAVAILABLE`: asking again is right.
 */
export class ScheduleService {
  readonly backfills: ScheduleBackfills;
  private readonly previews = new SchedulePreviews();

  constructor(private readonly parts: ScheduleServiceParts) {
    this.backfills = new ScheduleBackfills({ ...parts, limit: parts.limits.backfill });
  }

  /** @throws TickwheelError `SCHEDULE_EXISTS`, `VALIDATION_FAILED`, `TYPE_DELIVERY_CONFLICT` */
  async create(request: ScheduleRequest): Promise<StoredSchedule> {
    const added = await this.add(request);
    if (added) return added.schedule;
    throw new TickwheelError("SCHEDULE_EXISTS", `There is a schedule "${request.name}" already.`);
  }

  /**
   * Gives the schedule of this name this definition, or makes it.
   *
   * @param expectedRevision of the schedule that is changed; null: any, and there may be none
   * @throws TickwheelError `VERSION_MISMATCH`, `VALIDATION_FAILED`, `TYPE_DELIVERY_CONFLICT`
   */
  async put(request: ScheduleRequest, expectedRevision: number | null = null): Promise<PutSchedule> {
    const { namespace, name } = request;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = await this.parts.store.get({ namespace, name });
      if (known) {
        const changed = await this.edit(known, request, expectedRevision);
        if (changed) return changed;
        continue;
      }
      if (expectedRevision !== null) throw noSchedule({ namespace, name });
      const added = await this.add(request);
      if (added) return { outcome: "created", schedule: added.schedule };
    }
    throw new TickwheelError("STORE_UNAVAILABLE", "The schedule came and went each time that it was looked at");
  }

  async get(ref: ScheduleRef): Promise<StoredSchedule | null> {
    return this.parts.store.get(ref);
  }

  list(filter: ScheduleFilter): Promise<SchedulePage> {
    return this.parts.store.list(filter);
  }

  /** Its last runs and skipped instants, the newest first. */
  async runs(ref: ScheduleRef, page: { limit: number; before: number | null }): Promise<ScheduleRun[]> {
    const { namespace, id } = await this.require(ref);
    return this.parts.store.runs({ namespace, caller: ref.caller, id, ...page });
  }

  /** Its next instants from an instant on (default: now), with what clock changes do to them. At most 1,000. */
  async preview(ref: ScheduleRef, { from, count }: { from?: EpochMs; count: number }): Promise<PreviewedInstant[]> {
    const schedule = await this.require(ref);
    const start = from ?? (await this.nowMs());
    return this.previews.tell(ref.namespace, preview(definitionOf(schedule), { from: start, count }));
  }

  /**
   * @param by `until`: when it resumes by itself; null: by a call alone
   * @throws TickwheelError `VALIDATION_FAILED`: `until` has passed, so it would be no pause
   */
  async pause(
    ref: ScheduleRef,
    by: { until: EpochMs | null; note: string | null; actor: string },
  ): Promise<StoredSchedule> {
    if (by.until !== null && by.until <= (await this.nowMs()))
      throw scheduleFaults([{ path: "until", message: "must be in the future" }]);
    return this.change(ref, {
      decide: (input) => decidePause(input, { until: by.until }),
      besides: () => ({ pauseNote: by.note, pausedBy: by.actor }),
      withdrawsOverdue: true,
    });
  }

  /** Pauses what no node's code defines any more; it resumes when one does again. */
  suspend(ref: ScheduleRef): Promise<StoredSchedule> {
    return this.change(ref, {
      decide: (input) => decidePause(input, { until: null, reason: "UNANNOUNCED" }),
      withdrawsOverdue: true,
    });
  }

  resume(ref: ScheduleRef): Promise<StoredSchedule> {
    return this.change(ref, { decide: decideResume });
  }

  /**
   * Runs it now, outside its spec.
   *
   * @param payload in place of the schedule's; undefined: its own
   * @throws TickwheelError `TASK_STATE_CONFLICT`: its occurrence is overdue, runs, or waits for a retry; with overlap
   *   `allow`: as many live as may
   */
  async trigger(ref: ScheduleRef, payload?: VersionedPayload): Promise<Task> {
    const done = await this.apply(ref, { decide: decideTrigger }, payload);
    const task = done?.created[0];
    if (task) return task;
    const { name } = await this.require(ref);
    throw new TickwheelError(
      "TASK_STATE_CONFLICT",
      `The schedule "${name}" runs now, or is about to, as often as it may.`,
    );
  }

  /**
   * Deletes a schedule: what has not started is cancelled, what runs goes on.
   *
   * @throws TickwheelError `SCHEDULE_IN_CODE`: an application's code defines it, and would make it again. One that no
   *   node has announced for a minute is deleted like any other
   */
  async remove(ref: ScheduleRef): Promise<StoredSchedule> {
    const { source, name, planning } = await this.require(ref);
    if (source && planning.pause?.reason !== "UNANNOUNCED")
      throw new TickwheelError(
        "SCHEDULE_IN_CODE",
        `The schedule "${name}" is defined in the code of "${source.application}": pause it; or remove it there, and delete it when no node has run that code for a minute.`,
      );
    return this.change(ref, {
      decide: (input) => decidePause(input, { until: null }),
      besides: () => ({ isDeleted: true }),
      withdrawsOverdue: true,
      endsBackfill: true,
    });
  }

  private async add(request: ScheduleRequest): Promise<PlannedSchedule | null> {
    const { namespace, name, actor } = request;
    const { store, planner, limits } = this.parts;
    const now = await this.nowMs();
    const id = newTaskId(now, 0, this.parts.random);
    const content = await this.contentOf(request, { id, createdAt: now, now });
    const plan = planner.planBy({ decide });
    const added = await store.add({ ...content, id, namespace, name, actor }, { perNamespace: limits.quota }, plan);
    if (added) planner.announce([added]);
    return added;
  }

  /** Null: it went away meanwhile. */
  private async edit(
    known: StoredSchedule,
    request: ScheduleRequest,
    expectedRevision: number | null,
  ): Promise<PutSchedule | null> {
    const { id, namespace, createdAt } = known;
    // What code defines stays code's: a change by hand holds until the code says something else.
    const source = request.source ?? known.source;
    const content = await this.contentOf(
      { ...request, source, rules: withKeptAnchor(request.rules, known) },
      { id, createdAt, now: await this.nowMs(), known },
    );
    const seen: { scene?: ScheduleScene; isSame?: boolean } = {};
    const inner = this.parts.planner.planBy({
      // Only what is not the same comes here: the definition, or what its tasks are made of.
      decide: (input) =>
        decideEdit(input, { id, createdAt: input.definition.createdAt, ...content.definition }, { changesTasks: true }),
      besides: () => ({ content: { ...content, actor: request.actor } }),
    });
    const done = await this.parts.store.change({ namespace, id }, (scene) => {
      seen.scene = scene;
      requireRevision(scene.schedule, expectedRevision);
      seen.isSame = isSameContent(scene.schedule, content);
      return seen.isSame ? null : inner(scene);
    });
    if (!seen.scene) return null;
    if (done) this.parts.planner.announce([done]);
    return done && !seen.isSame
      ? { outcome: "changed", schedule: done.schedule }
      : { outcome: "unchanged", schedule: seen.scene.schedule };
  }

  private async change(ref: ScheduleRef, decision: Parameters<SchedulePlanner["planBy"]>[0]): Promise<StoredSchedule> {
    const done = await this.apply(ref, decision);
    return done ? done.schedule : this.require(ref);
  }

  /** Null: nothing was to be written. @throws TickwheelError `SCHEDULE_NOT_FOUND` */
  private async apply(
    ref: ScheduleRef,
    decision: Parameters<SchedulePlanner["planBy"]>[0],
    payload?: VersionedPayload,
  ): Promise<PlannedSchedule | null> {
    const { store, planner } = this.parts;
    const plan = planner.planBy(decision);
    let isThere = false;
    const done = await store.change(ref, (scene) => {
      isThere = true;
      return plan(payload === undefined ? scene : withPayload(scene, payload));
    });
    if (!isThere) throw noSchedule(ref);
    if (done) planner.announce([done]);
    return done;
  }

  private require(ref: ScheduleRef): Promise<StoredSchedule> {
    return requireSchedule(this.parts.store, ref);
  }

  private async contentOf(request: ScheduleRequest, owner: RulesOwner): Promise<ScheduleContent> {
    const { namespace, type, payload, options, isPulled = false, rules, source = null } = request;
    const { id: _id, createdAt: _createdAt, ...definition } = this.check(rules, owner);
    const delivery = deliveryOf({ outbound: options.outbound, isPulled });
    const known = await this.parts.types.ensure({ namespace, type, delivery });
    if (!fitsDelivery(known, delivery)) throw deliveryConflict({ namespace, type }, known.delivery);
    return { typeId: known.id, type, payload, definition, taskOptions: options, source };
  }

  private check(rules: ScheduleInput, owner: RulesOwner): ScheduleDefinition {
    const { known } = owner;
    const same = known ? readSchedule(rules, owner).definition : null;
    if (known && same && isSameDefinition(same, definitionOf(known))) return same;
    const { faults, definition } = checkSchedule(rules, owner);
    if (!definition) throw scheduleFaults(faults);
    const { misfire } = definition.policies;
    const { catchUp } = this.parts.limits;
    if (misfire.kind === "all" && misfire.limit > catchUp)
      throw scheduleFaults([{ path: "limit", message: `must be at most ${catchUp}` }]);
    return definition;
  }

  private async nowMs(): Promise<EpochMs> {
    await this.parts.dbClock.ensureSet();
    return Math.round(this.parts.dbClock.nowMs());
  }
}

const MAX_ATTEMPTS = 3;

function requireRevision({ revision }: StoredSchedule, expected: number | null): void {
  if (expected === null || expected === revision) return;
  throw new TickwheelError("VERSION_MISMATCH", `The schedule has revision ${revision}.`, { details: { revision } });
}

/** An edit that names no anchor keeps the one that there is. */
function withKeptAnchor(rules: ScheduleInput, { definition: { spec } }: StoredSchedule): ScheduleInput {
  const names = rules.every !== undefined && rules.every !== null && (rules.anchor ?? rules.startsAt ?? null) === null;
  return names && spec.kind === "every" ? { ...rules, anchor: spec.anchorAt } : rules;
}

function withPayload(scene: ScheduleScene, { payload, payloadVersion }: VersionedPayload): ScheduleScene {
  const taskOptions = { ...scene.schedule.taskOptions, payloadVersion: payloadVersion ?? undefined };
  return { ...scene, schedule: { ...scene.schedule, payload, taskOptions } };
}

/** Whether two contents are the same, whatever the order of their fields, and the spaces and escapes of the payload. */
export function isSameContent(one: ScheduleContent, other: ScheduleContent): boolean {
  return canonical(one) === canonical(other);
}

function canonical({ typeId, payload, definition, taskOptions, source }: ScheduleContent): string {
  return JSON.stringify([typeId, plainJson(payload), definition, taskOptions, source], (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
      : value,
  );
}

const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g;

/** A text of JSON without spaces, its strings written in one way. Numbers keep their digits: `1.0` is not `1`. */
function plainJson(text: JsonText): string {
  return text.replaceAll(STRING_OR_SPACE, (part) => (part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : ""));
}
