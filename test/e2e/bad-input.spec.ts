import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { json, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiClient, type Problem } from "../support/api-client.js";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";

const stage = new TestStage();
let node: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  node = await stage.scheduler({ databaseUrl });
});
afterAll(() => stage.stop());

describe("REST and GraphQL", () => {
  test.each([
    ["without a key", null],
    ["with a wrong key", newTestKey()],
  ])("REST and GraphQL are closed %s, but for the health checks", async (_name, key) => {
    const stranger = new ApiClient(node.url, key);
    for (const path of ["/v1/tasks", "/v1/cluster", "/v1/stats", "/openapi.json", "/graphql?query={stats{overdue}}"]) {
      const { status, headers, body } = await stranger.get<Problem>(path);
      expect({ path, status, code: body.code }).toEqual({ path, status: 401, code: "UNAUTHENTICATED" });
      expect(headers.get("content-type")).toContain("application/problem+json");
    }
    expect((await stranger.post("/v1/tasks", { type: "a" })).status).toBe(401);
    expect((await stranger.get("/health/live")).status).toBe(200);
    expect((await stranger.get("/health/ready")).status).toBe(200);
  });

  test("the API names every fault of a bad task by its path", async () => {
    const { status, body } = await node.client.post<Problem>("/v1/tasks", {
      type: "no spaces please",
      delay: -5,
      scheduledAt: "yesterday",
      priority: 11,
      maxAttempts: 0,
      key: "",
      onConflict: "overwrite",
      backoff: { kind: "fixed", delay: "soon", steps: 3 },
      deliver: { kind: "webhook", url: "ftp://nowhere" },
      nonsense: true,
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: "VALIDATION_FAILED" });
    const paths = ["type", "delay", "scheduledAt", "priority", "maxAttempts", "key", "onConflict", "nonsense"];
    expect(new Set(body.errors.map(({ path }) => path))).toEqual(
      new Set([...paths, "backoff.delay", "backoff.steps", "deliver.url"]),
    );
  });

  test.each<[string, string, { status: number; code: string }]>([
    ["broken JSON", '{"type": "a"', { status: 400, code: "VALIDATION_FAILED" }],
    ["no object", '"a"', { status: 400, code: "VALIDATION_FAILED" }],
    ["a NUL in a key", '{"type":"a","key":"\\u0000"}', { status: 400, code: "VALIDATION_FAILED" }],
    ["a time in 200 years", '{"type":"a","delay":6311433600000}', { status: 400, code: "VALIDATION_FAILED" }],
    [
      "a payload that is too deep",
      `{"type":"a","payload":${"[".repeat(40)}${"]".repeat(40)}}`,
      { status: 400, code: "VALIDATION_FAILED" },
    ],
    [
      "a payload of more than 64 KiB",
      JSON.stringify({ type: "a", payload: "x".repeat(66_000) }),
      { status: 413, code: "PAYLOAD_TOO_LARGE" },
    ],
  ])("the API refuses %s", async (_name, body, expected) => {
    const answer = await node.client.send<Problem>("POST", "/v1/tasks", { body });
    expect({ status: answer.status, code: answer.body.code }).toEqual(expected);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
  });

  test.each([
    ["/v1/tasks", 1_100_000],
    ["/v1/tasks/bulk", 17_000_000],
    ["/graphql", 1_100_000],
  ])("the API refuses a body for %s of %d bytes by its announced length, before it is sent", async (path, length) => {
    const headers = {
      authorization: `Bearer ${stage.apiKey}`,
      "content-type": "application/json",
      "content-length": length,
    };
    const call = request(new URL(path, node.url), { method: "POST", headers });
    call.write('{"type":"a"');
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const problem = (await json(response)) as Problem;
    call.destroy();
    expect({ status: response.statusCode, code: problem.code }).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  test("the API accepts the other items of a bulk call with one bad item", async () => {
    const tasks = [
      { type: "bulk", delay: "1h" },
      { type: "bulk", delay: "never" },
      { type: "bulk", delay: "2h" },
    ];
    const { status, body } = await node.client.post<{
      results: { index: number; status: string; error?: Problem }[];
    }>("/v1/tasks/bulk", { tasks });
    expect(status).toBe(200);
    expect(body.results.map((result) => result.status)).toEqual(["created", "rejected", "created"]);
    expect(body.results[1]!.error).toMatchObject({ code: "VALIDATION_FAILED", errors: [{ path: "tasks[1].delay" }] });
  });

  test("GraphQL reports the same faults as REST", async () => {
    const mutation = `mutation { scheduleTask(input: { type: "a b", delay: "never" }) { outcome } }`;
    const { errors } = await node.client.graphql(mutation);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "VALIDATION_FAILED" });
  });

  test.each([
    ["what is no HTTP", "nonsense\r\n\r\n", 400],
    ["too large headers", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(40_000)}\r\n\r\n`, 431],
    ["no header Host", "GET /v1/tasks HTTP/1.1\r\n\r\n", 400],
    [
      "an expectation",
      "POST /v1/tasks HTTP/1.1\r\nhost: a\r\nexpect: a-cup-of-tea\r\ncontent-length: 2\r\n\r\n{}",
      417,
    ],
    ["a path that cannot be decoded", "GET /v1/tasks/%ff HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400],
  ])("the API refuses %s as a problem", async (_name, sent, status) => {
    const socket = connect(Number(new URL(node.url).port), "127.0.0.1");
    socket.write(sent);
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(head).toMatch(/cache-control: no-store/i);
    expect(JSON.parse(body)).toMatchObject({ status, code: "VALIDATION_FAILED" });
  });
});
