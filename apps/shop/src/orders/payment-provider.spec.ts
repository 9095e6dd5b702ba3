import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { PaymentProvider } from "./payment-provider.js";

describe("the payment provider's client", () => {
  let server: Server | undefined;

  async function providerThat(answers: RequestListener): Promise<PaymentProvider> {
    server = createServer(answers).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PaymentProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  test.each([true, false])("the payment provider's client passes the answer %s on", async (paid) => {
    const provider = await providerThat((request, response) =>
      response.end(JSON.stringify({ paid: paid && request.url === "/payments/a%2Fb" })),
    );
    await expect(provider.isPaid("a/b", new AbortController().signal)).resolves.toBe(paid);
  });

  test("the payment provider's client takes an error for no answer", async () => {
    const provider = await providerThat((_, response) => response.writeHead(500).end('{"paid":false}'));
    await expect(provider.isPaid("a", new AbortController().signal)).rejects.toThrow("answered 500 for order a");
  });

  test("the payment provider's client takes anything but yes or no for no answer", async () => {
    const provider = await providerThat((_, response) => response.end("<html>"));
    await expect(provider.isPaid("a", new AbortController().signal)).rejects.toThrow("answered 200 for order a");
  });

  test("the payment provider's client stops waiting when the task is aborted", async () => {
    const abort = new AbortController();
    const provider = await providerThat(() => abort.abort(new Error("lease lost")));
    await expect(provider.isPaid("a", abort.signal)).rejects.toThrow("lease lost");
  });
});
