import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { TaskBody } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const MIB = 1_048_576;
/** What a page reaches, and the task that reaches it, and what is short of each. */
const LONGEST_PAGE = 2.2 * MIB;
const LATER = { type: "test.later", delay: "1h" };
/** Almost the longest payload, and so uniform that Postgres compresses it to a few bytes. */
const payload = "x".repeat(65_000);
const TASKS = 80;

interface Page {
  items: TaskBody[];
  nextCursor: string | null;
}
interface Bulk {
  results: { index: number; status: string; reduced?: true; task: Partial<TaskBody> }[];
}
interface Connection {
  nodes: Partial<TaskBody>[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}
interface Result {
  data: Record<string, Connection | null> | null;
  errors?: { path?: string[]; extensions: { code: string } }[];
}

let postgres: TestPostgres;
let app: ApiApplication;
let created: string[];

beforeAll(async () => {
  postgres = await startTestPostgres();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("long_answers"));
  const tasks = await app.admin.scheduleMany(Array.from({ length: TASKS }, () => ({ ...LATER, payload })));
  created = tasks
    .map(({ id }) => id!)
    .toSorted()
    .toReversed();
});
afterAll(async () => {
  await app?.stop();
  await postgres.stop();
});

const lengthOf = (body: unknown): number => JSON.stringify(body).length;
const run = async (query: string): Promise<Result> => (await app.admin.post<Result>("/graphql", { query })).body;

test("a page of tasks ends at two megabytes, and the cursor continues after its last task", async () => {
  const found: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor && `&cursor=${cursor}`;
    const { body }: { body: Page } = await app.admin.get<Page>(`/v1/tasks?limit=200${after}`);
    expect(lengthOf(body)).toBeLessThan(LONGEST_PAGE);
    found.push(...body.items.map(({ id }) => id));
    sizes.push(body.items.length);
    cursor = body.nextCursor;
  }
  expect(found).toEqual(created);
  expect(sizes).toEqual([32, 32, 16]);
});

test("a bulk's answer shows two megabytes of payloads, and further tasks without them", async () => {
  const item = { ...LATER, key: "one", onConflict: "return", payload };
  const { status, body } = await app.admin.post<Bulk>("/v1/tasks/bulk", {
    tasks: Array.from({ length: 100 }, () => item),
  });
  expect(status).toBe(200);
  expect(lengthOf(body)).toBeLessThan(LONGEST_PAGE);
  expect(body.results.map((result) => result.status)).toEqual([
    "created",
    ...Array.from({ length: 99 }, () => "existing"),
  ]);
  const first = body.results[0]!;
  const last = body.results[99]!;
  expect(first.task.payload).toBe(payload);
  expect(first).not.toHaveProperty("reduced");
  expect(last).toMatchObject({ index: 99, reduced: true, task: { id: first.task.id, key: "one", state: "scheduled" } });
  for (const field of ["payload", "result", "lastError", "deliver", "tags"])
    expect(last.task).not.toHaveProperty(field);
  await app.admin.post("/v1/tasks/cancel", { type: LATER.type, key: "one" });
});

test("tags count for the length of an answer: a small bulk that meets one task thousands of times gets them only so often", async () => {
  // Each of these characters is six in JSON.
  const tags = Array.from({ length: 16 }, (_, index) => String.fromCharCode(index + 1).repeat(64));
  await app.admin.schedule({ ...LATER, key: "tagged", tags });
  const { body } = await app.admin.post<Bulk>("/v1/tasks/bulk", {
    tasks: Array.from({ length: 5_000 }, () => ({ ...LATER, key: "tagged", onConflict: "return" })),
  });
  const shown = body.results.filter(({ reduced }) => reduced !== true);
  expect(shown.at(-1)!.task.tags).toEqual(tags);
  expect(lengthOf(shown)).toBeLessThan(LONGEST_PAGE * 1.2);
  expect(body.results.at(-1)).toMatchObject({ status: "existing", reduced: true, task: { key: "tagged" } });
  await app.admin.post("/v1/tasks/cancel", { type: LATER.type, key: "tagged" });
});

test("all fields of a GraphQL request share the two megabytes", async () => {
  const page = (name: string): string =>
    `${name}: tasks(filter: { state: [scheduled] }, first: 200) { nodes { id payload } pageInfo { hasNextPage endCursor } incomplete }`;
  const result = await run(`{ ${["a", "b"].map(page).join(" ")} task(id: "${created[0]}") { id } }`);
  expect(lengthOf(result)).toBeLessThan(LONGEST_PAGE);
  const { a, ...others } = result.data!;
  expect(a!.nodes.map(({ id }) => id)).toEqual(created.slice(0, 32));
  expect(a).toMatchObject({ pageInfo: { hasNextPage: true, endCursor: created[31] }, incomplete: false });
  const nothing = { nodes: [], pageInfo: { hasNextPage: true, endCursor: null }, incomplete: true };
  expect(others).toEqual({ b: nothing, task: null });
  expect(result.errors).toMatchObject([{ path: ["task"], extensions: { code: "VALIDATION_FAILED" } }]);
});

test("aliases in a GraphQL request do not repeat a page without end", async () => {
  const fields = Array.from({ length: 19 }, (_, index) => `p${index}: payload`).join(" ");
  const result = await run(`{ tasks(filter: { state: [scheduled] }, first: 50) { nodes { ${fields} } } }`);
  expect(result.data).toBeNull();
  expect(result.errors).toMatchObject([{ extensions: { code: "VALIDATION_FAILED" } }]);
  expect(lengthOf(result)).toBeLessThan(1_000);
});
