import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SystemClock } from "@tickwheel/core";
import { AllowedHosts } from "./allowed-hosts.js";
import { answerWithoutEnd, ENDLESS_ANSWERS } from "../../test-support/endless-answers.js";
import { NameLookup } from "./name-lookup.js";
import { WebhookClient } from "./webhook-client.js";

const KEPT = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n";
const UNANNOUNCED = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const SHORT = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n";

let server: Server;
let client: WebhookClient;
/** Every connection that was made. */
let connections: Socket[];
let requests: number;
/** What the host does when a request has arrived. */
let answer: (socket: Socket) => void;

beforeEach(async () => {
  connections = [];
  requests = 0;
  answer = (socket) => void socket.write(KEPT);
  server = createServer((socket) => {
    connections.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (!bytes.toString().endsWith("body")) return;
      requests++;
      answer(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new WebhookClient(new AllowedHosts([host()]), new NameLookup(new SystemClock()));
});

afterEach(async () => {
  client.close();
  for (const socket of connections) socket.destroy();
  server.close();
  await once(server, "close");
});

function host(): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The status of the answer. */
async function post(): Promise<number> {
  const { signal } = new AbortController();
  const { status } = await client.post(new URL(`http://${host()}/`), {
    headers: {},
    body: "body",
    namespace: "default",
    signal,
  });
  return status;
}

describe("WebhookClient", () => {
  test("a webhook's connection is used again while the host has said that it keeps it", async () => {
    await post();
    await post();
    expect({ connections: connections.length, requests }).toEqual({ connections: 1, requests: 2 });
  });

  test.each([
    ["has not said for how long it keeps it", UNANNOUNCED],
    ["closes it within a second", SHORT],
  ])("a webhook's connection is used once where the host %s", async (_, text) => {
    answer = (socket) => void socket.write(text);
    await post();
    await post();
    expect(connections).toHaveLength(2);
  });

  test("what a webhook's host last said about keeping a connection counts", async () => {
    await post();
    answer = (socket) => void socket.write(UNANNOUNCED);
    await post();
    await post();
    expect(connections).toHaveLength(2);
  });

  test("a connection on which a webhook's host sends something unasked is closed, and never read as an answer", async () => {
    await post();
    connections[0]!.write("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n");
    await once(connections[0]!, "close");
    await expect(post()).resolves.toBe(200);
    expect(connections).toHaveLength(2);
  });

  test("a kept connection that is reset under a request is an error that says so, and the request is written once", async () => {
    await post();
    answer = (socket) => void socket.resetAndDestroy();
    await expect(post()).rejects.toThrow("it was sent, but no whole answer came back: read ECONNRESET");
    expect(requests).toBe(2);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["without an answer", (socket) => void socket.end()],
    ["within its answer", (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")],
  ])("a webhook's connection that ends %s is told as a request that was sent", async (_, end) => {
    answer = end;
    await expect(post()).rejects.toThrow("it was sent, but no whole answer came back: ");
    expect(requests).toBe(1);
  });

  test("a webhook's request that could not be sent is not told as sent", async () => {
    const url = new URL(`http://${host()}/`);
    server.close();
    await once(server, "close");
    const { signal } = new AbortController();
    const refused = client.post(url, { headers: {}, body: "body", namespace: "default", signal });
    await expect(refused).rejects.toThrow(/^connect ECONNREFUSED/);
    server.listen(0);
    await once(server, "listening");
  });

  test.each(Object.entries(ENDLESS_ANSWERS))(
    "an answer to a webhook without an end, of %s, ends the attempt",
    async (_, endless) => {
      answer = (socket) => answerWithoutEnd(socket, endless);
      await expect(post()).rejects.toThrow(endless.fault);
      expect(requests).toBe(1);
    },
  );

  test("a few informational answers before the one that counts are taken, on one connection again and again", async () => {
    answer = (socket) => void socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(8) + KEPT);
    for (let times = 0; times < 3; times++) await expect(post()).resolves.toBe(200);
    expect(connections).toHaveLength(1);
    expect(connections[0]!.destroyed).toBe(false);
  });
});
