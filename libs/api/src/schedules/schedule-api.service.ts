import { Inject, Injectable } from "@nestjs/common";
import type { ApiKey, EpochMs, JsonText, NamespaceReader } from "@tickwheel/core";
import type { ScheduleService } from "@tickwheel/engine";
import {
  type BackfillFields,
  backfillInput,
  backfillOf,
  checkTriggered,
  DEFAULT_PREVIEW,
  isoInstant,
  MAX_PREVIEW,
  pauseInput,
  type PreviewFields,
  requireInput,
  type ScheduleFields,
  type ScheduleRunFields,
  throwFaults,
  toBackfillView,
  toPreviewView,
  toRunView,
  toScheduleRequest,
  toScheduleView,
  triggerInput,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { SCHEDULE_STATES, type StoredSchedule } from "@tickwheel/schedules";
import { API_NODE } from "../keys/api-node.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { actorOf, hasRole, readerOf } from "../keys/api-key.js";
import { QueryReader } from "../tasks/query-reader.js";
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

/** The use cases of schedules as REST has them, within the key's namespace. */
@Injectable()
export class ScheduleApiService {
  constructor(@Inject(API_NODE) private readonly node: DelayTaskNode) {}

  async create(apiKey: ApiKey, body: unknown): Promise<ShownSchedule> {
    return this.view(apiKey, await this.service.create(this.requestOf(apiKey, body, this.node.service.nowMs())));
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
    const request = this.requestOf(apiKey, { ...given, name });
    const { outcome, schedule } = await this.service.put(request, expectedRevision);
    return { outcome, schedule: this.view(apiKey, schedule) };
  }

  async get(apiKey: ApiKey, name: string): Promise<ShownSchedule | null> {
    const found = await this.service.get(refOf(apiKey, name));
    return found && this.view(apiKey, found);
  }

  /** The page ends with the schedule that reaches the budget of the answer. */
  async list(apiKey: ApiKey, query: Query, budget = new AnswerBudget()): Promise<SchedulePageView> {
    const reader = new QueryReader(query);
    const [limit, after = null] = [reader.limit("limit"), reader.text("cursor", 100)];
    const [state, type] = [reader.word("state", SCHEDULE_STATES), reader.text("type", 128)];
    reader.finish();
    const page = await this.service.list({ ...readerOf(apiKey), limit, after, state, type });
    const items: ShownSchedule[] = [];
    for (const schedule of page.schedules) {
      if (budget.left <= 0) break;
      budget.spend(schedule.payload.length);
      items.push(this.view(apiKey, schedule));
    }
    const isCut = items.length < page.schedules.length;
    const nextCursor = isCut ? (items.at(-1)?.name ?? after) : page.next;
    return { items, nextCursor, ...(page.incomplete && !isCut ? { incomplete: true } : {}) };
  }

  async runs(apiKey: ApiKey, name: string, query: Query): Promise<RunPageView> {
    const reader = new QueryReader(query);
    const [limit, before = null] = [reader.limit("limit"), reader.place("cursor")];
    reader.finish();
    const runs = await this.service.runs(refOf(apiKey, name), { limit, before });
    const nextCursor = runs.length < limit ? null : String(runs.at(-1)!.seq);
    return { items: runs.map((run) => toRunView(run, isoInstant)), nextCursor };
  }

  async preview(apiKey: ApiKey, name: string, query: Query): Promise<{ items: PreviewFields<string>[] }> {
    const reader = new QueryReader(query);
    const [count = DEFAULT_PREVIEW, from] = [reader.count("count", MAX_PREVIEW), reader.instant("from")];
    if (from !== undefined && from < 0) reader.refuse("from", "must not be before 1970");
    reader.finish();
    const asked = { count, from };
    const instants = await this.service.preview(refOf(apiKey, name), asked);
    return { items: instants.map((instant) => toPreviewView(instant, isoInstant)) };
  }

  async pause(apiKey: ApiKey, name: string, body: unknown): Promise<ShownSchedule> {
    const { reason = null, until = null } = requireInput(pauseInput, body);
    return this.view(
      apiKey,
      await this.service.pause(refOf(apiKey, name), { until, note: reason, actor: actorOf(apiKey) }),
    );
  }

  async resume(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.service.resume(refOf(apiKey, name)));
  }

  async trigger(apiKey: ApiKey, name: string, body: unknown): Promise<ShownTask> {
    const { payload } = requireInput(triggerInput, body);
    const ref = refOf(apiKey, name);
    const checked = payload && (await checkTriggered(this.node, { ...ref, payload }));
    return shownTask(await this.service.trigger(ref, checked), apiKey, this.node);
  }

  async backfill(apiKey: ApiKey, name: string, body: unknown): Promise<BackfillFields<string>> {
    const { isDryRun, ...range } = backfillOf(requireInput(backfillInput, body));
    const request = { ...range, isDryRun, actor: actorOf(apiKey) };
    return toBackfillView(await this.service.backfills.start(refOf(apiKey, name), request), isDryRun, isoInstant);
  }

  async cancelBackfill(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.service.backfills.end(refOf(apiKey, name)));
  }

  async remove(apiKey: ApiKey, name: string): Promise<ShownSchedule> {
    return this.view(apiKey, await this.service.remove(refOf(apiKey, name)));
  }

  private requestOf(apiKey: ApiKey, body: unknown, now?: EpochMs) {
    const { namespace } = apiKey;
    return toScheduleRequest(body, {
      namespace,
      actor: actorOf(apiKey),
      now,
      webhooks: this.node.options,
      payloads: this.node.payloads,
    });
  }

  /** A webhook's headers may hold credentials, and its path may be one: whoever may not write sees its host alone. */
  private view(apiKey: ApiKey, schedule: StoredSchedule): ShownSchedule {
    const now = this.node.service.nowMs();
    const view = toScheduleView(schedule, { payload: schedule.payload, now }, isoInstant);
    if (view.deliver && !hasRole(apiKey, "operator"))
      view.deliver = { kind: view.deliver.kind, url: new URL(view.deliver.url).origin };
    return view;
  }

  private get service(): ScheduleService {
    return this.node.schedules;
  }
}

function refOf(apiKey: ApiKey, name: string): NamespaceReader & { name: string } {
  return { ...readerOf(apiKey), name };
}
