import { Inject, Injectable } from "@nestjs/common";
import { previewQuery, readQuery, runsQuery, scheduleQuery } from "@tickwheel/contract/operations";
import {
  type BackfillFields,
  isoInstant,
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
import type { ApiKey, JsonText } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { StoredSchedule } from "@tickwheel/schedules";
import { callerOf, hasRole } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { shownTask } from "../tasks/shown-tasks.js";
import type { ShownTask } from "../tasks/task-json.js";

type Query = Record<string, unknown>;

/** A schedule as an answer shows it; its payload is text. */
export type ShownSchedule = ScheduleFields<JsonText, string>;

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

/** The calls of schedules as REST and GraphQL have them, within the key's namespace. */
@Injectable()
export class ScheduleApiService {
  private readonly calls: ScheduleCalls;

  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {
    this.calls = new ScheduleCalls(node);
  }

  async create(apiKey: ApiKey, body: unknown): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.create(callerOf(apiKey), body));
  }

  /** The name stands in the address; in the body it may stand too, and must be the same. */
  async put(
    apiKey: ApiKey,
    name: string,
    { body, expectedRevision }: { body: unknown; expectedRevision: number | null },
  ): Promise<{ outcome: "created" | "changed" | "unchanged"; schedule: ShownSchedule }> {
    const given = Object(body) as { name?: unknown };
    if (given.name !== undefined && given.name !== null && given.name !== name)
      throwFaults([{ path: "name", message: "must be the name in the address" }]);
    const { outcome, schedule } = await this.calls.put(callerOf(apiKey), { ...given, name }, { expectedRevision });
    return { outcome, schedule: this.view(apiKey, schedule) };
  }

  async get(apiKey: ApiKey, name: string): Promise<ShownSchedule | null> {
    const found = await this.calls.get(callerOf(apiKey), name);
    return found && this.view(apiKey, found);
  }

  /** The page ends with the schedule that reaches the budget of the answer. */
  async list(apiKey: ApiKey, query: Query, budget = new AnswerBudget()): Promise<SchedulePageView> {
    const { cursor: after, ...asked } = readQuery(scheduleQuery, query);
    const maxBytes = budget.left;
    const { schedules, next, incomplete } = await this.calls.list(callerOf(apiKey), { ...asked, after }, { maxBytes });
    budget.spend(schedules.reduce((sum, { payload }) => sum + payload.length, 0));
    const items = schedules.map((schedule) => this.view(apiKey, schedule));
    return { items, nextCursor: next, ...(incomplete ? { incomplete } : {}) };
  }

  async runs(apiKey: ApiKey, name: string, query: Query): Promise<RunPageView> {
    const { limit, cursor: before } = readQuery(runsQuery, query);
    const { runs, next } = await this.calls.runs(callerOf(apiKey), name, { limit, before });
    return { items: runs.map((run) => toRunView(run, isoInstant)), nextCursor: next === null ? null : String(next) };
  }

  async preview(apiKey: ApiKey, name: string, query: Query): Promise<{ items: PreviewFields<string>[] }> {
    const { count, from } = readQuery(previewQuery, query);
    const asked = { count, from: from === undefined ? undefined : new Date(from) };
    const instants = await this.calls.preview(callerOf(apiKey), name, asked);
    return { items: instants.map((instant) => toPreviewView(instant, isoInstant)) };
  }

  async pause(apiKey: ApiKey, name: string, body: unknown): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.pause(callerOf(apiKey), name, body));
  }

  async resume(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.resume(callerOf(apiKey), name));
  }

  async trigger(apiKey: ApiKey, name: string, body: unknown): Promise<ShownTask> {
    return shownTask(await this.calls.trigger(callerOf(apiKey), name, body), apiKey, this.node);
  }

  async backfill(apiKey: ApiKey, name: string, body: unknown): Promise<BackfillFields<string>> {
    const done = await this.calls.backfill(callerOf(apiKey), name, body);
    return toBackfillView(done, done.isDryRun, isoInstant);
  }

  async cancelBackfill(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.endBackfill(callerOf(apiKey), name));
  }

  async remove(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.calls.remove(callerOf(apiKey), name));
  }

  /** A webhook's headers may hold credentials, and its path may be one: whoever may not write sees its host alone. */
  private view(apiKey: ApiKey, schedule: StoredSchedule): ShownSchedule {
    const now = this.node.service.nowMs();
    const view = toScheduleView(schedule, { payload: schedule.payload, now }, isoInstant);
    if (view.deliver && !hasRole(apiKey, "operator"))
      view.deliver = { kind: view.deliver.kind, url: new URL(view.deliver.url).origin };
    return view;
  }
}
