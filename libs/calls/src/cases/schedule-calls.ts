import { type NamespaceReader, PAGE_BYTES, type Task } from "@tickwheel/core";
import type { BackfillAnswer, PutSchedule, ScheduleRequest } from "@tickwheel/engine";
import type { PreviewedInstant, SchedulePage, ScheduleRun, StoredSchedule } from "@tickwheel/schedules";
import {
  backfillInput,
  backfillOf,
  pauseInput,
  previewInput,
  requireInput,
  scheduleFilterInput,
  scheduleRunsInput,
  triggerInput,
} from "@tickwheel/contract";
import { checkTriggered } from "../requests/changed-payloads.js";
import { type ScheduleCaller, toScheduleRequest } from "../requests/schedule-request.js";
import { type Caller, type CallOptions, type CallPorts, readerOf, requireOperator } from "./caller.js";

/** A page of a schedule's runs, the newest first. `next`: the `before` of the page behind it; null: there is none. */
export interface ScheduleRunPage {
  runs: ScheduleRun[];
  next: number | null;
}

/** What a backfill does, or, as a dry run, would do. */
export interface BackfillOutcome extends BackfillAnswer {
  isDryRun: boolean;
}

/**
 * What can be asked of schedules, by each kind of caller. `given` is unchecked: its rules stand in
 * `input/schedule-input.ts`. Every write throws `FORBIDDEN` to a caller who may only read, and any call
 * `STORE_UNAVAILABLE`: asking again is right.
 */
export class ScheduleCalls {
  constructor(private readonly ports: CallPorts) {}

  /**
   * Makes a schedule.
   *
   * @throws TickwheelError `SCHEDULE_EXISTS`, `VALIDATION_FAILED` with every fault, `PAYLOAD_TOO_LARGE`,
   *   `TYPE_DELIVERY_CONFLICT`
   */
  async create(caller: Caller, given: unknown): Promise<StoredSchedule> {
    requireOperator(caller);
    const request = this.requestOf(given, { ...caller, now: this.ports.service.nowMs() });
    return this.ports.schedules.create(request);
  }

  /**
   * Makes a schedule, or gives the one of this name this definition; an equal one changes nothing.
   *
   * @param options `expectedRevision`: of the schedule that is changed. Default: any, and there may be none
   * @throws TickwheelError `VERSION_MISMATCH`, `SCHEDULE_NOT_FOUND` (a revision was expected), `VALIDATION_FAILED` with
   *   every fault, `PAYLOAD_TOO_LARGE`, `TYPE_DELIVERY_CONFLICT`
   */
  async put(
    caller: Caller,
    given: unknown,
    { expectedRevision = null }: { expectedRevision?: number | null } = {},
  ): Promise<PutSchedule> {
    requireOperator(caller);
    return this.ports.schedules.put(this.requestOf(given, caller), expectedRevision);
  }

  /** The schedule, or null. */
  async get(caller: Caller, name: string): Promise<StoredSchedule | null> {
    return this.ports.schedules.get(refOf(caller, name));
  }

  /**
   * A page of the schedules, by name. It ends with the one whose payload reaches `maxBytes`, and goes on at `next`.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault
   */
  async list(
    caller: Caller,
    given: unknown,
    { maxBytes = PAGE_BYTES }: Pick<CallOptions, "maxBytes"> = {},
  ): Promise<SchedulePage> {
    const { after = null, ...asked } = requireInput(scheduleFilterInput, given);
    const page = await this.ports.schedules.list({ ...readerOf(caller), after, ...asked });
    return fittingPage(page, { after, maxBytes });
  }

  /**
   * Its last runs, and the instants that were skipped.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `VALIDATION_FAILED` with every fault
   */
  async runs(caller: Caller, name: string, given: unknown): Promise<ScheduleRunPage> {
    const { limit, before = null } = requireInput(scheduleRunsInput, given);
    const runs = await this.ports.schedules.runs(refOf(caller, name), { limit, before });
    return { runs, next: runs.length < limit ? null : runs.at(-1)!.seq };
  }

