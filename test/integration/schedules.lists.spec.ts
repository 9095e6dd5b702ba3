import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplication } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule, type DelaySchedules, type DelayTaskService } from "@tickwheel/nestjs";
import { Client } from "pg";
import type { ApiClient, Problem } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface Page {
  items: { name: string; state: string }[];
  nextCursor: string | null;
  incomplete?: boolean;
}

let postgres: TestPostgres;
let app: INestApplication;
let tasks: DelayTaskService;
let schedules: DelaySchedules;
let api: ApiClient;
let url: string;

/** Schedules of two types: `a` to `f`, of which every second one settles; `b` and `c` are paused, `d` is finished. */
beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase("schedule_lists");
  ({ app, tasks, api } = await hostApi({
    imports: [DelayTaskApiModule.forRoot({ notice: false }), DelayTaskModule.forRoot({ url, heartbeat: "loop" })],
  }));
  ({ schedules } = tasks);
  for (const [index, name] of ["a", "b", "c", "d", "e", "f"].entries())
    await schedules.create({ name, task: index % 2 === 0 ? "order.settle" : "report.send", cron: "0 0 1 1 *" });
  for (const name of ["b", "c"]) await schedules.pause(name);
  await finish("d");
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** As if its last instant had passed. */
async function finish(name: string): Promise<void> {
  const database = new Client({ connectionString: url });
  await database.connect();
  await database.query(
    `UPDATE tickwheel.schedule SET look_at = NULL, planning = (planning::jsonb || '{"isFinished": true}')::json WHERE name = $1`,
    [name],
  );
  await database.end();
}

const cases: [query: string, names: string[]][] = [
  ["", ["a", "b", "c", "d", "e", "f"]],
  ["state=active", ["a", "e", "f"]],
  ["state=paused", ["b", "c"]],
  ["state=finished", ["d"]],
  ["type=order.settle", ["a", "c", "e"]],
  ["state=paused&type=order.settle", ["c"]],
  ["state=finished&type=order.settle", []],
  ["type=nobody.knows.it", []],
  ["namePrefix=a&state=active", ["a"]],
  ["namePrefix=z", []],
];

test.each(cases)(
  "the list of schedules by ?%s over REST has those that are meant, page by page",
  async (query, names) => {
    const whole = await api.get<Page>(`v1/schedules?${query}`);
    expect(whole).toMatchObject({ status: 200, body: { items: names.map((name) => ({ name })), nextCursor: null } });
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: { body: Page } = await api.get<Page>(
        `v1/schedules?limit=1&${query}${cursor && `&cursor=${cursor}`}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(1);
      found.push(...body.items.map(({ name }) => name));
      cursor = body.nextCursor;
    }
    expect(found).toEqual(names);
  },
);

test("the same filters list the same schedules in code and over GraphQL", async () => {
  const { items, next, incomplete } = await schedules.list({ state: "paused", type: "order.settle" });
  expect([items.map(({ name, state }) => [name, state]), next, incomplete]).toEqual([[["c", "paused"]], null, false]);
  expect((await schedules.list({ namePrefix: "c" })).items.map(({ name }) => name)).toEqual(["c"]);
  const { items: active, next: behind } = await schedules.list({ state: "active", limit: 2 });
  expect([active.map(({ name }) => name), behind]).toEqual([["a", "e"], "e"]);
  const query = `{ schedules(first: 1, state: paused, type: "report.send") { nodes { name state } pageInfo { hasNextPage endCursor } incomplete } }`;
  expect((await api.post("graphql", { query })).body).toEqual({
    data: {
      schedules: {
        nodes: [{ name: "b", state: "paused" }],
        pageInfo: { hasNextPage: true, endCursor: "b" },
        incomplete: false,
      },
    },
  });
  const rest = `{ schedules(after: "b", state: paused, type: "report.send") { nodes { name } pageInfo { hasNextPage endCursor } } }`;
  expect((await api.post("graphql", { query: rest })).body).toEqual({
    data: { schedules: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } },
  });
});

test("a look for active schedules that ends early is incomplete, and goes on behind its cursor", async () => {
  const database = new Client({ connectionString: url });
  await database.connect();
  await database.query(
    `INSERT INTO tickwheel.schedule (id, namespace, name, type_id, revision, definition, task_options, created_at, changed_at,
                                     created_by, changed_by, planned_until, settled_until, planning)
     SELECT gen_random_uuid(), namespace, 'b' || lpad(n::text, 4, '0'), type_id, 1, definition, task_options, created_at, changed_at,
            created_by, changed_by, planned_until, settled_until, planning
       FROM tickwheel.schedule, generate_series(1, 1100) AS n WHERE name = 'b'`,
  );
  try {
    const { body } = await api.get<Page>("v1/schedules?state=active&limit=2");
    expect(body).toMatchObject({ items: [{ name: "a" }], nextCursor: "b0998", incomplete: true });
    const { body: rest } = await api.get<Page>("v1/schedules?state=active&limit=3&cursor=b0998");
    expect(rest).toEqual({
      items: [expect.objectContaining({ name: "e" }), expect.objectContaining({ name: "f" })],
      nextCursor: null,
    });
    const query = `{ schedules(first: 2, state: active) { nodes { name } pageInfo { endCursor } incomplete } }`;
    expect((await api.post("graphql", { query })).body).toEqual({
      data: { schedules: { nodes: [{ name: "a" }], pageInfo: { endCursor: "b0998" }, incomplete: true } },
    });
    expect(await schedules.list({ state: "active", limit: 2 })).toMatchObject({ next: "b0998", incomplete: true });
  } finally {
    await database.query("DELETE FROM tickwheel.schedule WHERE name LIKE 'b%' AND name <> 'b'");
    await database.end();
  }
});

test("the list of schedules tells every fault of a bad filter", async () => {
  const { status, body } = await api.get<Problem>("v1/schedules?state=asleep&type=&limit=0&colour=red");
  expect([status, body.code, body.errors?.map(({ path }) => path).toSorted()]).toEqual([
    400,
    "VALIDATION_FAILED",
    ["colour", "limit", "state", "type"],
  ]);
  expect((await api.get<Problem>("v1/schedules?state=active&state=paused")).body.errors).toEqual([
    { path: "state", message: "must be active, paused or finished" },
  ]);
  const bad = { state: "asleep", type: "no type", limit: 0 } as never;
  const faults = await schedules.list(bad).catch((error: { faults: { path: string }[] }) => error.faults);
  expect((faults as { path: string }[]).map(({ path }) => path).toSorted()).toEqual(["limit", "state", "type"]);
  expect((await api.get<Problem>("v1/schedules?type=no%20type")).body.errors).toMatchObject([{ path: "type" }]);
  const query = `{ schedules(state: asleep) { incomplete } }`;
  expect((await api.post("graphql", { query })).body).toMatchObject({ errors: [{ message: expect.any(String) }] });
  const { body: long } = await api.post("graphql", {
    query: `{ schedules(type: "${"x".repeat(129)}") { nextCursor } }`,
  });
  expect(long).toMatchObject({ errors: [{ extensions: { code: "VALIDATION_FAILED" } }] });
});
