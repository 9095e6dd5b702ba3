import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, Problem } from "../support/api-client.js";
import { EventStream } from "../support/event-stream.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

let postgres: OwnPostgres;
let app: ApiApplication;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("outage"));
});
afterAll(async () => {
  await app.stop();
  await postgres.stop();
});

const codeOf = async (client: ApiClient, method: string, path: string): Promise<string | number> => {
  const { status, body } = await client.send<Partial<Problem>>(method, path);
  return body?.code ?? status;
};

test("while Postgres is away a session that was seen reads on and writes nothing, and its stream says what fails", async () => {
  const seen = await app.admin.logIn();
  const unseen = await app.admin.logIn();
  const stream = await EventStream.open(`${app.url}/v1/stream?topics=stats`, seen.headers);
  await stream.seen("stats");
  await postgres.kill();
  await eventually(async () => expect(await codeOf(app.admin, "GET", "/openapi.json")).toBe("STORE_UNAVAILABLE"));
  expect(await codeOf(unseen, "GET", "/v1/session")).toBe("STORE_UNAVAILABLE");
  for (const path of ["/v1/session", "/openapi.json"]) expect(await codeOf(seen, "GET", path)).toBe(200);
  // A look-up is believed for a few seconds.
  await eventually(async () => expect(await codeOf(seen, "POST", "/v1/tasks")).toBe("STORE_UNAVAILABLE"));
  expect(await codeOf(seen, "DELETE", "/v1/session")).toBe("STORE_UNAVAILABLE");
  await stream.seen("problem", ({ problem }: { problem: Problem }) => problem.code === "STORE_UNAVAILABLE");
  const ticks = stream.of("tick").length;
  await eventually(() => expect(stream.of("tick").length).toBeGreaterThan(ticks + 5));
  expect(stream.isOver).toBe(false);
  const answers = stream.of("stats").length;
  await postgres.restart();
  await eventually(() => expect(stream.of("stats").length).toBeGreaterThan(answers));
  await eventually(async () => expect(await codeOf(seen, "DELETE", "/v1/session")).toBe(204));
  await stream.over();
});
