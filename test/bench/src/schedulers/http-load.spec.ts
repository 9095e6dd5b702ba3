import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { postAll } from "./http-load.js";

let server: Server;

afterEach(() => void server.close());

async function serve(answer: (body: string) => { status: number; body: string }): Promise<number> {
  server = createServer((request, response) => {
    let received = "";
    request.setEncoding("utf8").on("data", (part: string) => (received += part));
    request.on("end", () => {
      const { status, body } = answer(received);
      response.writeHead(status, { "content-length": Buffer.byteLength(body) }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const to = (port: number, bodies: string[]): Parameters<typeof postAll>[0] => ({
  port,
  path: "/",
  headers: {},
  status: 201,
  next: () => bodies.shift() ?? null,
});

describe("the HTTP load", () => {
  test("the HTTP load sends every body once and takes the time of each call", async () => {
    const received: string[] = [];
    const port = await serve((body) => {
      received.push(body);
      return { status: 201, body: `{"größe":"${"ß".repeat(20_000)}"}` };
    });
    const bodies = Array.from({ length: 50 }, (_, i) => `{"é":${i}}`);
    const callMs = await postAll(to(port, [...bodies]), 4);
    expect(callMs).toHaveLength(50);
    expect(callMs.every((ms) => ms > 0)).toBe(true);
    expect(received.sort()).toEqual(bodies.sort());
  });

  test("the HTTP load fails with what the server said when the server refuses", async () => {
    const port = await serve(() => ({ status: 422, body: "no such thing" }));
    await expect(postAll(to(port, ["{}"]), 1)).rejects.toThrow("HTTP 422: no such thing");
  });
});
