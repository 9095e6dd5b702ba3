import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { setMaxListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, type Execution, jsonTextOf, type JsonText, SystemClock, webhookOf } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { LoopbackNameServer } from "../../test-support/loopback-name-server.js";
import { AllowedHosts } from "./allowed-hosts.js";
import type { Resolve } from "./name-sources.js";
import { WebhookExecutor, type WebhookOptions } from "./webhook-executor.js";

type Answer = (request: IncomingMessage & { text: string }, response: ServerResponse) => void;

/** The receiver is on loopback, whatever its name is. */
class AnyHost extends AllowedHosts {
  override permits(): boolean {
    return true;
  }

  override mayReach(): boolean {
    return true;
  }
}

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
  executor = newExecutor();
});

function newExecutor(options: Partial<WebhookOptions> = {}, clock: Clock = new SystemClock()): WebhookExecutor {
  const given = { hosts: new AllowedHosts([host]), secrets: ["top-secret"], ...options };
  return new WebhookExecutor(given, clock);
}

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
      id: "0198",
      owner: "1",
      fence: 2,
      typeId: 1,
      key: "k",
      payload: jsonTextOf({ amount: 5 }),
      attempt: 1,
      maxAttempts: 3,
      scheduledAt: 0,
      dueAt: 0,
      createdAt: 0,
      claimedAt: 0,
      crashCount: 0,
      snoozeCount: 0,
      given: 7,
      priority: 5,
      timeoutMs: 1_000,
      backoff,
      delivery: { kind: "webhook", url, headers: { "x-tenant": "7" } },
    },
  };
}