  /**
   * Its next instants, with what changes of the clock and exclusions do to them.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `VALIDATION_FAILED` with every fault
   */
  async preview(caller: Caller, name: string, given: unknown): Promise<PreviewedInstant[]> {
    const asked = requireInput(previewInput, given);
    return this.ports.schedules.preview(refOf(caller, name), asked);
  }

  /**
   * Pauses a schedule: what has not started is taken back, what runs goes on.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `VALIDATION_FAILED` with every fault
   */
  async pause(caller: Caller, name: string, given: unknown): Promise<StoredSchedule> {
    requireOperator(caller);
    const { reason: note = null, until = null } = requireInput(pauseInput, given);
    return this.ports.schedules.pause(refOf(caller, name), { until, note, actor: caller.actor });
  }

  /** Ends a pause. @throws TickwheelError `SCHEDULE_NOT_FOUND` */
  async resume(caller: Caller, name: string): Promise<StoredSchedule> {
    requireOperator(caller);
    return this.ports.schedules.resume(refOf(caller, name));
  }

  /**
   * Runs it now, outside its rules; with another payload, if one is given.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`; `VALIDATION_FAILED` with every fault, `PAYLOAD_TOO_LARGE`;
   *   `TASK_STATE_CONFLICT`: its occurrence runs, or is about to
   */
  async trigger(caller: Caller, name: string, given: unknown): Promise<Task> {
    requireOperator(caller);
    const { payload } = requireInput(triggerInput, given);
    const ref = refOf(caller, name);
    return this.ports.schedules.trigger(ref, payload && (await checkTriggered(this.ports, { ...ref, payload })));
  }

  /**
   * Runs instants that passed without a run, one after the other; or only tells which.
   *
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`; `TASK_STATE_CONFLICT`: another backfill of it goes on;
   *   `VALIDATION_FAILED`: a range in the future or of too many instants, a schedule with a fixed delay
   */
  async backfill(caller: Caller, name: string, given: unknown): Promise<BackfillOutcome> {
    requireOperator(caller);
    const { isDryRun, ...range } = backfillOf(requireInput(backfillInput, given));
    const request = { ...range, isDryRun, actor: caller.actor };
    return { ...(await this.ports.schedules.backfills.start(refOf(caller, name), request)), isDryRun };
  }

  /** Ends the backfill that goes on, if one does. @throws TickwheelError `SCHEDULE_NOT_FOUND` */
  async endBackfill(caller: Caller, name: string): Promise<StoredSchedule> {
    requireOperator(caller);
    return this.ports.schedules.backfills.end(refOf(caller, name));
  }

  /**
   * Deletes a schedule: what has not started is cancelled, what runs goes on.
   *
   * @returns the schedule as it was at its end
   * @throws TickwheelError `SCHEDULE_NOT_FOUND`, `SCHEDULE_IN_CODE`
   */
  async remove(caller: Caller, name: string): Promise<StoredSchedule> {
    requireOperator(caller);
    return this.ports.schedules.remove(refOf(caller, name));
  }

  private requestOf(
    given: unknown,
    { namespace, actor, now }: Pick<ScheduleCaller, "namespace" | "actor" | "now">,
  ): ScheduleRequest {
    const { options: deliveries, payloads } = this.ports;
    return toScheduleRequest(given, { namespace, actor, now, deliveries, payloads });
  }
}

/**
 * What of a page fits: it ends with the schedule that reaches `maxBytes` of payloads. Then it is full, whatever the
 * look behind it came to.
 *
 * @param bounds `after`: where the page begins, and goes on if nothing fits
 */
export function fittingPage(
  page: SchedulePage,
  { after, maxBytes }: { after: string | null; maxBytes: number },
): SchedulePage {
  let bytes = 0;
  const end = page.schedules.findIndex(({ payload }) => {
    const isFull = bytes >= maxBytes;
    bytes += payload.length;
    return isFull;
  });
  if (end === -1) return page;
  const schedules = page.schedules.slice(0, end);
  return { schedules, next: schedules.at(-1)?.name ?? after, incomplete: false };
}

function refOf(caller: Caller, name: string): NamespaceReader & { name: string } {
  return { ...readerOf(caller), name };
}
