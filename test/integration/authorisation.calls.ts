import type { Role } from "@tickwheel/core";
import type { TaskBody } from "../support/api-client.js";

/** The right that a call needs; public: not even a key; session: the page's, whatever its key may. */
export type Need = "public" | Role | "cluster" | "session";

export interface Call {
  need: Need;
  /** Of a task: whose it is. */
  body?: (task: TaskBody) => unknown;
}

const WHEN = { delay: "2h" };
const newTask = (): object => ({ type: "matrix.new", ...WHEN });

const RANGE = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
const YEARLY = { type: "matrix.yearly", cron: "0 0 1 1 *" };

/** Every route of the application. A new one that is not here fails the test. */
export const ROUTES: Readonly<Record<string, Call>> = {
  "GET /health/live": { need: "public" },
  "GET /health/ready": { need: "public" },
  "GET /dashboard": { need: "public" },
  "GET /dashboard/:name": { need: "public" },
  "GET /dashboard/:folder/:name": { need: "public" },
  "GET /docs": { need: "public" },
  "GET /docs/:name": { need: "public" },
  "GET /docs/:folder/:name": { need: "public" },
  "GET /openapi.json": { need: "viewer" },
  "GET /metrics": { need: "cluster" },
  "GET /graphql": { need: "viewer" },
  "POST /graphql": { need: "viewer", body: () => ({ query: "{ __typename }" }) },
  "POST /v1/session": { need: "public", body: () => ({}) },
  "GET /v1/session": { need: "session" },
  "DELETE /v1/session": { need: "public" },
  "GET /v1/stats": { need: "viewer" },
  "GET /v1/cluster": { need: "cluster" },
  "GET /v1/cluster/events": { need: "cluster" },
  "GET /v1/cluster/wheel": { need: "cluster" },
  "GET /v1/findings": { need: "viewer" },
  "GET /v1/types": { need: "viewer" },
  "GET /v1/types/:type": { need: "viewer" },
  "GET /v1/tasks/counts": { need: "viewer" },
  "GET /v1/stats/history": { need: "viewer" },
  "GET /v1/stats/forecast": { need: "viewer" },
  "GET /v1/stream": { need: "viewer" },
  "GET /v1/tasks": { need: "viewer" },
  "GET /v1/tasks/:id": { need: "viewer" },
  "GET /v1/tasks/:id/journal": { need: "viewer" },
  "POST /v1/tasks": { need: "operator", body: newTask },
  "POST /v1/tasks/bulk": { need: "operator", body: () => ({ tasks: [newTask()] }) },
  "POST /v1/tasks/bulk/cancel": { need: "operator", body: ({ id }) => ({ ids: [id] }) },
  "POST /v1/tasks/bulk/retry": { need: "operator", body: ({ id }) => ({ ids: [id] }) },
  "POST /v1/tasks/cancel": { need: "operator", body: ({ type, key }) => ({ type, key }) },
  "POST /v1/tasks/pause": { need: "operator", body: ({ type, key }) => ({ type, key }) },
  "POST /v1/tasks/resume": { need: "operator", body: ({ type, key }) => ({ type, key }) },
  "PATCH /v1/tasks/:id": { need: "operator", body: () => WHEN },
  "DELETE /v1/tasks/:id": { need: "operator" },
  "POST /v1/tasks/:id/run-now": { need: "operator" },
  "POST /v1/tasks/:id/pause": { need: "operator" },
  "POST /v1/tasks/:id/resume": { need: "operator" },
  "POST /v1/tasks/:id/retry": { need: "operator" },
  "GET /v1/batches": { need: "viewer" },
  "GET /v1/batches/:id": { need: "viewer" },
  "GET /v1/batches/:id/members": { need: "viewer" },
  "POST /v1/batches": { need: "operator", body: () => ({ tasks: [newTask()] }) },
  "POST /v1/batches/:id/members": { need: "operator", body: () => ({ tasks: [newTask()] }) },
  "POST /v1/batches/:id/seal": { need: "operator" },
  "DELETE /v1/batches/:id": { need: "operator" },
  "GET /v1/schedules": { need: "viewer" },
  "GET /v1/schedules/:name": { need: "viewer" },
  "GET /v1/schedules/:name/runs": { need: "viewer" },
  "GET /v1/schedules/:name/preview": { need: "viewer" },
  "POST /v1/schedules": { need: "operator", body: () => ({ name: "matrix", ...YEARLY }) },
  "PUT /v1/schedules/:name": { need: "operator", body: () => YEARLY },
  "DELETE /v1/schedules/:name": { need: "operator" },
  "POST /v1/schedules/:name/pause": { need: "operator", body: () => ({}) },
  "POST /v1/schedules/:name/resume": { need: "operator" },
  "POST /v1/schedules/:name/trigger": { need: "operator", body: () => ({}) },
  "POST /v1/schedules/:name/backfill": { need: "operator", body: () => ({ ...RANGE, dryRun: true }) },
  "DELETE /v1/schedules/:name/backfill": { need: "operator" },
};

