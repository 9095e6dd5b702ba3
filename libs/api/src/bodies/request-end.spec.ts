import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as connect2, constants, createServer as createServer2 } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { whenOver } from "./request-end.js";

test("requests whose client leaves are over, once each, also those that wait behind another on the connection", async () => {
  const asked: ServerResponse[] = [];
  const over: ServerResponse[] = [];
  let further = 0;
  let listeners = 0;
  const server = createServer((request, response) => {
    asked.push(response);
    whenOver(request.socket, response, () => over.push(response));
    for (let count = 0; count < 20; count++) whenOver(request.socket, response, () => further++);
    listeners = Math.max(listeners, response.listenerCount("close"));
    response.end(Buffer.alloc(16 * 1024 * 1024));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.on("error", () => undefined).write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(3));
  const socket = await connected;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  while (asked.length < 3) await new Promise(setImmediate);
  client.destroy();
  await closed;
  await new Promise((stopped) => server.close(stopped));
  expect(new Set(over).size).toBe(3);
  expect(over).toHaveLength(3);
  expect([further, listeners <= 2]).toEqual([60, true]);
});

test("a request whose client has gone while its key was looked up is over at once", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  const closed = once(request.socket, "close");
  client.destroy();
  await closed;
  let isOver = false;
  whenOver(request.socket, response, () => (isOver = true));
  await new Promise((stopped) => server.close(stopped));
  expect(isOver).toBe(true);
});

test("a request of HTTP/2 that was given up is over at once, on a connection that goes on", async () => {
  const server = createServer2().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ":path": "/" });
  stream.on("error", () => undefined);
  const [request, response] = await once(server, "request");
  const closed = once(response, "close");
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
  let isOver = false;
  whenOver(request.socket, response, () => (isOver = true));
  client.destroy();
  await new Promise((stopped) => server.close(stopped));
  expect(isOver).toBe(true);
});
