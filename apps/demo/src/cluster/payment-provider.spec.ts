import { describe, expect, test } from "@jest/globals";
import { answerDelayMs, PaymentProvider } from "./payment-provider.js";

describe("the payment provider", () => {
  test("the payment provider knows of no payment, and says so no sooner than it means to", async () => {
    const provider = await PaymentProvider.start();
    const tookMs = async (): Promise<number> => {
      const startMonoMs = performance.now();
      const response = await fetch(`${provider.url}/payments/a`);
      expect(await response.json()).toEqual({ paid: false });
      return performance.now() - startMonoMs;
    };
    const times = await Promise.all(Array.from({ length: 50 }, tookMs));
    await provider.stop();
    expect(Math.min(...times)).toBeGreaterThanOrEqual(19);
    expect(Math.max(...times)).toBeGreaterThanOrEqual(1_990);
  });

  test("the payment provider takes 2 s for every 50th answer alone", () => {
    const delays = Array.from({ length: 100 }, (_, index) => answerDelayMs(index + 1));
    expect(delays.flatMap((delayMs, index) => (delayMs === 2_000 ? [index + 1] : []))).toEqual([50, 100]);
    expect(delays.filter((delayMs) => delayMs === 20)).toHaveLength(98);
  });
});
