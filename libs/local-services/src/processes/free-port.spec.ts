import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { freePort } from "./free-port.js";

test("a free port can be listened on and lies below those of outgoing connections", async () => {
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  expect(port).toBeLessThan(32_768);
});
