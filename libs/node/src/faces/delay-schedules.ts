import {
  asDate,
  type BackfillFields,
  type BackfillInput,
  type Caller,
  inputOfCall,
  type OccurrenceInput,
  type PayloadOrNull,
  type PreviewFields,
  type PreviewInput,
  readCall,
  ScheduleCalls,
  type ScheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  type ScheduleRunView,
  type ScheduleView,
  type TaskDefinition,
  type TaskView,
  toBackfillView,
  toPreviewView,
  toRunView,
  toScheduleView,
} from "@tickwheel/calls";
import { type DurationInput, type Json, jsonValueOf } from "@tickwheel/core";
import type { StoredSchedule } from "@tickwheel/schedules";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf, shownTask } from "./code-face.js";

/** A schedule as code makes it: exactly one of `cron`, `every` and `after`, and its policies. */
export type NewSchedule<Payload = Json> = NamedSchedule<Payload> & PayloadOrNull<Payload> & ScheduleTime;

/** Exactly one of them. */
type ScheduleTime = ByCron | AtRate | WithDelay;

interface ByCron {
  /** 5 or 6 fields, seconds first, on the clock of `timeZone`. At most 256 characters. */
  cron: string;
  every?: null | undefined;
  after?: null | undefined;
}

interface AtRate {
  /** At a fixed rate, from start to start: at least 1 s, in milliseconds or as a text such as `"15m"`. */
  every: DurationInput;
  cron?: null | undefined;
  after?: null | undefined;
}

interface WithDelay {
  /** With a fixed delay after the last end: at least 1 s, in milliseconds or as a text such as `"15m"`. */
  after: DurationInput;
  cron?: null | undefined;
  every?: null | undefined;
}

interface NamedSchedule<Payload> extends Omit<ScheduleRulesInput, "cron" | "every" | "after">, OccurrenceInput {
  /** 1 to 100 characters of `A-Z a-z 0-9 . _ : -`, unique in the namespace. */
  name: string;
  /** The type of its tasks, by name or definition. */
  task: string | TaskDefinition<unknown, Payload>;
}

/**
 * Schedules: tasks that come again, once per cluster. Each occurrence is an ordinary task, a row long before its time,
 * so no deploy, dead node or change of the leader at the full minute loses or doubles it.
 *
 * @example
 * await delayTasks.schedules.put({ name: "settle", task: SettleDay, cron: "5 0 * * *", timeZone: "Europe/Berlin" });
 */
export class DelaySchedules {
  private readonly calls: ScheduleCalls;
  private readonly caller: Caller;

  constructor(private readonly node: DelayTaskNode) {
    this.calls = new ScheduleCalls(node);
    this.caller = applicationOf(node);
  }

  /**
   * Makes a schedule.
   *
   * @throws TickwheelError `SCHEDULE_EXISTS`, `VALIDATION_FAILED` with every fault, `TYPE_DELIVERY_CONFLICT`
   */
  async create<Payload>(schedule: NewSchedule<Payload>): Promise<ScheduleView<Payload>> {
    return this.view(await this.calls.create(this.caller, inputOf(schedule)));
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
    const done = await this.calls.put(this.caller, inputOf(schedule), options);
    return { outcome: done.outcome, schedule: this.view(done.schedule) };
  }

  /** The schedule, or null. */
  async get(name: string): Promise<ScheduleView | null> {
    const found = await this.calls.get(this.caller, name);
    return found && this.view(found);
  }

  /**
   * The schedules of the application's namespace by name, page by page. A page ends with the schedule whose payload
   * reaches 2 MiB. `incomplete`: a look for active ones of any type passed over a thousand that are not before the page
   * was full. It goes on at `next`, however short the page is.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault
   * @example
   * const { items, next } = await delayTasks.schedules.list({ state: "paused", type: "order.settle" });
   */
  async list(
    filter: ScheduleFilterInput = {},
  ): Promise<{ items: ScheduleView[]; next: string | null; incomplete: boolean }> {
    const { schedules, next, incomplete } = await this.calls.list(this.caller, filter);
    return { items: schedules.map((schedule) => this.view<Json>(schedule)), next, incomplete };
  }

  /**
   * Pauses a schedule: what has not started is taken back, what runs goes on.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`
   */
  async pause(name: string, by: { reason?: string; until?: Date | string } = {}): Promise<ScheduleView> {
    return this.view(await this.calls.pause(this.caller, name, by));
  }

  /** Ends a pause; what was due in it is skipped, or the newest runs at once (`onResume`). */
  async resume(name: string): Promise<ScheduleView> {
    return this.view(await this.calls.resume(this.caller, name));
  }

  /**
   * Runs it now, outside its rules.
   *
   * @param payload in place of the schedule's own
   * @returns the task
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `VALIDATION_FAILED` with every fault of the payload;
   *   `TASK_STATE_CONFLICT`: its occurrence runs, or is about to
   */
  async trigger(name: string, payload?: Json | object): Promise<TaskView> {
    const given = payload === undefined ? {} : { payload };
    return shownTask(await this.calls.trigger(this.caller, name, given), this.node);
  }

  /**
   * Deletes a schedule: what has not started is cancelled, what runs goes on.
   *
   * @returns the schedule as it was at its end
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `SCHEDULE_IN_CODE`
   */
  async remove(name: string): Promise<ScheduleView> {
    return this.view(await this.calls.remove(this.caller, name));
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
    const done = await this.calls.backfill(this.caller, name, range);
    return toBackfillView(done, done.isDryRun, asDate);
  }

  /** Ends the backfill that goes on, if one does: a run that executes goes on, the others never start. */
  async cancelBackfill(name: string): Promise<ScheduleView> {
    return this.view(await this.calls.endBackfill(this.caller, name));
  }

  /** Its last runs, and the instants that were skipped, the newest first. */
  async runs(name: string, page: ScheduleRunsInput = {}): Promise<{ items: ScheduleRunView[]; next: number | null }> {
    const { runs, next } = await this.calls.runs(this.caller, name, page);
    return { items: runs.map((run) => toRunView(run, asDate)), next };
  }

  /** Its next instants, with what changes of the clock and exclusions do to them. */
  async preview(name: string, asked: PreviewInput = {}): Promise<PreviewFields<Date>[]> {
    const instants = await this.calls.preview(this.caller, name, asked);
    return instants.map((instant) => toPreviewView(instant, asDate));
  }

  private view<Payload>(schedule: StoredSchedule): ScheduleView<Payload> {
    const payload = jsonValueOf(schedule.payload) as Payload;
    return toScheduleView(schedule, { payload, now: this.node.service.nowMs() }, asDate);
  }
}

/** What a call gives, read once. */
function inputOf<Payload>(schedule: NewSchedule<Payload>): unknown {
  return readCall(() => {
    const { task, payload = null, ...fields } = schedule;
    return inputOfCall(fields as Record<string, unknown>, task, payload);
  });
}
