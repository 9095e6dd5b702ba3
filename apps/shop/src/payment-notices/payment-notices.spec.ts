import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ManualShop } from "../../test-support/manual-shop.js";
import { PaymentNoticesModule } from "./payment-notices.module.js";
import { PaymentNoticesService } from "./payment-notices.service.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LADDER_MS = [4 * MINUTE_MS, 10 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 6 * HOUR_MS, 15 * HOUR_MS];

describe("a merchant is told of a payment", () => {
  let shop: ManualShop;
  let server: Server;
  let answers: string[];
  let keys: (string | undefined)[];

  beforeEach(async () => {
    [answers, keys] = [[], []];
    server = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"] as string);
      response.writeHead(200).end(answers.shift() ?? "busy");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    shop = await ManualShop.open({ modules: [PaymentNoticesModule] });
  });
  afterEach(async () => {
    await shop.close();
    server.closeAllConnections();
    server.close();
  });

  const announce = () =>
    shop.get(PaymentNoticesService).announce({
      orderId: "42",
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/paid`,
    });

  test("a merchant is told of a payment on every rung of the ladder to the millisecond; the notice is dead after the last one", async () => {
    const { id } = await announce();
    await shop.pass(0);
    for (const [index, waitMs] of LADDER_MS.entries()) {
      const { dueAt } = await shop.task(id);
      expect(dueAt.getTime() - (await shop.touchedAt(id)).getTime()).toBe(waitMs);
      await shop.goJustBefore(dueAt);
      expect(keys).toHaveLength(index + 1);
      await shop.goPast(dueAt);
      expect(keys).toHaveLength(index + 2);
    }
    expect(new Set(keys)).toEqual(new Set([id]));
    expect(await shop.task(id)).toMatchObject({ state: "dead", reason: "ATTEMPTS", attempt: 8 });
  });

  test("a merchant is told of a payment until it answers success, and not once more", async () => {
    answers = ["fail", " success\n"];
    const { id } = await announce();
    await shop.pass(0);
    expect(await shop.task(id)).toMatchObject({ state: "scheduled", lastError: expect.stringContaining('"fail"') });
    await shop.goPast((await shop.task(id)).dueAt);
    expect(await shop.task(id)).toMatchObject({ state: "succeeded", attempt: 2, result: "success" });
    await shop.pass(24 * HOUR_MS);
    expect(keys).toHaveLength(2);
  });

  test("a merchant is told of a payment once, however often the payment is announced", async () => {
    const first = await announce();
    const second = await announce();
    expect(second.id).toBe(first.id);
  });
});
