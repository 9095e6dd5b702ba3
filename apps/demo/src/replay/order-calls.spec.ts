import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HttpCalls } from "../cluster/http-calls.js";
import { OrderCalls } from "./order-calls.js";

const CANCEL_AT = "2026-11-21T10:00:15.500Z";
const accept: RequestListener = (_, response) => response.writeHead(201).end(JSON.stringify({ cancelAt: CANCEL_AT }));

describe("the calls to the shop", () => {
  let servers: Server[] = [];
  let http: HttpCalls;

  beforeEach(() => {
    http = new HttpCalls();
  });

  afterEach(async () => {
    http.stop();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    servers = [];
  });

  async function nodeThat(answers: RequestListener): Promise<string> {
    const server = createServer(answers).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function shopOf(...nodes: RequestListener[]): Promise<OrderCalls> {
    const urls = await Promise.all(nodes.map(nodeThat));
    return new OrderCalls(http, () => urls);
  }

  test("the calls to the shop tell when an order is to be cancelled", async () => {
    const shop = await shopOf(accept);
    await expect(shop.place("a", 15_500)).resolves.toBe(Date.parse(CANCEL_AT));
  });

  test("the calls to the shop try another node, with the same body, when one breaks off and when one's database is away", async () => {
    const bodies: string[] = [];
    const record: RequestListener = (request, response) => {
      request.on("data", (part: Buffer) => bodies.push(part.toString()));
      request.on("end", () => {
        if (bodies.length === 1) response.destroy();
        else if (bodies.length === 2) response.writeHead(503).end();
        else accept(request, response);
      });
    };
    const shop = await shopOf(record, record);
    await shop.place("a", 15_500);
    expect(bodies).toEqual(Array.from({ length: 3 }, () => '{"orderId":"a","timeoutMs":15500}'));
  });

  test("the calls to the shop pass a node by that refuses the connection", async () => {
    const gone = await nodeThat(accept);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const alive = await nodeThat((_, response) => response.writeHead(200).end("{}"));
    const shop = new OrderCalls(http, () => [gone, alive]);
    await expect(Promise.all([shop.pay("a"), shop.pay("b")])).resolves.toEqual(["paid", "paid"]);
  });

  test("the calls to the shop know a payment that came too late", async () => {
    const shop = await shopOf((_, response) => response.writeHead(409).end("{}"));
    await expect(shop.pay("a")).resolves.toBe("too_late");
  });

  test("the calls to the shop do not take just any answer", async () => {
    const shop = await shopOf((_, response) => response.writeHead(400).end("bad"));
    await expect(shop.place("a", 1)).rejects.toThrow("POST /orders was answered 400: bad");
    await expect(shop.pay("a")).rejects.toThrow("POST /orders/a/payment was answered 400: bad");
  });
});
