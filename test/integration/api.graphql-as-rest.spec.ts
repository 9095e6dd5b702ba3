import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sdlOf } from "@tickwheel/contract/documents";
import { GROUPS } from "@tickwheel/contract/operations";
import { buildSchema, getNamedType, type GraphQLOutputType, isObjectType } from "graphql";
import { ApiApplication } from "../support/api-application.js";
import type { TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

// What GraphQL answers is what REST answers: every field of it, of the same thing.

const ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057";
const SCHEMA = buildSchema(sdlOf(GROUPS));
/** When it was counted or looked: of each answer its own. */
const MOMENTS = ["at", "countedAt", "to"];

type Tree = Record<string, unknown>;

let postgres: TestPostgres;
let app: ApiApplication;

beforeAll(async () => {
  postgres = await startTestPostgres();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("graphql_as_rest"));
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

/** All fields of a type, and of those within. */
function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  return `{ ${Object.values(named.getFields())
    .map((field) => `${field.name} ${selectionOf(field.type)}`)
    .join(" ")} }`;
}

/** The codes of the errors, or a field's answer with all that it can tell. @param given the arguments, if any */
async function ask<Answer = Tree>(kind: "query" | "mutation", name: string, given = ""): Promise<Answer> {
  const { type } = (kind === "query" ? SCHEMA.getQueryType() : SCHEMA.getMutationType())!.getFields()[name]!;
  const query = `${kind} { ${name}${given && `(${given})`} ${selectionOf(type)} }`;
  const { data, errors } = await app.admin.graphql<Record<string, Answer>>(query);
  return errors ? (errors.map(({ extensions }) => extensions?.code) as Answer) : data[name]!;
}

async function rest<Answer = Tree>(path: string): Promise<Answer> {
  const { status, body } = await app.admin.get<Answer>(path);
  expect(status).toBe(200);
  return body;
}

/** Where REST leaves out a field, GraphQL has null. */
function known<Answer>(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer, (_name, value: unknown) => (value === null ? undefined : value))) as Answer;
}

/** A connection as the page that REST has. */
function pageOf({ nodes, pageInfo, incomplete, ...beside }: Tree): Tree {
  const { endCursor: nextCursor, hasNextPage } = pageInfo as { endCursor: string | null; hasNextPage: boolean };
  expect([incomplete, hasNextPage]).toEqual([false, nextCursor !== null]);
  return { ...beside, items: nodes, nextCursor };
}

/** The same without the instant at which it was looked, and without what only a task's own address tells. */
function lasting(answer: Tree): Tree {
  const apart = [...MOMENTS, "checkpoint", "progress", "because"];
  return known(Object.fromEntries(Object.entries(answer).filter(([name]) => !apart.includes(name))));
}

/** Figures move: a second look may be needed until both are of one moment. */
async function expectSame(field: () => Promise<Tree>, path: string): Promise<void> {
  await eventually(async () => expect(lasting(await field())).toEqual(lasting(await rest(path))));
}

const create = async (more: object = {}): Promise<TaskBody> =>
  (await app.admin.post<TaskBody>("/v1/tasks", { type: "test.later", delay: "1h", ...more })).body;

test("GraphQL tells the counts of the tabs and a task's journal as REST does", async () => {
  const { id } = await create();
  await app.admin.post(`/v1/tasks/${id}/pause`);
  await expectSame(() => ask("query", "taskCounts"), "/v1/tasks/counts");
  const journal = await rest(`/v1/tasks/${id}/journal?limit=1`);
  const first = pageOf(await ask("query", "taskJournal", `id: "${id}", first: 1`));
  expect(known(first)).toEqual(known(journal));
  expect(first["nextCursor"]).not.toBeNull();
  const second = pageOf(await ask("query", "taskJournal", `id: "${id}", after: "${String(first["nextCursor"])}"`));
  expect(known(second)).toEqual(known(await rest(`/v1/tasks/${id}/journal?cursor=${String(first["nextCursor"])}`)));
  expect(await ask("query", "taskJournal", `id: "${ABSENT}"`)).toEqual(["TASK_NOT_FOUND"]);
  expect(await ask("query", "taskJournal", `id: "${id}", first: 0`)).toEqual(["VALIDATION_FAILED"]);
});

test("a cancellation by key over GraphQL has an outcome for every case, as over REST", async () => {
  const key = randomUUID();
  const { id } = await create({ key });
  const cancelled = await ask<{ outcome: string; task: Tree }>("mutation", "cancelTaskByKey", naming(key));
  expect(cancelled.outcome).toBe("cancelled");
  expect(lasting(cancelled.task)).toEqual(lasting(await rest(`/v1/tasks/${id}`)));
  const none = { outcome: "not_found", task: null };
  expect(await ask("mutation", "cancelTaskByKey", naming(randomUUID()))).toEqual(none);
});