describe("WebhookExecutor", () => {
  test("a 2xx answer to a webhook settles the task with its JSON body", async () => {
    answer = (_request, response) => void response.end('{\r\n\t"ok":12345678901234567890\n}\n');
    await expect(executor.run(execution(`http://${host}/hook`))).resolves.toEqual({
      kind: "succeeded",
      result: '{   "ok":12345678901234567890 }',
    });
  });

  test("a webhook delivery's payload is the text that was received", async () => {
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

  test("a webhook delivery is signed over id, timestamp and body", async () => {
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
    [500, { "retry-after": "7" }, { retryable: true, retryAfterMs: 7_000 }],
  ])("an answer of %p to a webhook fails as %p says", async (status, headers, expected) => {
    answer = (_request, response) => void response.writeHead(status, headers).end();
    await expect(executor.run(execution(`http://${host}/hook`))).resolves.toMatchObject({
      kind: "failed",
      ...expected,
    });
    expect(calls).toBe(1);
  });

  test.each([
    ["success", {}, { kind: "succeeded" }],
    ["\n success ", {}, { kind: "succeeded" }],
    [
      "fail",
      {},
      {
        kind: "failed",
        retryable: true,
        error: expect.stringMatching(/^The webhook at [\w.:]+ answered 200, but not the body that means success$/),
      },
    ],
    ["fail", { "retry-after": "7" }, { kind: "failed", retryable: true, retryAfterMs: 7_000 }],
    ["success".repeat(10_000), {}, { kind: "failed", retryable: true }],
  ])("where a webhook's body must be success, %p ends as %p and %p say", async (body, headers, expected) => {
    answer = (_request, response) => void response.writeHead(200, headers).end(body);
    const delivery = execution(`http://${host}/hook`);
    delivery.task.delivery = { ...webhookOf(delivery.task)!, expectBody: "success" };
    await expect(executor.run(delivery)).resolves.toMatchObject(expected);
  });

  test("a webhook's host that this node does not list is left to nodes that do: soon at first, then less often", async () => {
    const delivery = execution("http://127.0.0.1:1/");
    const leftAfter = async (overdueMs: number): Promise<unknown> => {
      delivery.task.scheduledAt = delivery.startedAt - overdueMs;
      return executor.run(delivery);
    };
    const forOthers = expect.stringContaining("127.0.0.1:1 is not among");
    expect(await leftAfter(0)).toEqual({ kind: "deferred", delayMs: 1_000, forOthers });
    expect(await leftAfter(60_000)).toMatchObject({ delayMs: 6_000 });
    expect(await leftAfter(86_400_000)).toMatchObject({ delayMs: 600_000 });
    expect(calls).toBe(0);
  });

  test("a node without secrets leaves all webhooks to nodes that have some, and delivers them unsigned where none has", async () => {
    let othersSign = true;
    let headers: IncomingMessage["headers"] = {};
    answer = (request, response) => {
      ({ headers } = request);
      response.end();
    };
    executor.close();
    executor = newExecutor({ secrets: [], leavesToSigners: () => othersSign });
    const delivery = execution(`http://${host}/hook`);
    delivery.task.scheduledAt = delivery.startedAt;
    const forOthers = "another node signs webhooks, and this one has no webhookSecrets";
    expect(await executor.run(delivery)).toEqual({ kind: "deferred", delayMs: 1_000, forOthers });
    expect(calls).toBe(0);
    othersSign = false;
    expect(await executor.run(delivery)).toMatchObject({ kind: "succeeded" });
    expect(headers).not.toHaveProperty("webhook-signature");
  });

  test.each(["http://user:pw@HOST/", "file:///etc/passwd", "not a url"])(
    "the webhook URL %p is refused for good and never dialled",
    async (url) => {
      const result = await executor.run(execution(url.replace("HOST", host)));
      expect(result).toMatchObject({ kind: "failed", retryable: false });
      expect(calls).toBe(0);
    },
  );

  test.each<[string, string | Buffer]>([
    ["beyond 64 KiB", "x".repeat(70_000)],
    ["that is binary", Buffer.from([0x89, 0xff, 0xfe])],
    ["that is compressed", gzipSync('{"ok":true}')],
    ["in Latin-1", Buffer.from('{"name":"Zoë"}', "latin1")],
    ["that is too deep", `${"[".repeat(1_001)}${"]".repeat(1_001)}`],
    ["beyond the limit of results", JSON.stringify("x".repeat(2_000))],
  ])("an answer %s to a webhook is a success without a result: it has arrived", async (_, body) => {
    answer = (_request, response) => void response.end(body);
    executor.close();
    executor = newExecutor({ resultLimitBytes: 1_000 });
    for (let round = 0; round < 8; round++) {
      const result = await executor.run(execution(`http://${host}/`));
      expect(result).toEqual({ kind: "succeeded", result: null });
    }
    expect(calls).toBe(8);
  });

  test.each([
    [429, "7", 7_000],
    [503, "7", 7_000],
    [429, "7200", 3_600_000],
    [503, "0", null],
  ])(
    "an answer of %p with Retry-After %p puts the task off, and its host rests, for an hour at most",
    async (status, after, ms) => {
      answer = (_request, response) => void response.writeHead(status, { "retry-after": after }).end();
      const rests = { kind: "snoozed", delayMs: ms, restsHost: { host, forMs: ms } };
      const failed = { kind: "failed", error: `The webhook at ${host} answered ${status}`, retryable: true };
      expect(await executor.run(execution(`http://${host}/hook`))).toEqual(ms === null ? failed : rests);
    },
  );

  test.each<[string, Record<string, string>]>([
    ["a value", { "x-bad": "a\r\nb" }],
    ["a name", { "x bad": "a" }],
    ["a kind of header", { trailer: "x" }],
  ])(
    "a webhook header with %s that the client refuses ends its own task and leaves the host's breaker alone",
    async (_, headers) => {
      for (let round = 0; round < 10; round++) {
        const refused = execution(`http://${host}/`);
        webhookOf(refused.task)!.headers = headers;
        await expect(executor.run(refused)).resolves.toMatchObject({
          kind: "failed",
          retryable: false,
          error: expect.stringMatching(/^The webhook cannot be sent: /),
        });
      }
      await expect(executor.run(execution(`http://${host}/`))).resolves.toMatchObject({ kind: "succeeded" });
      expect(calls).toBe(1);
    },
  );

  test("a host that never answers holds its own places only; a task that finds none is deferred, never closer than 10 ms", async () => {
    executor.close();
    executor = newExecutor({ placesPerHost: 2 });
    const controller = new AbortController();
    answer = () => undefined;
    const hanging = [1, 2].map(() => executor.run(execution(`http://${host}/`, controller.signal)));
    const deferred = await Promise.all([1, 2, 3].map(() => executor.run(execution(`http://${host}/`))));
    const delays = deferred.map((result) => (result.kind === "deferred" ? result.delayMs : 0));
    expect(delays[0]).toBeGreaterThanOrEqual(1_000);
    expect(delays[2]! - delays[0]!).toBeGreaterThanOrEqual(18);
    controller.abort(new Error("cancelled"));
    await Promise.all(hanging);
    answer = (_request, response) => void response.end();
    await expect(executor.run(execution(`http://${host}/`))).resolves.toMatchObject({ kind: "succeeded" });
  });

  test("webhook time-outs that are shorter than anybody's patience do not open the breaker", async () => {
    const timeout = Object.assign(new Error("timed out"), { name: "ExecutionTimeoutError" });
    answer = () => undefined;
    for (let round = 0; round < 8; round++) {
      const controller = new AbortController();
      const run = executor.run(execution(`http://${host}/`, controller.signal));
      controller.abort(timeout);
      await run;
    }
    answer = (_request, response) => void response.end();
    await expect(executor.run(execution(`http://${host}/`))).resolves.toMatchObject({ kind: "succeeded" });
  });

  describe("with a resolver that answers otherwise each time", () => {
    /** After this time a name is looked up anew, in milliseconds. */
    const FORGOTTEN_MS = 60_000;
    const PUBLIC = { address: "93.184.216.34", family: 4 };
    const INSIDE = { address: "127.0.0.1", family: 4 };
    const rebinding = (answers: { address: string; family: number }[][]): { resolve: Resolve; asked: () => number } => {
      let asked = 0;
      const resolve: Resolve = (_name, _options, callback) => callback(null, answers[asked++ % answers.length]!);
      return { resolve, asked: () => asked };
    };
    const port = (): string => host.split(":")[1]!;

    test("with a resolver that answers otherwise each time nothing inside is ever dialled, and the breaker stays closed", async () => {
      const { resolve, asked } = rebinding([[INSIDE], [{ address: "::ffff:127.0.0.1", family: 6 }]]);
      let round = 0;
      const inside = (): string[] => [round % 2 === 0 ? "127.0.0.1" : "0:0:0:0:0:ffff:7f00:1"];
      const nameServer = await LoopbackNameServer.start(inside);
      const name = `rebinding.example:${port()}`;
      const clock = new ManualClock();
      executor.close();
      const hosts = new AllowedHosts([name]);
      executor = newExecutor({ hosts, resolve, nameServers: [nameServer.address] }, clock);
      for (const url of [`http://${name}/`, `https://${name}/`, `https://unlisted.example:${port()}/`])
        for (round = 0; round < 16; round++) {
          const result = await executor.run(execution(url));
          expect(result).toMatchObject({ error: expect.stringMatching(/stands for no address/), retryable: true });
          await clock.advance(FORGOTTEN_MS);
        }
      expect({ calls, asked: asked(), strangers: nameServer.asked.length }).toEqual({
        calls: 0,
        asked: 32,
        strangers: 16,
      });
      await nameServer.stop();
    });

    test("a webhook host's name is looked up once for a connection, and what was checked is what is dialled", async () => {
      const { resolve, asked } = rebinding([[INSIDE], [PUBLIC]]);
      const name = `inside.example:${port()}`;
      executor.close();
      executor = newExecutor({ hosts: new AllowedHosts([name, "127.0.0.0/8"]), resolve });
      await expect(executor.run(execution(`http://${name}/`))).resolves.toMatchObject({ kind: "succeeded" });
      expect({ calls, asked: asked() }).toEqual({ calls: 1, asked: 1 });
    });
  });

  describe("to names that strangers choose", () => {
    let clock: ManualClock;
    let nameServer: LoopbackNameServer;
    const port = (): string => host.split(":")[1]!;
    const to = (name: string, namespace: string, signal?: AbortSignal): Execution => {
      const delivery = execution(`http://${name}:${port()}/`, signal);
      return { ...delivery, type: { ...delivery.type, namespace } };
    };

    beforeEach(async () => {
      clock = new ManualClock();
      nameServer = await LoopbackNameServer.start((name) => (name.startsWith("silent") ? "silence" : ["127.0.0.1"]));
      executor.close();
      executor = newExecutor({ hosts: new AnyHost([]), nameServers: [nameServer.address] }, clock);
    });
    afterEach(() => nameServer.stop());

    test("a webhook host's name that nobody answers for is the host's failure, and is told", async () => {
      const run = (): Promise<unknown> => executor.run(to("silent.example", "default"));
      const first = run();
      await clock.runUntil(() => clock.pendingTimers > 0, 0);
      await clock.advance(2_000);
      const error = "The webhook could not be delivered: silent.example could not be looked up: no answer in 2 s";
      expect(await first).toEqual({ kind: "failed", error, retryable: true });
      for (let round = 1; round < 5; round++) expect(await run()).toMatchObject({ error });
      expect(await run()).toMatchObject({ kind: "deferred" });
    });

    test("time that a webhook task waits for look-ups of its own namespace says nothing about its host", async () => {
      const loud = new AbortController();
      setMaxListeners(0, loud.signal);
      const silent = Array.from({ length: 300 }, (_, index) =>
        executor.run(to(`silent-${index}.example`, "loud", loud.signal)),
      );
      const timeout = Object.assign(new Error("timed out"), { name: "ExecutionTimeoutError" });
      const waiting = Array.from({ length: 8 }, () => executor.run(to("hook.example", "loud", loud.signal)));
      await clock.advance(6_000);
      loud.abort(timeout);
      const error = expect.stringMatching(/: timed out, while other look-ups of its namespace came first$/);
      for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ kind: "failed", error });
      expect(calls).toBe(0);
      await expect(executor.run(to("hook.example", "quiet"))).resolves.toMatchObject({ kind: "succeeded" });
      await Promise.all(silent);
    });
  });

  test("answers of 429 to webhooks do not open the breaker: they are about the caller", async () => {
    answer = (_request, response) => void response.writeHead(429).end();
    for (let round = 0; round < 8; round++) await executor.run(execution(`http://${host}/`));
    expect(calls).toBe(8);
  });

  test("an abort ends the call of a webhook", async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error("cancelled"));
    await expect(executor.run(execution(`http://${host}/`, controller.signal))).resolves.toMatchObject({
      kind: "failed",
    });
  });

  test("a webhook's host that keeps failing is left alone: its tasks are deferred", async () => {
    answer = (_request, response) => void response.writeHead(500).end();
    for (let round = 0; round < 5; round++) await executor.run(execution(`http://${host}/`));
    const deferred = await executor.run(execution(`http://${host}/`));
    expect(deferred).toMatchObject({ kind: "deferred" });
    expect(calls).toBe(5);
  });

  test("webhook errors of the caller's own making (4xx) do not open the breaker", async () => {
    answer = (_request, response) => void response.writeHead(400).end();
    for (let round = 0; round < 8; round++) await executor.run(execution(`http://${host}/`));
    expect(calls).toBe(8);
  });
});
