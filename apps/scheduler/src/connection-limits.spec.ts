import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { limitConnections } from "./connection-limits.js";

const opened: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

/** Opens so many connections one after the other, and says of how many the first byte came. */
async function limitedServer(trusted: string[]) {
  const server = createServer((socket) => void (socket.destroyed || socket.write("x")));
  limitConnections(server, { all: 100, address: 3, trusted });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  opened.push({ destroy: () => server.close() });
  const { port } = server.address() as AddressInfo;
  return (count: number): Promise<(Socket | null)[]> => Promise.all(Array.from({ length: count }, () => dial(port)));
}

function dial(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    opened.push(socket);
    socket.once("data", () => resolve(socket));
    socket.on("error", () => undefined).once("close", () => resolve(null));
  });
}

const taken = (sockets: (Socket | null)[]): Socket[] => sockets.filter((socket) => socket !== null);

test("an address has so many connections at most, and as many again when they are closed", async () => {
  const open = await limitedServer([]);
  const first = taken(await open(5));
  expect(first).toHaveLength(3);
  for (const socket of first) socket.destroy();
  // The server hears of it a little later.
  let more: Socket[] = [];
  for (let round = 0; round < 100 && more.length === 0; round++) more = taken(await open(1));
  expect(more).toHaveLength(1);
});

test("connections of a trusted proxy are those of many callers", async () => {
  const open = await limitedServer(["127.0.0.0/8"]);
  expect(taken(await open(5))).toHaveLength(5);
});
