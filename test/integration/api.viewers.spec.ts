import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { TaskBody } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/** A webhook of a chat, for example: whoever knows the path may write there. */
const PATH = "/services/T0/B0/of-the-channel";
const URL = `https://hooks.example${PATH}`;
const SECRET = "Bearer of-the-receiver";
const QUERY = "query ($id: ID!) { task(id: $id) { deliver { url headers } } tasks { nodes { deliver { headers } } } }";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("the headers and the path of a webhook on %s", (platform) => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`viewers_${platform}`), {});
  });
  afterAll(() => app.stop());

  test("are visible to callers that may write, and to no viewer", async () => {
    const deliver = { kind: "webhook", url: URL, headers: { authorization: SECRET } };
    const { body: task } = await app.admin.post<TaskBody>("/v1/tasks", { type: "hook", delay: "1h", deliver });
    const asked = async (role: "viewer" | "operator"): Promise<string[]> => {
      const client = await app.clientAs({ role });
      const ways = [
        client.get(`/v1/tasks/${task.id}`),
        client.get("/v1/tasks?type=hook"),
        client.post("/graphql", { query: QUERY, variables: { id: task.id } }),
      ];
      return (await Promise.all(ways)).map(({ body }) => JSON.stringify(body));
    };
    for (const text of await asked("viewer")) {
      expect(text).toContain('"deliver":{');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(PATH);
    }
    expect((await asked("viewer"))[0]).toContain('"url":"https://hooks.example"');
    for (const text of await asked("operator")) expect(text).toContain(SECRET);
  });
});
