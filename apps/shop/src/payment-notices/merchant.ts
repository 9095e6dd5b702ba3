import { Injectable } from "@nestjs/common";
import type { DelayTaskContext } from "@tickwheel/nestjs";
import type { PaymentNotice } from "./notify-payment.task.js";

/** Calls a merchant's own server. */
@Injectable()
export class Merchant {
  /**
   * Tells that an order is paid. The merchant may hear it more than once, each time with the same idempotency key.
   *
   * @returns what the merchant answers, without spaces around it, whatever its status is
   * @throws whatever `signal` aborts with, or Error when nobody answers
   */
  async tell(
    { orderId, url }: PaymentNotice,
    { signal, idempotencyKey }: Pick<DelayTaskContext, "signal" | "idempotencyKey">,
  ): Promise<string> {
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    const body = JSON.stringify({ orderId, status: "paid" });
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return (await response.text()).trim();
  }
}
