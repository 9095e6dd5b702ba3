import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { ApiClient } from "./api-client.js";
import type { Problem } from "./problem.js";

interface Seen {
  readonly method?: string;
  readonly url?: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function clientOf(base: string, options: { callTimeoutMs?: number } = {}) {
  const heard: [string, Problem | null][] = [];
  const client = new ApiClient({
    base,
    fetch,
    csrfToken: () => "token",
    onAnswer: ({ path }, problem) => heard.push([path, problem]),
    ...options,
  });
  return { client, heard };
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

describe("ApiClient", () => {
  test("the API client sends the query without empty fields, and the body as JSON; only a change carries the CSRF token", async () => {
    const seen: Seen[] = [];
    const base = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        seen.push({ method: request.method, url: request.url, headers: request.headers, body });
        response.writeHead(201, { "Tickwheel-Outcome": "created" }).end('{"id":"1"}');
      });
    });
    const { client } = clientOf(base);
    const query = { type: "order cancel", key: "", live: true, state: undefined };
    const answer = await client.call({ method: "POST", path: "/tasks", query, body: { a: 1 } });
    expect(answer).toEqual({ ok: true, value: { id: "1" }, outcome: "created" });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/tasks?type=order+cancel&live=true", body: '{"a":1}' });
    expect(seen[0]?.headers).toMatchObject({
      "x-csrf-token": "token",
      "content-type": "application/json",
    });
    await client.call({ method: "GET", path: "/stats" });
    expect(seen[1]?.headers).not.toHaveProperty("x-csrf-token");
  });

  test("a refusal of the API is a value that carries the problem", async () => {
    const body = JSON.stringify({ code: "TASK_STATE_CONFLICT", title: "Conflict", detail: "It is dead." });
    const { client } = clientOf(await serve(answering(409, body, { "Retry-After": "2" })));
    const answer = await client.call({ method: "DELETE", path: "/tasks/1" });
    expect(answer).toMatchObject({
      ok: false,
      problem: { status: 409, code: "TASK_STATE_CONFLICT", detail: "It is dead.", retryAfterMs: 2000 },
    });
  });

  test("the API client tells what came of each call", async () => {
    const { client, heard } = clientOf(await serve(answering(401, '{"code":"UNAUTHENTICATED"}')));
    await client.call({ method: "GET", path: "/stats" });
    expect(heard).toMatchObject([["/stats", { status: 401 }]]);
  });

  test("an answer of the API without a body has no value, and is no failure", async () => {
    const { client, heard } = clientOf(await serve(answering(204, "")));
    expect(await client.call({ method: "DELETE", path: "/session" })).toEqual({ ok: true, value: null, outcome: null });
    expect(heard).toEqual([["/session", null]]);
  });

  test("a node that never answers is given up after the limit", async () => {
    const { client } = clientOf(await serve(() => undefined), { callTimeoutMs: 50 });
    const answer = await client.call({ method: "GET", path: "/stats" });
    expect(answer).toMatchObject({ ok: false, problem: { title: "No answer in time" } });
  });

  test("an answer that is not JSON is a problem, not an exception", async () => {
    const { client } = clientOf(await serve(answering(200, "<html></html>")));
    const answer = await client.call({ method: "GET", path: "/stats" });
    expect(answer).toMatchObject({ ok: false, problem: { title: "The answer is not JSON" } });
  });
});
