import { type Json, jsonValueOf } from "@tickwheel/core";
import type { ScheduleService } from "@tickwheel/engine";
import type { StoredSchedule } from "@tickwheel/schedules";
import {
  asDate,
  type BackfillFields,
  type BackfillInput,
  backfillInput,
  backfillOf,
  checkTriggered,
  inputOfCall,
  type OccurrenceInput,
  pauseInput,
  type PreviewFields,
  type PreviewInput,
  previewInput,
  requireInput,
  type ScheduleFilterInput,
  scheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  scheduleRunsInput,
  type ScheduleRunView,
  type ScheduleView,
  type TaskDefinition,
  toBackfillView,
  toPreviewView,
  toRunView,
  toScheduleRequest,
  toScheduleView,
  triggerInput,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "../node/delay-task.node.js";

/** A schedule as code makes it. */
export interface NewSchedule<Payload = Json> extends ScheduleRulesInput, OccurrenceInput {
  /** 1 to 100 characters of `A-Z a-z 0-9 . _ : -`, unique in the namespace. */
  name: string;
  /** The type of its tasks, by name or definition. */
  task: string | TaskDefinition<unknown, Payload>;
  /** Of each of its tasks. Default null. */
  payload?: NoInfer<Payload> | undefined;
}

/**
 * Schedules: tasks that come again, once per cluster. Each occurrence is an ordinary task, a row long before its time,
 * so no deploy, dead node or change of the leader at the full minute loses or doubles it.
 *
 * @example
 * await delayTasks.schedules.put({ name: "settle", task: SettleDay, cron: "5 0 * * *", timeZone: "Europe/Berlin" });
 */
export class DelaySchedules {
  constructor(private readonly node: DelayTaskNode) {}

  /**
   * Makes a schedule.
   *
   * @throws TickwheelError `SCHEDULE_EXISTS`, `VALIDATION_FAILED` with every fault, `TYPE_DELIVERY_CONFLICT`
   */
  async create<Payload>(schedule: NewSchedule<Payload>): Promise<ScheduleView<Payload>> {
    return this.view(await this.service.create(this.requestOf(schedule, this.node.service.nowMs())));
  }

  /**
   * Makes a schedule, or gives the one of this name this definition; an equal one changes nothing.
   *
   * @throws TickwheelError `VERSION_MISMATCH`, `VALIDATION_FAILED` with every fault, `TYPE_DELIVERY_CONFLICT`
   */
  async put<Payload>(
    schedule: NewSchedule<Payload>,
    options: { expectedRevision?: number } = {},
  ): Promise<{ outcome: "created" | "changed" | "unchanged"; schedule: ScheduleView<Payload> }> {
    const done = await this.service.put(this.requestOf(schedule), options.expectedRevision ?? null);
    return { outcome: done.outcome, schedule: this.view(done.schedule) };
  }

  /** The schedule, or null. */
  async get(name: string): Promise<ScheduleView | null> {
    const found = await this.service.get(this.refOf(name));
    return found && this.view(found);
  }

  /**
   * The schedules of the application's namespace by name, page by page. `incomplete`: a look for active ones of any
   * type passed over a thousand that are not before the page was full. It goes on at `next`, however short the page is.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault
   * @example
   * const { items, next } = await delayTasks.schedules.list({ state: "paused", type: "order.settle" });
   */
  async list(
    filter: ScheduleFilterInput = {},
  ): Promise<{ items: ScheduleView[]; next: string | null; incomplete: boolean }> {
    const { after = null, ...asked } = requireInput(scheduleFilterInput, filter);
    const { namespace } = this.node.options;
    const { schedules, next, incomplete } = await this.service.list({ namespace, after, ...asked });
    return { items: schedules.map((schedule) => this.view<Json>(schedule)), next, incomplete };
  }

  /**
   * Pauses a schedule: what has not started is taken back, what runs goes on.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`
   */
  async pause(name: string, by: { reason?: string; until?: Date | string } = {}): Promise<ScheduleView> {
    const { reason = null, until = null } = requireInput(pauseInput, by);
    return this.view(await this.service.pause(this.refOf(name), { until, note: reason, actor: ACTOR }));
  }

  /** Ends a pause; what was due in it is skipped, or the newest runs at once (`onResume`). */
  async resume(name: string): Promise<ScheduleView> {
    return this.view(await this.service.resume(this.refOf(name)));
  }

  /**
   * Runs it now, outside its rules.
   *
   * @param payload in place of the schedule's own
   * @returns the id of the task
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `TASK_STATE_CONFLICT`: its occurrence runs, or is about to
   */
  async trigger(name: string, payload?: Json | object): Promise<string> {
    const given = payload === undefined ? {} : { payload };
    const { payload: text } = requireInput(triggerInput, given);
    const ref = this.refOf(name);
    return (await this.service.trigger(ref, text && (await checkTriggered(this.node, { ...ref, payload: text })))).id;
  }

  /**
   * Deletes a schedule: what has not started is cancelled, what runs goes on.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `SCHEDULE_IN_CODE`
   */
  async remove(name: string): Promise<void> {
    await this.service.remove(this.refOf(name));
  }

  /**
   * Runs instants that passed without a run, one after the other, behind all other tasks that are due. It goes on
   * whatever dies, beside the schedule's own course, and while the schedule is paused.
   *
   * @returns the fate of each instant of the range
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`; `TASK_STATE_CONFLICT`: another backfill of it goes on;
   *   `VALIDATION_FAILED`: a range in the future or of more than 1,000 instants, a schedule with a fixed delay
   * @example
   * const { count } = await delayTasks.schedules.backfill("settle", { from: "2026-11-01T00:00:00Z", to: new Date(), dryRun: true });
   */
  async backfill(name: string, range: BackfillInput): Promise<BackfillFields<Date>> {
    const { isDryRun, ...asked } = backfillOf(requireInput(backfillInput, range));
    const answer = await this.service.backfills.start(this.refOf(name), { ...asked, isDryRun, actor: ACTOR });
    return toBackfillView(answer, isDryRun, asDate);
  }

  /** Ends the backfill that goes on, if one does: a run that executes goes on, the others never start. */
  async cancelBackfill(name: string): Promise<ScheduleView> {
    return this.view(await this.service.backfills.end(this.refOf(name)));
  }

  /** Its last runs, and the instants that were skipped, the newest first. */
  async runs(name: string, page: ScheduleRunsInput = {}): Promise<{ items: ScheduleRunView[]; next: number | null }> {
    const { limit, before = null } = requireInput(scheduleRunsInput, page);
    const runs = await this.service.runs(this.refOf(name), { limit, before });
    return { items: runs.map((run) => toRunView(run, asDate)), next: runs.length < limit ? null : runs.at(-1)!.seq };
  }

  /** Its next instants, with what changes of the clock and exclusions do to them. */
  async preview(name: string, asked: PreviewInput = {}): Promise<PreviewFields<Date>[]> {
    const instants = await this.service.preview(this.refOf(name), requireInput(previewInput, asked));
    return instants.map((instant) => toPreviewView(instant, asDate));
  }

  private requestOf<Payload>({ task, payload = null as Payload, ...fields }: NewSchedule<Payload>, now?: number) {
    const { namespace } = this.node.options;
    const given = inputOfCall({ ...fields }, task, payload);
    const { options: webhooks, payloads } = this.node;
    return toScheduleRequest(given, { namespace, actor: ACTOR, now, webhooks, payloads });
  }

  private refOf(name: string): { namespace: string; name: string } {
    return { namespace: this.node.options.namespace, name };
  }

  private view<Payload>(schedule: StoredSchedule): ScheduleView<Payload> {
    const payload = jsonValueOf(schedule.payload) as Payload;
    return toScheduleView(schedule, { payload, now: this.node.service.nowMs() }, asDate);
  }

  private get service(): ScheduleService {
    return this.node.schedules;
  }
}

const ACTOR = "application";
