import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Execution, SystemClock, jsonTextOf, type JsonText } from "@tickwheel/core";
import { WebhookExecutor } from "./webhook-executor.js";

type Answer = (request: IncomingMessage & { text: string }, response: ServerResponse) => void;

let server: Server;
let host: string;
let answer: Answer;
let calls: number;
let executor: WebhookExecutor;

beforeEach(async () => {
  calls = 0;
  answer = (_request, response) => void response.end();
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      calls++;
      answer(Object.assign(request, { text }), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  executor = new WebhookExecutor({ allowedHosts: [host], secrets: ["top-secret"] }, new SystemClock());
});

afterEach(async () => {
  executor.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function execution(url: string, signal: AbortSignal = new AbortController().signal): Execution {
  const backoff = { kind: "fixed", delayMs: 1 } as const;
  return {
    type: { id: 1, namespace: "default", type: "invoice.send", delivery: "webhook" },
    startedAt: 1_763_719_200_000,
    foundBy: "wheel",
    signal,
    committed: () => undefined,
    task: {
      ...{
        id: "0198",
        owner: "1",
        fence: 2,
        typeId: 1,
        key: "k",
        payload: jsonTextOf({ amount: 5 }),
        attempt: 1,
        maxAttempts: 3,
      },
      ...{
        scheduledAt: 0,
        dueAt: 0,
        createdAt: 0,
        claimedAt: 0,
        crashCount: 0,
        priority: 5,
        timeoutMs: 1_000,
        backoff,
      },
      webhook: { kind: "webhook", url, headers: { "x-tenant": "7" } },
    },
  };
}

describe("WebhookExecutor", () => {
  test("a 2xx answer settles the task with its JSON body", async () => {
    answer = (_request, response) => void response.end('{\r\n\t"ok":12345678901234567890\n}\n');
    await expect(executor.run(execution(`http://${host}/hook`))).resolves.toEqual({
      kind: "succeeded",
      result: '{   "ok":12345678901234567890 }',
    });
  });

  test("a delivery's payload is the text that was received", async () => {
    let text = "";
    answer = (request, response) => {
      ({ text } = request);
      response.end();
    };
    const delivery = execution(`http://${host}/hook`);
    delivery.task.payload = '{ "n": 12345678901234567890, "__proto__": 1.0 }' as JsonText;
    await executor.run(delivery);
    expect(text.endsWith(`"fence":2,"payload":${delivery.task.payload}}}`)).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ type: "invoice.send", data: { id: "0198", key: "k", attempt: 1 } });
  });

  test("a delivery is signed over id, timestamp and body", async () => {
    let verified = false;
    answer = (request, response) => {
      const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = request.headers;
      const expected = createHmac("sha256", "top-secret")
        .update(`${String(id)}.${String(timestamp)}.${request.text}`)
        .digest("base64");
      verified = signature === `v1,${expected}` && id === "0198" && request.headers["x-tenant"] === "7";
      response.end();
    };
    await executor.run(execution(`http://${host}/hook`));
    expect(verified).toBe(true);
  });

  test.each([
    [500, {}, { retryable: true }],
    [404, {}, { retryable: true }],
    [302, { location: "http://example.invalid/" }, { retryable: true }],
    [410, {}, { retryable: false }],
    [503, { "retry-after": "7" }, { retryable: true, retryAfterMs: 7_000 }],
  ])("an answer of %p fails as %p says", async (status, headers, expected) => {
    answer = (_request, response) => void response.writeHead(status, headers).end();
    await expect(executor.run(execution(`http://${host}/hook`))).resolves.toMatchObject({
      kind: "failed",
      ...expected,
    });
    expect(calls).toBe(1);
  });

  test.each(["http://127.0.0.1:1/", "http://user:pw@HOST/", "file:///etc/passwd", "not a url"])(
    "%p is refused for good and never dialled",
    async (url) => {
      const result = await executor.run(execution(url.replace("HOST", host)));
      expect(result).toMatchObject({ kind: "failed", retryable: false });
      expect(calls).toBe(0);
    },
  );

  test("an answer beyond 64 KiB fails", async () => {
    answer = (_request, response) => void response.end("x".repeat(70_000));
    await expect(executor.run(execution(`http://${host}/`))).resolves.toMatchObject({
      kind: "failed",
      retryable: true,
    });
  });

  test("an abort ends the call", async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error("cancelled"));
    await expect(executor.run(execution(`http://${host}/`, controller.signal))).resolves.toMatchObject({
      kind: "failed",
    });
  });

  test("a host that keeps failing is left alone: its tasks are deferred", async () => {
    answer = (_request, response) => void response.writeHead(500).end();
    for (let round = 0; round < 5; round++) await executor.run(execution(`http://${host}/`));
    const deferred = await executor.run(execution(`http://${host}/`));
    expect(deferred).toMatchObject({ kind: "deferred" });
    expect(calls).toBe(5);
  });

  test("errors of the caller's own making (4xx) do not open the breaker", async () => {
    answer = (_request, response) => void response.writeHead(400).end();
    for (let round = 0; round < 8; round++) await executor.run(execution(`http://${host}/`));
    expect(calls).toBe(8);
  });
});
