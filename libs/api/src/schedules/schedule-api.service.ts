import { Inject, Injectable } from "@nestjs/common";
import type { SCHEDULE_OPERATIONS } from "@tickwheel/contract/operations";
import {
  type BackfillFields,
  isoInstant,
  maskedJson,
  type PreviewFields,
  ScheduleCalls,
  type ScheduleFields,
  type ScheduleRunFields,
  throwFaults,
  toBackfillView,
  toPreviewView,
  toRunView,
  toScheduleView,
} from "@tickwheel/calls";
import { type ApiKey, type JsonText, mayReadPayloads, shownText, TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { StoredSchedule } from "@tickwheel/schedules";
import type { Call, Calls } from "../calls/call.js";
import { actorOf, callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { shownDelivery } from "../keys/shown-delivery.js";
import { shownTask } from "../tasks/shown-tasks.js";
import type { ShownTask } from "../tasks/task-json.js";

type Rows = (typeof SCHEDULE_OPERATIONS)["rows"];

/** A schedule as an answer shows it; its payload is text. `payloadMasked`: it is a shape, and no values. */
export type ShownSchedule = ScheduleFields<JsonText, string> & { payloadMasked?: true };

/**
 * A page of the schedules, by name. `incomplete`: the look ended before the page was full, and goes on at the cursor.
 */
export interface SchedulePageView {
  items: ShownSchedule[];
  nextCursor: string | null;
  incomplete?: true;
}

/** A page of a schedule's runs, the newest first. */
export interface RunPageView {
  items: ScheduleRunFields<string>[];
  nextCursor: string | null;
}

/** What a put has done. */
export interface PutScheduleView {
  outcome: "created" | "changed" | "unchanged";
  schedule: ShownSchedule;
}

/** The calls about schedules, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class ScheduleApiService implements Calls<Rows> {
  private readonly calls: ScheduleCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new ScheduleCalls(node);
  }

  async createSchedule({ apiKey, body }: Call): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.create(callerOf(apiKey), body));
  }

  /** The page ends with the schedule that reaches the budget of the answer. */
  async schedules({ apiKey, query, budget }: Call<Rows["schedules"]>): Promise<SchedulePageView> {
    const { cursor: after, ...asked } = query;
    const maxBytes = budget.left;
    const { schedules, next, incomplete } = await this.calls.list(callerOf(apiKey), { ...asked, after }, { maxBytes });
    budget.spend(schedules.reduce((sum, { payload }) => sum + payload.length, 0));
    const items = schedules.map((schedule) => this.view(apiKey, schedule));
    return { items, nextCursor: next, ...(incomplete ? { incomplete } : {}) };
  }

  /** The name stands in the address; in the body it may stand too, and must be the same. */
  async putSchedule({ apiKey, at: name, body, expected: expectedRevision }: Call): Promise<PutScheduleView> {
    const given = Object(body) as { name?: unknown };
    if (given.name !== undefined && given.name !== null && given.name !== name)
      throwFaults([{ path: "name", message: "must be the name in the address" }]);
    const { outcome, schedule } = await this.calls.put(callerOf(apiKey), { ...given, name }, { expectedRevision });
    return { outcome, schedule: this.view(apiKey, schedule) };
  }

  async schedule({ apiKey, at }: Call): Promise<ShownSchedule> {
    const found = await this.calls.get(callerOf(apiKey), at);
    if (!found) throw new TickwheelError("SCHEDULE_NOT_FOUND", `There is no schedule ${shownText(at)}.`);
    return this.view(apiKey, found);
  }

  async deleteSchedule({ apiKey, at }: Call): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.remove(callerOf(apiKey), at));
  }

  async scheduleRuns({ apiKey, at, query }: Call<Rows["scheduleRuns"]>): Promise<RunPageView> {
    const { limit, cursor: before } = query;
    const { runs, next } = await this.calls.runs(callerOf(apiKey), at, { limit, before });
    return { items: runs.map((run) => toRunView(run, isoInstant)), nextCursor: next === null ? null : String(next) };
  }

  async previewSchedule(call: Call<Rows["previewSchedule"]>): Promise<{ items: PreviewFields<string>[] }> {
    const { count, from } = call.query;
    const asked = { count, from: from === undefined ? undefined : new Date(from) };
    const instants = await this.calls.preview(callerOf(call.apiKey), call.at, asked);
    return { items: instants.map((instant) => toPreviewView(instant, isoInstant)) };
  }

  async pauseSchedule({ apiKey, at, body }: Call): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.pause(callerOf(apiKey), at, body));
  }

  async resumeSchedule({ apiKey, at }: Call): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.resume(callerOf(apiKey), at));
  }

  async triggerSchedule({ apiKey, at, body }: Call): Promise<ShownTask> {
    return shownTask(await this.calls.trigger(callerOf(apiKey), at, body), apiKey, this.node);
  }

  async backfillSchedule({ apiKey, at, body }: Call): Promise<BackfillFields<string>> {
    const done = await this.calls.backfill(callerOf(apiKey), at, body);
    return toBackfillView(done, done.isDryRun, isoInstant);
  }

  async cancelBackfill({ apiKey, at }: Call): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.endBackfill(callerOf(apiKey), at));
  }

  private view(apiKey: ApiKey, schedule: StoredSchedule): ShownSchedule {
    const now = this.node.service.nowMs();
    const isShown = mayReadPayloads(apiKey) || isFreshOf(schedule, apiKey);
    const payload = isShown ? schedule.payload : maskedJson(schedule.payload);
    const view: ShownSchedule = toScheduleView(schedule, { payload, now }, isoInstant);
    if (!isShown) view.payloadMasked = true;
    if (view.deliver) view.deliver = shownDelivery(view.deliver, apiKey);
    return view;
  }
}

/** Who made a schedule by a key without the right sees its payload as long as nobody has changed it. */
function isFreshOf({ createdBy, revision }: StoredSchedule, apiKey: ApiKey): boolean {
  return revision === 1 && createdBy === actorOf(apiKey);
}
