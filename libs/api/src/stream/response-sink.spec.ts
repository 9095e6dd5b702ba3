import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type ApiKey, SystemClock, Turns, wait } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { StalledAnswers } from "../bodies/stalled-answers.js";
import { beginEvents, ResponseSink } from "./response-sink.js";
import { StreamHub } from "./stream-hub.js";

const KEY: ApiKey = {
  id: "1",
  namespace: "shop",
  role: "viewer",
  cluster: false,
  rights: [],
  types: null,
  expiresAt: null,
};
const MEBIBYTE = 1024 * 1024;
const STALLED_MS = 60_000;

let clock: ManualClock;
let hub: StreamHub;
let server: Server;
let answer: string;
let sinks: ResponseSink[];

beforeEach(async () => {
  clock = new ManualClock();
  sinks = [];
  const stalled = new StalledAnswers(clock, STALLED_MS);
  const source = { groupOf: () => "", answer: async () => answer };
  const ports = { clock, turns: new Turns(clock), nowMs: () => 0, node: "node 1", onFailure: () => undefined };
  hub = new StreamHub({ ...ports, source });
  server = createServer((request, response) => {
    stalled.watch(request.socket, response);
    const sink = new ResponseSink(beginEvents(response));
    sinks.push(sink);
    const leave = hub.add({ apiKey: KEY, topics: ["stats"], findKey: async () => KEY }, sink);
    response.once("close", leave);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function viewer(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const opened = once(server, "request");
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await opened;
  return socket;
}

/** Another mebibyte, until the system takes no more from this process. */
async function flood(): Promise<void> {
  for (let round = 0; round < 50; round++) {
    answer = `${round} ${"x".repeat(MEBIBYTE)}`;
    await clock.advance(1_000);
    await wait(new SystemClock(), 0);
  }
}

test("a client that does not read its stream keeps one event in memory, and is ended when it took nothing for a minute", async () => {
  const socket = await viewer();
  socket.pause();
  await flood();
  expect(sinks[0]!.unreadBytes).toBeGreaterThan(0);
  expect(sinks[0]!.unreadBytes).toBeLessThan(2 * MEBIBYTE);
  const ended = once(socket.resume(), "close");
  socket.pause();
  await clock.advance(2 * STALLED_MS);
  socket.resume();
  await ended;
  await clock.advance(2_000);
  expect(clock.pendingTimers).toBe(0);
});

test("a client that reads its stream gets all of it", async () => {
  const socket = await viewer();
  let bytes = 0;
  socket.on("data", (chunk) => (bytes += chunk.length));
  for (let round = 0; round < 5; round++) {
    answer = `${round} ${"x".repeat(MEBIBYTE)}`;
    await clock.advance(1_000);
    while (sinks[0]!.unreadBytes > 0) await wait(new SystemClock(), 1);
  }
  while (bytes < 5 * MEBIBYTE) await once(socket, "data");
  socket.destroy();
});
