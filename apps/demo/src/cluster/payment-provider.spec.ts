import { describe, expect, test } from "@jest/globals";
import { PaymentProvider } from "./payment-provider.js";

describe("the payment provider", () => {
  test("knows of no payment, and takes 2 s for every 50th answer alone", async () => {
    const provider = await PaymentProvider.start();
    const tookMs = async (): Promise<number> => {
      const startMonoMs = performance.now();
      const response = await fetch(`${provider.url}/payments/a`);
      expect(await response.json()).toEqual({ paid: false });
      return performance.now() - startMonoMs;
    };
    const times = await Promise.all(Array.from({ length: 50 }, tookMs));
    await provider.stop();
    expect(times.filter((ms) => ms >= 1_990)).toHaveLength(1);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(19);
  });
});
