const ANSWER_LIMIT_MS = 5_000;

/** Asks the payment provider about an order. Its answer is awaited for 5 s; what it does not answer is an error, to be tried again. */
export class PaymentProvider {
  constructor(private readonly url: string) {}

  /** @throws whatever `signal` aborts with, or Error when the provider gives no usable answer */
  async isPaid(orderId: string, signal: AbortSignal): Promise<boolean> {
    const response = await fetch(new URL(`/payments/${encodeURIComponent(orderId)}`, this.url), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    const body: unknown = await response.json().catch(() => null);
    const paid = (body as { paid?: unknown } | null)?.paid;
    if (!response.ok || typeof paid !== "boolean")
      throw new Error(`The payment provider answered ${response.status} for order ${orderId}`);
    return paid;
  }
}