const naming = (key: string): string => `type: "test.later", key: "${key}"`;

test("many tasks are cancelled and retried over GraphQL as over REST, and each has its outcome", async () => {
  const ids = [(await create()).id, ABSENT, (await create()).id];
  const list = `ids: ${JSON.stringify(ids)}`;
  const cancelled = await ask("mutation", "cancelTasks", list);
  expect(known(cancelled)).toEqual(known((await app.admin.post<Tree>("/v1/tasks/bulk/cancel", { ids })).body));
  expect(JSON.stringify(cancelled)).toContain("not_found");
  type Items = { results: { id: string; outcome: string; task: Tree | null }[] };
  const { results } = await ask<Items>("mutation", "retryTasks", list);
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    [ids[0], "scheduled"],
    [ABSENT, "not_found"],
    [ids[2], "scheduled"],
  ]);
  const again = await ask<Items>("mutation", "retryTasks", list);
  expect(known(again)).toEqual(known((await app.admin.post<Tree>("/v1/tasks/bulk/retry", { ids })).body));
});

test("GraphQL makes a schedule, and tells its runs and next instants as REST does", async () => {
  const name = "as-rest";
  const input = `name: "${name}", type: "test.echo", cron: "0 3 * * *", timeZone: "Europe/Berlin"`;
  const made = await ask("mutation", "createSchedule", `input: { ${input} }`);
  expect(known(made)).toEqual(known(await rest(`/v1/schedules/${name}`)));
  expect(await ask("mutation", "createSchedule", `input: { ${input} }`)).toEqual(["SCHEDULE_EXISTS"]);
  const asked = `name: "${name}", count: 3, from: "2030-03-30T12:00:00Z"`;
  const preview = await ask<{ items: Tree[] }>("query", "schedulePreview", asked);
  expect(preview.items).toHaveLength(3);
  expect(preview).toEqual(await rest(`/v1/schedules/${name}/preview?count=3&from=2030-03-30T12:00:00Z`));
  const triggered = expect.objectContaining({ kind: "trigger", outcome: "succeeded" });
  await app.admin.post(`/v1/schedules/${name}/trigger`, {});
  const runs = async (): Promise<Tree> => pageOf(await ask("query", "scheduleRuns", `name: "${name}", first: 5`));
  await eventually(async () => expect((await runs())["items"]).toContainEqual(triggered));
  await expectSame(runs, `/v1/schedules/${name}/runs?limit=5`);
  expect(await ask("query", "scheduleRuns", `name: "absent"`)).toEqual(["SCHEDULE_NOT_FOUND"]);
});

test("GraphQL tells the cluster's events and the minute to come as REST does", async () => {
  await create({ delay: "50s" });
  const events = async (): Promise<Tree> =>
    pageOf(await ask("query", "clusterEvents", `filter: { kind: ["JOINED", "TERM"] }, first: 1`));
  await eventually(async () => expect((await events())["items"]).toHaveLength(1));
  await expectSame(events, "/v1/cluster/events?kind=JOINED,TERM&limit=1");
  await expectSame(() => ask("query", "clusterWheel"), "/v1/cluster/wheel");
});

test("GraphQL tells findings, types, the past and the time to come as REST does", async () => {
  await create({ type: "test.fail", delay: 0 });
  await create({ type: "test.echo" });
  await expectSame(() => ask("query", "findings"), "/v1/findings");
  await expectSame(async () => pageOf(await ask("query", "types", "first: 1")), "/v1/types?limit=1");
  await expectSame(
    () => ask("query", "history", `range: "24h", type: "test.fail"`),
    "/v1/stats/history?range=24h&type=test.fail",
  );
  await expectSame(() => ask("query", "forecast", `ahead: "24h"`), "/v1/stats/forecast?ahead=24h");
  expect(await ask("query", "history", `range: "2h"`)).toEqual(["VALIDATION_FAILED"]);
});

test("GraphQL tells what payloads of a type must be as REST does, and null for a type that nobody knows", async () => {
  await create({ type: "test.echo" });
  expect(await ask("query", "type", `type: "test.echo"`)).toEqual(await rest("/v1/types/test.echo"));
  expect(await ask("query", "type", `type: "nobody.knows"`)).toBeNull();
});

test("GraphQL tells how the namespace stands as REST does", async () => {
  expect(await ask("query", "namespace")).toEqual(await rest("/v1/namespace"));
});
