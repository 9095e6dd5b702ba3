import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { type ConnectionLimits, limitConnections } from "./connection-limits.js";

const opened: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

/** A server that answers `/` at once and keeps `/wait` waiting; `/key` shows a key as the guard of the API sees it. */
async function limitedServer(limits: Partial<ConnectionLimits>) {
  const server = createServer(({ url, socket }, response) => {
    if (url!.startsWith("/key")) Object.assign(socket, { [Symbol.for("tickwheel.keyed")]: true });
    if (url!.endsWith("wait")) response.writeProcessing();
    else response.end("x");
  });
  limitConnections(server, { all: 100, address: 100, trusted: [], ...limits });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  opened.push({ destroy: () => server.close() });
  const { port } = server.address() as AddressInfo;
  return { open: (path?: string) => dial(port, path) };
}

/**
 * A connection that has sent a request and got the beginning of an answer, or has sent nothing; `isClosed` once the
 * server has ended it.
 */
async function dial(port: number, path?: string) {
  const socket = connect(port, "127.0.0.1");
  opened.push(socket);
  const closed = new Promise<void>((resolve) => socket.on("error", () => undefined).once("close", () => resolve()));
  const connection = { socket, isClosed: false, closed };
  void closed.then(() => (connection.isClosed = true));
  await once(socket, "connect");
  if (path === undefined) return connection;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  await Promise.race([once(socket, "data"), closed]);
  return connection;
}

type Dialled = Awaited<ReturnType<typeof dial>>;

/** Whether each still answers. */
async function alive(connections: readonly Dialled[]): Promise<boolean[]> {
  const answers = connections.map(async ({ socket, closed, isClosed }) => {
    if (isClosed) return false;
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    return Promise.race([once(socket, "data").then(() => true), closed.then(() => false)]);
  });
  return Promise.all(answers);
}

test("the connection that is idle for longest gives way where all places are taken, also if it never sent anything", async () => {
  const { open } = await limitedServer({ all: 3 });
  const silent = await open();
  const first = await open("/");
  const second = await open("/");
  const third = await open("/");
  await silent.closed;
  const fourth = await open("/");
  await first.closed;
  expect(await alive([second, third, fourth])).toEqual([true, true, true]);
});

test("a connection with a key stays while others come and go; the next is refused where all have keys and are busy", async () => {
  const { open } = await limitedServer({ all: 2 });
  const keyed = await open("/key");
  for (let other = 0; other < 10; other++) await open("/");
  expect(await alive([keyed])).toEqual([true]);
  const busy = [await open("/key/wait"), await open("/key/wait")];
  await keyed.closed;
  const refused = await open("/");
  await refused.closed;
  expect(busy.map(({ isClosed }) => isClosed)).toEqual([false, false]);
});

test("an address that has all its places gives up one of its own connections, and nobody else's", async () => {
  const { open } = await limitedServer({ address: 2 });
  const first = await open("/");
  const second = await open("/");
  const third = await open("/");
  await first.closed;
  expect(await alive([second, third])).toEqual([true, true]);
});

test("connections of a trusted proxy are those of many callers", async () => {
  const { open } = await limitedServer({ address: 2, trusted: ["127.0.0.0/8"] });
  const all = [await open("/"), await open("/"), await open("/"), await open("/")];
  expect(await alive(all)).toEqual([true, true, true, true]);
});
