import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Role } from "@tickwheel/core";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type Problem, type TaskBody } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";

/** The right that a call needs; public: not even a key; session: the page's, whatever its key may. */
type Need = "public" | Role | "cluster" | "session";

interface Call {
  need: Need;
  /** Of a task: whose it is. */
  body?: (task: TaskBody) => unknown;
}

const WHEN = { delay: "2h" };
const newTask = (): object => ({ type: "matrix.new", ...WHEN });

const RANGE = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
const YEARLY = { type: "matrix.yearly", cron: "0 0 1 1 *" };

/** Every route of the application. A new one that is not here fails the test. */
const ROUTES: Readonly<Record<string, Call>> = {
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
const FIELDS: Readonly<Record<string, { need: Need; call: (task: TaskBody) => string }>> = {
  "query task": { need: "viewer", call: ({ id }) => `task(id: "${id}") { id }` },
  "query tasks": { need: "viewer", call: ({ key }) => `tasks(filter: { key: "${key}" }) { edges { node { id } } }` },
  "query stats": { need: "viewer", call: () => "stats { dueNow }" },
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
  "query batchMembers": { need: "viewer", call: ({ id }) => `batchMembers(id: "${id}") { edges { node { id } } }` },
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

interface Caller {
  client: ApiClient;
  /** Null: no key. */
  role: Role | null;
  cluster?: boolean;
  isForeign?: boolean;
  authorization?: string;
  /** Has the page's session in place of a key. */
  isSession?: boolean;
  /** Logs in once more. */
  again?: () => Promise<ApiClient>;
  /** And not its CSRF token. */
  isForged?: boolean;
}

const LOG_IN = "POST /v1/session";
const LOG_OUT = "DELETE /v1/session";

/** Why a call is to be refused before it is known what it does; null: it is not. */
function refusalOf(caller: Caller, route: string, need: Need): { status: number; code: string } | null {
  if (need !== "public" && caller.role === null) return { status: 401, code: "UNAUTHENTICATED" };
  if (need === "session" && !caller.isSession) return { status: 401, code: "UNAUTHENTICATED" };
  if (caller.isForged && !route.startsWith("GET ") && route !== LOG_IN)
    return { status: 403, code: "CSRF_TOKEN_INVALID" };
  return mayCall(caller, need) ? null : { status: 403, code: "FORBIDDEN" };
}

const RANKS: readonly Need[] = ["public", "viewer", "operator", "admin"];

function mayCall({ role, cluster = false, isSession = false }: Caller, need: Need): boolean {
  if (need === "session") return isSession;
  if (need === "cluster") return cluster;
  return RANKS.indexOf(role ?? "public") >= RANKS.indexOf(need);
}

let postgres: PostgresService;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("the authorisation of every call on %s", (platform) => {
  let app: ApiApplication;
  let callers: [name: string, caller: Caller][];

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`authorisation_${platform}`));
    const nobody = { client: new ApiClient(app.url, null), role: null };
    const strangers = ["Bearer", "Bearer short", "Basic dXNlcjpwYXNz", `Bearer ${newTestKey()}`, "Bearer a\tb"];
    const expired = await app.clientAs({ role: "admin", cluster: true, expiresAt: Date.now() - 1_000 });
    const madeUp = `tickwheel_session=tws_${"x".repeat(43)}`;
    callers = [
      ["no key", nobody],
      ...strangers.map((authorization): [string, Caller] => [authorization, { ...nobody, authorization }]),
      ["an expired key", { client: expired, role: null }],
      ["a made-up session", { client: new ApiClient(app.url, null, { cookie: madeUp }), role: null }],
    ];
    const namespaces = ["default", "foreign"];
    const kinds = (["viewer", "operator", "admin"] as const).flatMap((role) =>
      namespaces.flatMap((namespace) => [false, true].map((cluster) => ({ role, namespace, cluster }))),
    );
    for (const { role, namespace, cluster } of kinds) {
      const client = await app.clientAs({ role, namespace, cluster });
      const name = `${role} of ${namespace}${cluster ? " with the right cluster" : ""}`;
      const rights = { role, cluster, isForeign: namespace === "foreign" };
      callers.push([name, { client, ...rights }]);
      // A session has its key's rights, so of another namespace one role stands for all.
      if (namespace === "foreign" && role !== "admin") continue;
      const session = await client.logIn();
      const again = (): Promise<ApiClient> => client.logIn();
      callers.push([`session of ${name}`, { client: session, ...rights, isSession: true, again }]);
    }
    const forging = (await app.admin.logIn()).without("x-csrf-token");
    const rights = { role: "admin", cluster: true, isSession: true, isForged: true } as const;
    callers.push(["a request that was forged in an administrator's session", { client: forging, ...rights }]);
  });
  afterAll(() => app.stop());

  let tasks = 0;
  const ownTask = (): Promise<TaskBody> =>
    app.admin.schedule({ type: "matrix.own", key: `own ${tasks++}`, delay: "1h", payload: "secret" });
  const isAsBefore = async (task: TaskBody): Promise<void> =>
    expect((await app.admin.get<TaskBody>(`/v1/tasks/${task.id}`)).body).toMatchObject(task);

  test("is declared here for every route and every field", async () => {
    const known = Object.keys(ROUTES).sort();
    expect([...new Set(app.routes())].sort()).toEqual(known);
    const roots = "{ __schema { queryType { fields { name } } mutationType { fields { name } } } }";
    const { data } = await app.admin.graphql<{ __schema: Record<string, { fields: { name: string }[] }> }>(roots);
    const fieldsOf = (kind: string): string[] =>
      data.__schema[`${kind}Type`]!.fields.map(({ name }) => `${kind} ${name}`);
    expect([...fieldsOf("query"), ...fieldsOf("mutation")].sort()).toEqual(Object.keys(FIELDS).sort());
  });

  test.each(Object.entries(ROUTES))(
    "%s accepts callers with the right, and shows no task of another namespace",
    async (route, call) => {
      const [method, path] = route.split(" ") as [string, string];
      for (const [name, caller] of callers) {
        const task = await ownTask();
        const { authorization } = caller;
        // Else the session would be over for the calls after this one.
        const isLogOut = route === LOG_OUT && caller.isSession && !caller.isForged;
        const client = isLogOut ? await caller.again!() : caller.client;
        const answer = await client.send<Problem>(method, path.replace(":id", task.id), {
          body: call.body && JSON.stringify(call.body(task)),
          headers: authorization === undefined ? {} : { authorization },
        });
        const told = { name, status: answer.status, code: answer.body?.code };
        const refusal = refusalOf(caller, route, call.need);
        if (refusal) expect(told).toEqual({ name, ...refusal });
        else {
          expect([401, 403, 500, 503]).not.toContain(told.status);
          const isOfTask = path.includes(":id") || /^\/v1\/tasks\/(cancel|pause|resume)$/.test(path);
          const notFound = path.startsWith("/v1/batches") ? "BATCH_NOT_FOUND" : "TASK_NOT_FOUND";
          if (isOfTask && caller.isForeign) expect(told).toEqual({ name, status: 404, code: notFound });
        }
        if (caller.isForeign || refusal) {
          await isAsBefore(task);
          expect(JSON.stringify(answer.body ?? null)).not.toContain("secret");
        }
      }
    },
  );

  test.each(Object.entries(FIELDS))(
    "%s answers whoever may, and shows no foreign task",
    async (field, { need, call }) => {
      const [kind] = field.split(" ");
      for (const [name, caller] of callers.filter(([, { role, isForged }]) => role !== null && !isForged)) {
        const task = await ownTask();
        const { data, errors = [] } = await caller.client.graphql<object>(`${kind} { ${call(task)} }`);
        const codes = errors.map(({ extensions }) => extensions?.code);
        if (!mayCall(caller, need)) expect({ name, codes }).toEqual({ name, codes: ["FORBIDDEN"] });
        else expect({ name, codes }).not.toEqual({ name, codes: expect.arrayContaining(["FORBIDDEN", "INTERNAL"]) });
        if (caller.isForeign) expect(JSON.stringify(data ?? null)).not.toContain(task.id);
        if (caller.isForeign || !mayCall(caller, need)) await isAsBefore(task);
      }
    },
  );
});
