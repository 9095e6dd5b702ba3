import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, Problem, TaskBody } from "../support/api-client.js";
import { DocumentedClient } from "../support/documented-client.js";

const TAGS = ["shop:7", 'say "hi", ž 😀'];
const SCHEDULE = `mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome task { id tags } } }`;
const SCHEDULE_MANY = `mutation ($inputs: [TaskInput!]!) {
  scheduleTasks(inputs: $inputs) { status task { tags } error { code errors { path } } }
}`;
const FIND = `query ($filter: TaskFilter, $first: Int, $after: String) {
  tasks(filter: $filter, first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}`;

interface Item {
  status: string;
  task?: TaskBody | null;
  error?: Problem | null;
}
interface Page {
  items: TaskBody[];
  nextCursor: string | null;
}
interface Connection {
  tasks: { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}
type Refusals = { extensions: { code: string; errors: { path: string }[] } }[];

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("tags on %s", (platform) => {
  let app: ApiApplication;
  let api: ApiClient;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`tags_${platform}`));
    api = await DocumentedClient.of(app);
  });
  afterAll(() => app.stop());

  const input = (more: object = {}): object => ({ type: "test.later", delay: "1h", ...more });
  const get = async (id: string): Promise<string[]> => (await api.get<TaskBody>(`/v1/tasks/${id}`)).body.tags;

  /** The ids of all pages of a list. */
  async function listed(search: string): Promise<string[]> {
    const ids: string[] = [];
    let place = "";
    for (let pages = 0; pages < 50; pages++) {
      const { status, body } = await api.get<Page>(`/v1/tasks?${search}${place}`);
      expect(status).toBe(200);
      ids.push(...body.items.map(({ id }) => id));
      if (body.nextCursor === null) return ids.sort();
      place = `&cursor=${body.nextCursor}`;
    }
    throw new Error("the pages never end");
  }

  test("REST keeps tags in their order, and shows none as an empty list", async () => {
    const task = await api.schedule(input({ tags: TAGS }));
    expect([task.tags, await get(task.id)]).toEqual([TAGS, TAGS]);
    for (const tags of [undefined, null, []]) {
      const plain = await api.schedule(input({ tags }));
      expect([plain.tags, await get(plain.id)]).toEqual([[], []]);
    }
  });

  test("a bulk keeps the tags of each item", async () => {
    const given = [TAGS, undefined, [], ["other"], TAGS];
    const created = await api.scheduleMany(given.map((tags) => input({ tags })));
    const expected = given.map((tags = []) => tags);
    expect(created.map(({ tags }) => tags)).toEqual(expected);
    expect(await Promise.all(created.map(({ id }) => get(id)))).toEqual(expected);
  });

  test("GraphQL keeps tags as REST does, one by one and many; one text is a list of one", async () => {
    const one = await api.graphql<{ scheduleTask: { task: TaskBody } }>(SCHEDULE, { input: input({ tags: TAGS }) });
    expect(one.data.scheduleTask.task.tags).toEqual(TAGS);
    expect(await get(one.data.scheduleTask.task.id)).toEqual(TAGS);
    const inputs = [TAGS, undefined, null, "vip"].map((tags) => input({ tags }));
    const many = await api.graphql<{ scheduleTasks: Item[] }>(SCHEDULE_MANY, { inputs });
    expect(many.data.scheduleTasks.map(({ task }) => task?.tags)).toEqual([TAGS, [], [], ["vip"]]);
  });

  test("a cancelled task keeps its tags, also once it is scheduled again", async () => {
    const { id } = await api.schedule(input({ tags: TAGS }));
    expect((await api.delete<{ task: TaskBody }>(`/v1/tasks/${id}`)).body.task.tags).toEqual(TAGS);
    expect((await api.post<TaskBody>(`/v1/tasks/${id}/retry`)).body.tags).toEqual(TAGS);
  });

  test.each<[string, unknown, string[]]>([
    ["a text", "vip", ["tags"]],
    ["an object", { 0: "vip" }, ["tags"]],
    ["seventeen", Array.from({ length: 17 }, (_, index) => `${index}`), ["tags"]],
    ["an empty one", ["a", ""], ["tags[1]"]],
    ["one of 65 characters", ["x".repeat(65)], ["tags[0]"]],
    ["a number", ["a", 7], ["tags[1]"]],
    ["null", [null], ["tags[0]"]],
    ["a NUL", ["a\0"], ["tags[0]"]],
    ["half a character", ["a", "b", "\ud800"], ["tags[2]"]],
    ["one twice", ["a", "b", "a", "a"], ["tags[2]", "tags[3]"]],
    ["1,025 bytes", ["x".repeat(9), ...Array.from({ length: 8 }, (_, index) => `${index}${"ž".repeat(63)}`)], ["tags"]],
  ])("REST and a bulk refuse as tags %s by its path", async (_name, tags, paths) => {
    const one = await api.post<Problem>("/v1/tasks", input({ tags }));
    expect([one.status, one.body.code, one.body.errors.map(({ path }) => path)]).toEqual([
      400,
      "VALIDATION_FAILED",
      paths,
    ]);
    const { body } = await api.post<{ results: Item[] }>("/v1/tasks/bulk", { tasks: [input({ tags }), input()] });
    expect(body.results.map(({ status }) => status)).toEqual(["rejected", "created"]);
    expect(body.results[0]!.error!.errors.map(({ path }) => path)).toEqual(paths.map((path) => `tasks[0].${path}`));
  });

  test.each<[unknown, string[]]>([
    [["a", ""], ["tags[1]"]],
    [["a", "a"], ["tags[1]"]],
    [
      ["a\0", "\ud800"],
      ["tags[0]", "tags[1]"],
    ],
    [Array.from({ length: 17 }, (_, index) => `${index}`), ["tags"]],
  ])("GraphQL refuses as tags %j by its path", async (tags, paths) => {
    const { errors } = await api.graphql(SCHEDULE, { input: input({ tags }) });
    const [refusal] = errors as unknown as Refusals;
    expect(refusal!.extensions.code).toBe("VALIDATION_FAILED");
    expect(refusal!.extensions.errors.map(({ path }) => path)).toEqual(paths);
    const { data } = await api.graphql<{ scheduleTasks: Item[] }>(SCHEDULE_MANY, {
      inputs: [input(), input({ tags })],
    });
    expect(data.scheduleTasks.map(({ status }) => status)).toEqual(["created", "rejected"]);
    expect(data.scheduleTasks[1]!.error!.errors.map(({ path }) => path)).toEqual(
      paths.map((path) => `tasks[1].${path}`),
    );
  });

  test("an idempotency key's body counts with its tags", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const statusOf = async (tags: unknown): Promise<number> =>
      (await api.post("/v1/tasks", input({ tags }), headers)).status;
    expect([await statusOf(TAGS), await statusOf(TAGS), await statusOf([...TAGS].reverse())]).toEqual([201, 201, 422]);
  });

  test("a list by a tag has its tasks and no others, page by page, by REST and GraphQL alike", async () => {
    const tag = `Ž & ${randomUUID()}`;
    const type = `test.${platform}`;
    const tasks = Array.from({ length: 9 }, (_, index) => ({
      ...input({ type: index < 3 ? "test.later" : type }),
      tags: index % 3 === 0 ? undefined : ["x", tag],
    }));
    const created = await api.scheduleMany(tasks);
    await api.delete(`/v1/tasks/${created[1]!.id}`);
    const idsOf = (places: number[]): string[] => places.map((place) => created[place]!.id).sort();
    const search = `tag=${encodeURIComponent(tag)}&limit=2`;
    expect(await listed(search)).toEqual(idsOf([1, 2, 4, 5, 7, 8]));
    expect(await listed(`${search}&type=${type}`)).toEqual(idsOf([4, 5, 7, 8]));
    expect(await listed(`${search}&state=cancelled`)).toEqual(idsOf([1]));
    expect(await listed(`${search}&tag=x&not.tag=y`)).toEqual(idsOf([1, 2, 4, 5, 7, 8]));
    expect(await listed(`${search}&tag=y`)).toEqual([]);
    expect(await listed(`tag=${randomUUID()}`)).toEqual([]);
    const found: string[] = [];
    let info: Connection["tasks"]["pageInfo"] = { hasNextPage: true, endCursor: null };
    while (info.hasNextPage) {
      const variables = { filter: { tag, type }, first: 3, after: info.endCursor };
      const { tasks: page } = (await api.graphql<Connection>(FIND, variables)).data;
      found.push(...page.nodes.map(({ id }) => id));
      info = page.pageInfo;
    }
    expect(found.sort()).toEqual(idsOf([4, 5, 7, 8]));
  });

  test.each(["tag=", `tag=${"x".repeat(65)}`, "tag=%00", `tag=a${"&tag=b".repeat(8)}`, "tag[]=a"])(
    "a list of tasks by a tag refuses the filter %s",
    async (search) => {
      const { status, body } = await api.get<Problem>(`/v1/tasks?${search}`);
      expect([status, body.errors.map(({ path }) => path.slice(0, 3))]).toEqual([400, ["tag"]]);
    },
  );
});