/** Every field of GraphQL's roots. */
export const FIELDS: Readonly<Record<string, { need: Need; call: (task: TaskBody) => string }>> = {
  "query task": { need: "viewer", call: ({ id }) => `task(id: "${id}") { id }` },
  "query tasks": { need: "viewer", call: ({ key }) => `tasks(filter: { key: "${key}" }) { nodes { id } }` },
  "query stats": { need: "viewer", call: () => "stats { overdue }" },
  "query cluster": { need: "cluster", call: () => "cluster { view }" },
  "mutation scheduleTask": {
    need: "operator",
    call: () => `scheduleTask(input: { type: "matrix.new", delay: "2h" }) { outcome }`,
  },
  "mutation scheduleTasks": {
    need: "operator",
    call: () => `scheduleTasks(inputs: [{ type: "matrix.new", delay: "2h" }]) { status }`,
  },
  "mutation cancelTask": { need: "operator", call: ({ id }) => `cancelTask(id: "${id}") { outcome task { id } }` },
  "mutation rescheduleTask": {
    need: "operator",
    call: ({ id }) => `rescheduleTask(id: "${id}", input: { delay: "2h" }) { id }`,
  },
  "mutation retryTask": { need: "operator", call: ({ id }) => `retryTask(id: "${id}") { id }` },
  "mutation runTaskNow": { need: "operator", call: ({ id }) => `runTaskNow(id: "${id}") { id }` },
  "mutation pauseTask": { need: "operator", call: ({ id }) => `pauseTask(id: "${id}") { id }` },
  "mutation pauseTaskByKey": {
    need: "operator",
    call: ({ type, key }) => `pauseTaskByKey(type: "${type}", key: "${key}") { id }`,
  },
  "mutation resumeTask": { need: "operator", call: ({ id }) => `resumeTask(id: "${id}") { id }` },
  "mutation resumeTaskByKey": {
    need: "operator",
    call: ({ type, key }) => `resumeTaskByKey(type: "${type}", key: "${key}") { id }`,
  },
  "query batch": { need: "viewer", call: ({ id }) => `batch(id: "${id}") { id }` },
  "query batches": { need: "viewer", call: () => "batches { nodes { id } }" },
  "query batchMembers": { need: "viewer", call: ({ id }) => `batchMembers(id: "${id}") { nodes { id } }` },
  "mutation createBatch": {
    need: "operator",
    call: () => `createBatch(input: { tasks: [{ type: "matrix.new", delay: "2h" }] }) { id }`,
  },
  "mutation addBatchMembers": {
    need: "operator",
    call: ({ id }) => `addBatchMembers(id: "${id}", tasks: [{ type: "matrix.new", delay: "2h" }]) { replayed }`,
  },
  "mutation sealBatch": { need: "operator", call: ({ id }) => `sealBatch(id: "${id}") { id }` },
  "mutation cancelBatch": { need: "operator", call: ({ id }) => `cancelBatch(id: "${id}") { id }` },
  "query schedule": { need: "viewer", call: () => `schedule(name: "matrix") { name }` },
  "query schedules": { need: "viewer", call: () => "schedules { nodes { name } }" },
  "mutation putSchedule": {
    need: "operator",
    call: () => `putSchedule(name: "matrix", input: { type: "matrix.yearly", cron: "0 0 1 1 *" }) { outcome }`,
  },
  "mutation pauseSchedule": { need: "operator", call: () => `pauseSchedule(name: "matrix") { name }` },
  "mutation resumeSchedule": { need: "operator", call: () => `resumeSchedule(name: "matrix") { name }` },
  "mutation triggerSchedule": { need: "operator", call: () => `triggerSchedule(name: "matrix") { id }` },
  "mutation backfillSchedule": {
    need: "operator",
    call: () => `backfillSchedule(name: "matrix", from: "${RANGE.from}", to: "${RANGE.to}", dryRun: true) { count }`,
  },
  "mutation cancelBackfill": { need: "operator", call: () => `cancelBackfill(name: "matrix") { name }` },
  "mutation deleteSchedule": { need: "operator", call: () => `deleteSchedule(name: "matrix") { name }` },
};
