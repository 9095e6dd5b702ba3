import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TASK_TABS } from "@tickwheel/core";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, Problem, TaskBody } from "../support/api-client.js";
import { DocumentedClient } from "../support/documented-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface Page {
  items: TaskBody[];
  nextCursor: string | null;
}
type Counts = Record<string, { count: number; atLeast?: true }> & { countedAt: string };
const FIND = `query ($filter: TaskFilter) { tasks(filter: $filter) { nodes { id } } }`;

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("tabs on %s", (platform) => {
  let app: ApiApplication;
  let api: ApiClient;
  let ids: string[];

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`tabs_${platform}`));
    api = await DocumentedClient.of(app);
    ids = [];
    for (const delay of ["3h", "1h", "2h"])
      ids.push((await api.post<TaskBody>("/v1/tasks", { type: "test.later", delay })).body.id);
  });
  afterAll(() => app.stop());

  const find = async (search: string): Promise<Page> => {
    const { status, body } = await api.get<Page>(`/v1/tasks?${search}`);
    expect(status).toBe(200);
    return body;
  };

  test("a tab of tasks is listed in its own order, page by page", async () => {
    const first = await find("tab=scheduled&limit=2");
    expect(first.items.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
    const second = await find(`tab=scheduled&limit=2&cursor=${first.nextCursor}`);
    expect([second.items.map(({ id }) => id), second.nextCursor]).toEqual([[ids[0]], null]);
    for (const tab of TASK_TABS.filter((each) => each !== "scheduled"))
      expect((await find(`tab=${tab}`)).items).toEqual([]);
  });

  test("filters of a tab that contradict each other, and a cursor of another list, are named", async () => {
    const query = `tab=finished&state=paused&live=true&cursor=${ids[0]}&dueFrom=2026-11-21T08:00:00Z&dueTo=2026-11-21T08:00:00Z`;
    const { status, body } = await api.get<Problem>(`/v1/tasks?${query}`);
    expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(body.errors!.map(({ path }) => path).sort()).toEqual(["cursor", "dueTo", "live", "state"]);
  });

  test("the counts of the tabs are answered before any task's id", async () => {
    const { status, body } = await api.get<Counts>("/v1/tasks/counts");
    expect(status).toBe(200);
    const { countedAt, ...counts } = body;
    expect(Date.parse(countedAt)).not.toBeNaN();
    expect(counts).toEqual({
      ...Object.fromEntries(TASK_TABS.map((tab) => [tab, { count: 0 }])),
      scheduled: { count: 3 },
    });
    expect((await api.get("/v1/tasks/counts?tab=dead")).status).toBe(400);
  });

  test("GraphQL takes the filters of a list of tasks", async () => {
    const created = (await api.get<TaskBody>(`/v1/tasks/${ids[0]}`)).body.createdAt;
    const found = async (filter: object): Promise<string[]> => {
      const { data } = await api.graphql<{ tasks: { nodes: { id: string }[] } }>(FIND, { filter });
      return data!.tasks.nodes.map(({ id }) => id);
    };
    expect(await found({ createdFrom: created })).toEqual([...ids].reverse());
    expect(await found({ createdTo: created })).toEqual([]);
    expect(await found({ node: "10.0.0.9:9" })).toEqual([]);
    expect(await found({ error: "busy" })).toEqual([]);
  });
});
