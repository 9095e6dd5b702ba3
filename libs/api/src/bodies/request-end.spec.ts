import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { whenOver } from "./request-end.js";

test("requests whose client leaves are over, once each, those too that wait behind another on its connection", async () => {
  const asked: ServerResponse[] = [];
  const over: ServerResponse[] = [];
  const server = createServer((request, response) => {
    asked.push(response);
    whenOver(request.socket, response, () => over.push(response));
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
});
