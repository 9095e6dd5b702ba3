import { expect, test } from "@jest/globals";
import type { HttpAdapterHost } from "@nestjs/core";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { once } from "node:events";
import { UnusedConnections } from "./unused-connections.js";

const hostOf = (server: Server | null): HttpAdapterHost =>
  ({ httpAdapter: server && { getHttpServer: () => server } }) as unknown as HttpAdapterHost;

test("a server closes though a connection that sent nothing is open, and ends what it works on", async () => {
  const server = createServer();
  const connections = new UnusedConnections(hostOf(server));
  connections.onModuleInit();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const unused = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(unused, "connect");
  const asked = once(server, "request");
  const answer = fetch(`http://127.0.0.1:${port}`, { headers: { connection: "close" } });
  const [, response] = await asked;

  const closed = once(server.close(), "close");
  connections.beforeApplicationShutdown();
  await once(unused, "close");
  response.end("done");
  expect(await (await answer).text()).toBe("done");
  await closed;
});

test("an application without a server stops without an error", () => {
  const connections = new UnusedConnections(hostOf(null));
  connections.onModuleInit();
  expect(() => connections.beforeApplicationShutdown()).not.toThrow();
});
