import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiApplication, type Platform } from "../support/api-application.js";
import type { Problem, TaskBody } from "../support/api-client.js";
import { type Call, FIELDS, ROUTES } from "./authorisation.calls.js";
import { allCallers, type Caller, LOG_OUT, mayCall, type NamedCaller, refusalOf } from "./authorisation.callers.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const KEYED = /^\/v1\/tasks\/(cancel|pause|resume)$/;

/** Tests of an application on this platform: who may call what, for every kind of caller and every call. */
export function testAuthorisation(platform: Platform): void {
  let postgres: OwnPostgres;
  let app: ApiApplication;
  let callers: NamedCaller[];

  beforeAll(async () => {
    postgres = await OwnPostgres.start({ settings: { fsync: false } });
    app = await ApiApplication.start(platform, await postgres.createDatabase("authorisation"));
    callers = await allCallers(app);
  });
  afterAll(async () => {
    await app?.stop();
    await postgres?.stop();
  });

  test("authorisation is declared for every route and every field", async () => {
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
      const tasks = await OwnTasks.make(app, callers.length);
      for (const [index, named] of callers.entries())
        if (await calledRoute(named, [route, call], tasks.all[index]!)) tasks.mustStay(index);
      await tasks.expectAsBefore();
    },
  );

  test.each(Object.entries(FIELDS))("%s answers callers who may, and shows no foreign task", async (field, call) => {
    const known = callers.filter(([, { role, isForged }]) => role !== null && !isForged);
    const tasks = await OwnTasks.make(app, known.length);
    for (const [index, named] of known.entries())
      if (await calledField(named, [field, call], tasks.all[index]!)) tasks.mustStay(index);
    await tasks.expectAsBefore();
  });
}

type Field = (typeof FIELDS)[string];

/** Asks for one field about the caller's task. @returns whether the task must be as before */
async function calledField(
  [name, caller]: NamedCaller,
  [field, { need, call }]: [string, Field],
  task: TaskBody,
): Promise<boolean> {
  const [kind] = field.split(" ");
  const { data, errors = [], code } = await caller.client.graphql<object>(`${kind} { ${call(task)} }`);
  // A viewer's mutation is refused before its document is read.
  const codes = code === undefined ? errors.map(({ extensions }) => extensions?.code) : [code];
  if (!mayCall(caller, need)) expect({ name, codes }).toEqual({ name, codes: ["FORBIDDEN"] });
  else expect({ name, codes }).not.toEqual({ name, codes: expect.arrayContaining(["FORBIDDEN", "INTERNAL"]) });
  if (caller.isForeign) expect(JSON.stringify(data ?? null)).not.toContain(task.id);
  return caller.isForeign === true || !mayCall(caller, need);
}

/** Makes one call about the caller's task. @returns whether the task must be as before */
async function calledRoute(
  [name, caller]: NamedCaller,
  [route, call]: [string, Call],
  task: TaskBody,
): Promise<boolean> {
  const [method, path] = route.split(" ") as [string, string];
  const client = await clientFor(route, caller);
  const answer = await client.send<Problem>(
    method,
    path.replace(":id", task.id).replace("/queues/:type", `/queues/${task.type}`),
    {
      body: call.body && JSON.stringify(call.body(task)),
      headers: caller.authorization === undefined ? {} : { authorization: caller.authorization },
    },
  );
  const told = { name, status: answer.status, code: answer.body?.code };
  const refusal = refusalOf(caller, route, call.need);
  if (refusal) expect(told).toEqual({ name, ...refusal });
  else {
    expect([401, 403, 500, 503]).not.toContain(told.status);
    const [, notFound] = NOT_FOUND.find(([begin]) => path.startsWith(begin))!;
    if (caller.isForeign && (path.includes(":id") || KEYED.test(path)))
      expect(told).toEqual({ name, status: 404, code: notFound });
  }
  const mustStay = caller.isForeign === true || refusal !== null;
  if (mustStay) expect(JSON.stringify(answer.body ?? null)).not.toContain(PAYLOAD);
  return mustStay;
}

/** The payload of tasks that must not be shown. */
const PAYLOAD = "what the matrix hides";

/** What is told of a thing of another namespace, by the beginning of the address. */
const NOT_FOUND = [
  ["/v1/batches", "BATCH_NOT_FOUND"],
  ["/v1/operations", "OPERATION_NOT_FOUND"],
  ["/v1/api-keys", "KEY_NOT_FOUND"],
  ["/v1/sessions", "SESSION_NOT_FOUND"],
  ["", "TASK_NOT_FOUND"],
] as const;

/** A log-out is a session's own: else it would be over for the calls after this one. */
function clientFor(
  route: string,
  { client, isSession, isForged, again }: Caller,
): Caller["client"] | Promise<Caller["client"]> {
  return route === LOG_OUT && isSession && !isForged ? again!() : client;
}

/** Tasks of one call, one for each caller. They are made at once and looked at once: so a call costs one request. */
class OwnTasks {
  private static made = 0;
  private readonly staying: TaskBody[] = [];

  private constructor(
    private readonly app: ApiApplication,
    private readonly tag: string,
    readonly all: readonly TaskBody[],
  ) {}

  static async make(app: ApiApplication, count: number): Promise<OwnTasks> {
    const tag = `call ${OwnTasks.made++}`;
    const tasks = Array.from({ length: count }, (_, index) => ({
      type: "matrix.own",
      key: `own ${tag} ${index}`,
      delay: "1h",
      payload: PAYLOAD,
      tags: [tag],
    }));
    const { status, body } = await app.admin.post<{ results: { task: TaskBody }[] }>("/v1/tasks/bulk", { tasks });
    expect([status, body.results.length]).toEqual([200, count]);
    return new OwnTasks(
      app,
      tag,
      body.results.map(({ task }) => task),
    );
  }

  /** This one must not be changed by its call. */
  mustStay(index: number): void {
    this.staying.push(this.all[index]!);
  }

  async expectAsBefore(): Promise<void> {
    const path = `/v1/tasks?limit=200&tag=${encodeURIComponent(this.tag)}`;
    const { items } = (await this.app.admin.get<{ items: TaskBody[] }>(path)).body;
    const now = new Map(items.map((task) => [task.id, task]));
    for (const task of this.staying) expect(now.get(task.id)).toMatchObject(task);
  }
}
