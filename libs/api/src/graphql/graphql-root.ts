import {
  BATCH_OPERATIONS,
  CLUSTER_OPERATIONS,
  journalQuery,
  readQuery,
  SCHEDULE_OPERATIONS,
  TASK_OPERATIONS,
} from "@tickwheel/contract/operations";
import { bytesOf } from "@tickwheel/core";
import type { BatchApiService } from "../batches/batch-api.service.js";
import type { FigureApiService } from "../cluster/figure-api.service.js";
import { readerOf } from "../keys/api-key.js";
import type { ScheduleApiService } from "../schedules/schedule-api.service.js";
import type { TaskApiService } from "../tasks/task-api.service.js";
import type { DetailedTask, ShownTask } from "../tasks/task-json.js";
import { toTaskFilter } from "../tasks/task-query.js";
import { fieldsOf, inTurn, pageInTurn, type RootFields, spending } from "./graphql-fields.js";

// What each field does, by its row. Inputs come here unchecked but for their GraphQL types.

/** Fields about tasks. All that hold tasks go one after the other, and share the budget of the answer. */
export function taskFields(api: TaskApiService, figures: FigureApiService): RootFields {
  return fieldsOf(TASK_OPERATIONS, {
    counts: ({ apiKey }) => figures.tabs(apiKey),
    create: spending(({ apiKey, body, headers }) => api.schedule(apiKey, body, { headers }), sizeWithin),
    createMany: inTurn(async ({ apiKey, body, ...call }) => {
      const { idempotencyKey, budget, headers, signal } = call;
      return (await api.scheduleMany(apiKey, body, { idempotencyKey, budget, headers, signal })).items;
    }),
    cancelByKey: spending(({ apiKey, body }) => api.cancelByKey(apiKey, body), sizeWithin),
    pauseByKey: spending(({ apiKey, body }) => api.pauseOrResumeByKey(apiKey, "pause", body), sizeOf),
    resumeByKey: spending(({ apiKey, body }) => api.pauseOrResumeByKey(apiKey, "resume", body), sizeOf),
    cancelMany: spending(async ({ apiKey, body }) => ({ results: await api.cancelMany(apiKey, body) }), sizeOfAll),
    retryMany: spending(async ({ apiKey, body }) => ({ results: await api.retryMany(apiKey, body) }), sizeOfAll),
    find: pageInTurn(({ apiKey, query, budget }) => api.find(apiKey, toTaskFilter(query, readerOf(apiKey)), budget)),
    get: spending(({ apiKey, at }) => api.get(apiKey, at), sizeOf),
    edit: spending(
      ({ apiKey, at, body, expected }) => api.edit(apiKey, at, { body, expectedVersion: expected }),
      sizeOf,
    ),
    cancel: spending(({ apiKey, at }) => api.cancel(apiKey, at), sizeWithin),
    runNow: spending(({ apiKey, at }) => api.runNow(apiKey, at), sizeOf),
    pause: spending(({ apiKey, at }) => api.pauseOrResume(apiKey, "pause", at), sizeOf),
    resume: spending(({ apiKey, at }) => api.pauseOrResume(apiKey, "resume", at), sizeOf),
    retry: spending(({ apiKey, at }) => api.retry(apiKey, at), sizeOf),
    journal: ({ apiKey, at, query }) => {
      const { limit, cursor: after } = readQuery(journalQuery, query);
      return api.journal(apiKey, { ...readerOf(apiKey), id: at, limit, after });
    },
  });
}

/** Fields about schedules. */
export function scheduleFields(api: ScheduleApiService): RootFields {
  return fieldsOf(SCHEDULE_OPERATIONS, {
    createSchedule: ({ apiKey, body }) => api.create(apiKey, body),
    schedules: pageInTurn(({ apiKey, query, budget }) => api.list(apiKey, query, budget)),
    putSchedule: ({ apiKey, at, body, expected }) => api.put(apiKey, at, { body, expectedRevision: expected }),
    schedule: spending(
      ({ apiKey, at }) => api.get(apiKey, at),
      (found) => found?.payload.length ?? 0,
    ),
    deleteSchedule: ({ apiKey, at }) => api.remove(apiKey, at),
    scheduleRuns: ({ apiKey, at, query }) => api.runs(apiKey, at, query),
    previewSchedule: ({ apiKey, at, query }) => api.preview(apiKey, at, query),
    pauseSchedule: ({ apiKey, at, body }) => api.pause(apiKey, at, body),
    resumeSchedule: ({ apiKey, at }) => api.resume(apiKey, at),
    triggerSchedule: ({ apiKey, at, body }) => api.trigger(apiKey, at, body),
    backfillSchedule: ({ apiKey, at, body }) => api.backfill(apiKey, at, body),
    cancelBackfill: ({ apiKey, at }) => api.cancelBackfill(apiKey, at),
  });
}

/** Fields about batches. */
export function batchFields(api: BatchApiService): RootFields {
  return fieldsOf(BATCH_OPERATIONS, {
    createBatch: ({ apiKey, body, headers }) => api.create(apiKey, body, headers),
    batches: ({ apiKey, query }) => api.list(apiKey, query),
    batch: ({ apiKey, at }) => api.get(apiKey, at),
    addMembers: inTurn(async ({ apiKey, at, body, idempotencyKey, budget, headers }) => {
      const { items, ...added } = await api.add(apiKey, at, { body, idempotencyKey, budget, headers });
      return { ...added, results: items };
    }),
    members: pageInTurn(({ apiKey, at, query, budget }) => api.members(apiKey, at, { query, budget })),
    sealBatch: ({ apiKey, at }) => api.seal(apiKey, at),
    cancelBatch: ({ apiKey, at }) => api.cancel(apiKey, at),
  });
}

/** Fields about the cluster, and figures of the key's namespace. */
export function clusterFields(api: TaskApiService, figures: FigureApiService): RootFields {
  return fieldsOf(CLUSTER_OPERATIONS, {
    cluster: () => api.cluster(),
    events: ({ query }) => figures.clusterEvents(query),
    wheel: () => figures.clusterWheel(),
    stats: ({ apiKey }) => api.stats(apiKey),
    findings: ({ apiKey }) => figures.findings(apiKey),
    types: ({ apiKey, query }) => figures.types(apiKey, query),
    type: ({ apiKey, at }) => figures.typePayload(apiKey, at),
    history: ({ apiKey, query }) => figures.history(apiKey, query),
    forecast: ({ apiKey, query }) => figures.forecast(apiKey, query),
  });
}

/** What a task takes of the budget, with what its handler has told last. */
function sizeOf(task: (ShownTask & Partial<Pick<DetailedTask, "checkpoint">>) | null | undefined): number {
  if (!task) return 0;
  const told = task.checkpoint ? JSON.stringify(task.checkpoint.state).length : 0;
  return told + bytesOf({ ...task, delivery: task.deliver });
}

function sizeWithin({ task }: { task?: ShownTask }): number {
  return sizeOf(task);
}

function sizeOfAll({ results }: { results: readonly { task?: ShownTask }[] }): number {
  return results.reduce((sum, item) => sum + sizeWithin(item), 0);
}
